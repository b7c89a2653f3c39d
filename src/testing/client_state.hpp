#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <variant>

#include "src/port/client.hpp"

namespace zklock::testing {

/// How often each request was sent to a server. One round trip each, but for pipelined ones.
struct request_counts {
  std::array<std::uint64_t, std::variant_size_v<client::any_request>> by_kind{};  ///< index of any_request
  std::uint64_t pings = 0;
  [[nodiscard]] std::uint64_t total() const noexcept {
    return std::accumulate(by_kind.begin(), by_kind.end(), std::uint64_t{0});
  }
};

/// What the network does to one client, and how much that has sent.
struct client_state {
  bool refused = false;
  bool up_held = false;
  bool down_held = false;
  bool lose_next_request = false;
  bool lose_next_reply = false;
  bool attempt_closed = false;  ///< the last attempt to connect found a server, which closed it
  struct dictated {
    client::code code;
    bool applied;
  };
  std::optional<dictated> next_answer;
  request_counts counts;
};

}  // namespace zklock::testing
