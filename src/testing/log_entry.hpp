#pragma once

#include <cstdint>
#include <vector>

#include "src/testing/data_tree.hpp"

namespace zklock::testing {

/// One entry of the leader's log. Refused writes have one too, as in ZooKeeper: they take a zxid and change nothing.
struct log_entry {
  std::int64_t zxid = 0;
  std::vector<change> changes;
  std::int64_t ends_session = 0;   ///< closeSession: every server drops that session's connections
  std::uint32_t answers_link = 0;  ///< the connection whose server answers once it has applied this
  bool answers_connect = false;    ///< the answer is that of a new session
  client::reply reply;
};

/// Runs a write on the leader's tree: applied when `reply.code` is ok, else the tree is as before.
[[nodiscard]] log_entry run(data_tree& tree, const client::any_request& what, std::int64_t session,
                            const data_tree::identities& caller, std::int64_t zxid);

/// Whether a request goes through the leader.
[[nodiscard]] bool is_write(const client::any_request& what) noexcept;

}  // namespace zklock::testing
