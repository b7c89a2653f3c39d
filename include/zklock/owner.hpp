#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace zklock {

/// What an acquisition belongs to, if it is not the calling thread: a task, a request, a connection. A value.
///
///     const zklock::owner job;
///     zklock::grant g = orders.as(job).acquire();       // on this thread
///     zklock::grant again = orders.as(job).acquire();   // on any thread: one count more of the same hold
///
/// | acquired by                            | belongs to                                                           |
/// |----------------------------------------|----------------------------------------------------------------------|
/// | `lock()`, `try_lock()` and their kin   | the calling thread; of a semaphore_mutex or a semaphore: to no owner |
/// | `acquire()`, `try_acquire()` and kin   | no owner: each acquisition is a contender of its own                 |
/// | either of them through `x.as(o)`       | `o`                                                                  |
///
/// Ownership is per lock object. *Threads*: any.
class ZKLOCK_EXPORT owner {
 public:
  owner() noexcept;  ///< a new one: it equals no other owner of this process, past or future
  /// The calling thread's: `x.as(owner::this_thread()).lock()` is `x.lock()` of a recursive_mutex.
  [[nodiscard]] static owner this_thread() noexcept;

  /// What a contender's node says of it (`owner=`, layout::native). Never 0.
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
