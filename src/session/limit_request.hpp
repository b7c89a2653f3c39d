#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "recipes/code.hpp"
#include "recipes/limit_change.hpp"
#include "src/session/acquisition.hpp"
#include "src/session/lock_node_making.hpp"
#include "src/session/retry_pace.hpp"

namespace zklock::detail {

/// What came of a question for a semaphore's limit, or of a change.
struct limit_answer {
  std::error_code ec;
  recipes::code answer = recipes::code::ok;  ///< ZooKeeper's, behind the error
  std::uint32_t limit = 0;
  std::int64_t as_of = 0;  ///< the zxid of the write that this is the limit since
};

/// One call that asks for a semaphore's limit, or changes it, until it is answered: exactly once. Made by the caller, kept
/// alive by both sides. Its members are the session's business, on its strand.
class limit_request : public abandonable {
 public:
  /// `to`: what the limit is to be; nothing: it is only asked for.
  limit_request(std::shared_ptr<const lock_target> semaphore, std::optional<std::uint32_t> to, instant limit)
      : target(std::move(semaphore)), until(limit), machine(to) {}
  limit_request(const limit_request&) = delete;
  limit_request& operator=(const limit_request&) = delete;
  virtual ~limit_request() = default;

  virtual void answered(const limit_answer& what) noexcept = 0;

  const std::shared_ptr<const lock_target> target;
  const instant until;
  recipes::limit_change machine;
  std::uint64_t number = 0;  ///< new for each attempt, so that answers to an interrupted one find nobody; 0: answered
  std::optional<instant> retry_at;
  retry_pace pace;
  std::int64_t as_of = 0;
  lock_node_making making;
};

}  // namespace zklock::detail
