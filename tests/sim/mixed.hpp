#pragma once

#include <cstdint>

namespace zklock::sim {

/// The mixer of splitmix64: one value for each value, and each bit of the one depends on all bits of the other.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t value) noexcept {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

}  // namespace zklock::sim
