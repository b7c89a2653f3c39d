#pragma once

#include <cstdint>

#include "recipes/followed_node.hpp"

namespace zklock::recipes {

/// What became of a conditional write whose answer was lost, by the node as it is behind a quorum write.
enum class write_fate : std::uint8_t {
  not_applied,    ///< the node is as it was read, or another write came first
  looks_applied,  ///< by this write, or by an equal one of another client
  unknown,
};

/// `read`: the node whose version the write asks for. `seen`: the node now; `same_data`: what would have been written.
[[nodiscard]] constexpr write_fate fate_of_write(const node_stat& read, const node_stat& seen,
                                                 bool same_data) noexcept {
  const std::int64_t writes = static_cast<std::int64_t>(seen.version) - read.version;
  if (seen.czxid != read.czxid || writes < 0 || writes > 1) {
    return write_fate::unknown;  // it may have been written, and then have been written over, or removed
  }
  return writes == 1 && same_data ? write_fate::looks_applied : write_fate::not_applied;
}

}  // namespace zklock::recipes
