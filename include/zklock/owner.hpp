#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace zklock {

/// What a program acquires through `x.as(o)` belongs to owner `o`, not to the calling thread. An owner is a value. It
/// can stand for a task, a request, a connection.
///
///     const zklock::owner job;
///     zklock::grant g = orders.as(job).acquire();       // on this thread
///     zklock::grant again = orders.as(job).acquire();   // on any thread: one count more of the same hold
///
/// | acquired by                                                         | belongs to                           |
/// |---------------------------------------------------------------------|--------------------------------------|
/// | `lock()`, `try_lock()` and their kin                                | the calling thread                   |
/// | `lock()` and its kin of a semaphore_mutex or a semaphore's permits  | no owner                             |
/// | `acquire()`, `try_acquire()` and their kin                          | no owner                             |
/// | any of these through `x.as(o)`                                      | `o`                                  |
///
/// Ownership is per lock object. *Threads*: any number.
class ZKLOCK_EXPORT owner {
 public:
  owner() noexcept;  ///< a new owner, which equals no other owner of this process, past or future
  /// The calling thread as an owner. For a recursive_mutex `x`, `x.as(owner::this_thread()).lock()` is `x.lock()`.
  [[nodiscard]] static owner this_thread() noexcept;

  /// The number of this owner, as `owner=` in the data of its contenders' nodes (layout::native). Never 0.
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
