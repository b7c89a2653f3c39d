#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>

/// What the system gives, and a test may refuse to its own process: programs that are linked with this have a
/// pthread_create, a getaddrinfo and an operator new of their own in front of those of the libraries.
namespace zklock::test {

class scarcity {
 public:
  scarcity() { refused_ = 0; }
  scarcity(const scarcity&) = delete;
  scarcity& operator=(const scarcity&) = delete;
  ~scarcity() { end(); }

  static constexpr int plenty = -1;
  /// So many more are given, then none.
  void threads(int left) { threads_left_ = left; }
  void names(int left) { names_left_ = left; }
  void end() {
    threads(plenty);
    names(plenty);
  }
  /// How many were refused.
  [[nodiscard]] int refused() const { return refused_; }

  // ---- for those in front of the libraries
  [[nodiscard]] static bool gives_thread() { return gives(threads_left_); }
  [[nodiscard]] static bool gives_name() { return gives(names_left_); }

 private:
  static bool gives(std::atomic<int>& left);

  static inline std::atomic<int> threads_left_ = plenty;
  static inline std::atomic<int> names_left_ = plenty;
  static inline std::atomic<int> refused_ = 0;
};

/// By operator new, of all threads, since the program began.
[[nodiscard]] std::uint64_t allocation_count();

/// What operator new has given and not got back, with the allocator's rounding.
[[nodiscard]] std::int64_t allocated_bytes();

/// Does it before the calling thread's next allocation. If it throws, there is none.
void at_next_allocation(std::function<void()> what);

/// That thread, which may be waiting now, is refused its next allocation.
void refuse_next_allocation_of(std::thread::id thread);

}  // namespace zklock::test
