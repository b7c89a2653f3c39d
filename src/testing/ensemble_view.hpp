#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "src/testing/client_state.hpp"
#include "src/testing/step.hpp"

namespace zklock::testing {

class world;
struct tree_node;

/// What no client can see: how each of them stands with its servers, what is under way, and how much was.
class ensemble_view {
 public:
  explicit ensemble_view(const world& of) noexcept : w_(of) {}

  struct session_info {
    std::int64_t id = 0;
    int client = 0;
    instant deadline{0};  ///< when the leader will end it
  };
  [[nodiscard]] std::vector<session_info> sessions() const;
  /// The leader has been told of a timeout for the client's session that is smaller than all that the client has been
  /// told: the answer to its connect request is under way, or lost. No client can know of that.
  [[nodiscard]] bool lowered_untold(int client) const;
  /// And has ended that session, which the client does not know either.
  [[nodiscard]] bool ended_untold(int client) const;

  /// The client is connected to a server that exchanges words with a leader which has a quorum, neither of them late.
  [[nodiscard]] bool in_touch(int client) const;
  /// It is connected to a leader that was deposed.
  [[nodiscard]] bool with_deposed(int client) const;

  /// As the leader has it; null: there is none.
  [[nodiscard]] const tree_node* node(std::string_view path) const;
  /// The last transaction that the server has applied to which the client is connected, by the first of its handles; 0: to none.
  [[nodiscard]] std::int64_t applied_for(int client) const;

  struct watch_counts {
    std::size_t in_client = 0;  ///< told or waiting to be told
    std::size_t on_servers = 0;
  };
  [[nodiscard]] watch_counts watches(int client) const;
  /// Requests without an answer, and messages under way in either direction.
  [[nodiscard]] std::size_t queued(int client) const;
  [[nodiscard]] request_counts requests(int client) const;

 private:
  const world& w_;
};

}  // namespace zklock::testing
