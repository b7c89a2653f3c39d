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
#include "src/zookeeper/client.hpp"
#include "src/session/hold.hpp"

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

/// One call that commits a transaction, until it is answered: exactly once, by applied() or failed(). Made by the caller,
/// kept alive by both sides. It is sent once, and never again.
class transaction_request {
 public:
  /// The operations' paths are the user's.
  transaction_request(std::vector<std::shared_ptr<hold>> guarded_by, std::vector<client::request::operation> wanted)
      : guards(std::move(guarded_by)), operations(std::move(wanted)) {}
  transaction_request(const transaction_request&) = delete;
  transaction_request& operator=(const transaction_request&) = delete;
  virtual ~transaction_request() = default;

  /// What became of each of `operations`; the paths of created nodes are the user's.
  virtual void applied(std::vector<client::part_result> results) noexcept = 0;
  /// Nothing was applied, unless the error is errc::outcome_unknown.
  virtual void failed(const transaction_failure& why) noexcept = 0;

  const std::vector<std::shared_ptr<hold>> guards;
  const std::vector<client::request::operation> operations;
};

/// A transaction as it goes to the servers: first a check of every node that its guards stand on, then its operations.
struct guarded_multi {
  client::request::multi request;
  std::vector<std::shared_ptr<hold>> guard_of;  ///< each check's, in the order of `request`; of a multi-lock its parts
  std::vector<std::string> checked;             ///< the node that stood for each of these, below the root

  /// `root` is put in front of every path.
  static guarded_multi make(const transaction_request& wanted, const std::string& root);
};

/// What an answer says of a transaction. Nothing: it was applied.
[[nodiscard]] std::optional<transaction_failure> failure_in(const client::reply& answer,
                                                            const std::vector<std::shared_ptr<hold>>& guard_of,
                                                            bool handle_is_adopted);

}  // namespace zklock::detail
