#pragma once

#include <cstdint>

namespace zklock::detail {

/// A number for the calling thread that no other thread of the process has, had, or will have: `std::thread::id` may be
/// used again, and a new thread would re-enter the lock of an old one (F43). Never 0.
using thread_number = std::uint64_t;
[[nodiscard]] thread_number this_thread_number() noexcept;

}  // namespace zklock::detail
