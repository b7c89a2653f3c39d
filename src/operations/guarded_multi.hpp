#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "recipes/code.hpp"
#include "src/engine/hold.hpp"
#include "src/zookeeper/client.hpp"

namespace zklock::detail {

/// Why a transaction was not confirmed, and which of its parts is to blame.
struct transaction_failure {
  enum class at : std::uint8_t {
    whole,      ///< none of them
    guard,      ///< `lock` names it
    operation,  ///< `place` counts the user's operations
  };
  std::error_code ec;
  recipes::code answer = recipes::code::ok;  ///< ZooKeeper's, behind the error
  at part = at::whole;
  std::size_t place = 0;
  std::string lock = {};  ///< its path; of a multi-lock's part, that part's
};

/// A transaction as it goes to the servers: first a check of every node that its guards stand on, then its operations.
struct guarded_multi {
  client::request::multi request;
  std::vector<std::shared_ptr<hold>> guard_of;  ///< each check's, in the order of `request`; of a multi-lock its parts
  std::vector<std::string> checked;             ///< the node that stood for each of these, below the root

  /// `root` is put in front of every path.
  static guarded_multi make(const std::vector<std::shared_ptr<hold>>& guards,
                            const std::vector<client::request::operation>& operations, const std::string& root);
};

/// What an answer says of a transaction. Nothing: it was applied.
[[nodiscard]] std::optional<transaction_failure> failure_in(const client::reply_view& answer,
                                                            const std::vector<std::shared_ptr<hold>>& guard_of,
                                                            bool handle_is_adopted);

}  // namespace zklock::detail
