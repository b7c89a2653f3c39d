#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace zklock {

/// A value that stands for a task, a request, a connection. What is acquired through `x.as(o)` belongs to owner `o`.
///
///     const zklock::owner job;
///     zklock::grant g = orders.as(job).acquire();       // on this thread
///     zklock::grant again = orders.as(job).acquire();   // on any thread: one count more of the same hold
///
/// Without as(), what acquire() acquires belongs to no owner. What lock() acquires belongs to the calling thread; what
/// lock() of a semaphore_mutex or of permits acquires, to no owner. Ownership is per lock object:
/// docs/guide/threads.md. *Threads*: any.
class ZKLOCK_EXPORT owner {
 public:
  owner() noexcept;  ///< a new owner, which equals no other owner of this process
  /// The calling thread as an owner. For a recursive_mutex `x`, `x.as(owner::this_thread()).lock()` is `x.lock()`.
  [[nodiscard]] static owner this_thread() noexcept;

  /// The number in participant::owner. Never 0.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  friend auto operator<=>(const owner&, const owner&) = default;

 private:
  explicit owner(std::uint64_t number) noexcept : number_(number) {}

  std::uint64_t number_;
};

}  // namespace zklock

namespace std {
template <>
struct hash<zklock::owner> {
  [[nodiscard]] size_t operator()(const zklock::owner& of) const noexcept { return hash<uint64_t>()(of.number()); }
};
}  // namespace std
