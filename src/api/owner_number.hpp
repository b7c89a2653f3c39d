#pragma once

#include <cstdint>

namespace zklock::detail {

/// An owner's number: no other owner of the process has, had, or will have it. `std::thread::id` may be used again, and a
/// new thread would re-enter the lock of an old one (F43).
using owner_number = std::uint64_t;

inline constexpr owner_number no_owner = 0;

/// One that was never given before.
[[nodiscard]] owner_number new_owner_number() noexcept;
/// The calling thread's.
[[nodiscard]] inline owner_number this_thread_number() noexcept {
  thread_local constinit owner_number mine = no_owner;
  if (mine == no_owner) {
    mine = new_owner_number();
  }
  return mine;
}

}  // namespace zklock::detail
