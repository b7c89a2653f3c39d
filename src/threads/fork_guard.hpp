#pragma once

#include <atomic>

namespace zklock::detail {

/// How many forks lie between this process and the one in which the library was first used. A session remembers the
/// number it was made under; in a child of fork() the numbers differ. One atomic read.
[[nodiscard]] unsigned fork_generation() noexcept;

extern std::atomic<unsigned> forks_counted;
/// `generation`: what fork_generation() has said.
[[nodiscard]] inline bool is_forked_since(unsigned generation) noexcept {
  return forks_counted.load(std::memory_order_relaxed) != generation;
}

}  // namespace zklock::detail
