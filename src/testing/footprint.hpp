#pragma once

#include <cstdint>

#include "src/testing/messages.hpp"
#include "src/testing/step.hpp"

namespace zklock::testing {

/// What a message does to the nodes of its server: see step.
struct footprint {
  access effect = access::none;
  std::uint64_t path = 0;
  std::uint64_t parent = 0;
};

/// `by_leader`: the server is the leader; a follower only hands a write on.
[[nodiscard]] footprint footprint_of(const upward& message, bool by_leader);

}  // namespace zklock::testing
