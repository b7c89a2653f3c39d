#pragma once

namespace zklock::detail {

/// How many forks lie between this process and the one in which the library was first used. A session remembers the
/// number it was made under; in a child of fork() the numbers differ. One atomic read.
[[nodiscard]] unsigned fork_generation() noexcept;

}  // namespace zklock::detail
