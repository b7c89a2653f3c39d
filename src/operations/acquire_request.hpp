#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/container/small_vector.hpp>

#include <zklock/log.hpp>

#include "recipes/contender.hpp"
#include "src/engine/failure.hpp"
#include "src/engine/hold.hpp"
#include "src/operations/lock_target.hpp"

namespace zklock::operations {

class hand_over;

}  // namespace zklock::operations

namespace zklock::detail {

/// What is wanted of one lock.
struct wanted_part {
  std::shared_ptr<const lock_target> target;
  recipes::acquire_spec spec{};
  std::shared_ptr<operations::hand_over> turns{};  ///< of its lock object, if it hands over
};
using wanted_parts = boost::container::small_vector<wanted_part, 1>;

}  // namespace zklock::detail

namespace zklock::operations {

/// A wait that takes more than this part of the session timeout is warned of, where there is something to warn of.
inline constexpr int waits_per_timeout = 12;

/// What is to be done of a wait that lasts. Seldom there: not in the call itself, of which there may be many.
struct late_line {
  /// Asked once, when a call has waited for T/12. Null: it is not, or has been. Without text: there is nothing to warn of.
  std::function<log_line()> ask{};
  detail::instant due_at = detail::instant::max();  ///< max(): the wait has not begun
  std::chrono::nanoseconds slow{0};  ///< a longer wait is logged, with who is first; 0: it is not, or has been
  detail::instant begun_at{0};       ///< 0: not yet
};

/// Null: it is empty.
[[nodiscard]] inline std::unique_ptr<late_line> late_line_of(std::function<log_line()> line) {
  return line ? std::make_unique<late_line>(late_line{.ask = std::move(line)}) : nullptr;
}

/// How a caller wants to acquire.
struct acquire_terms {
  bool once = false;                       ///< do not wait behind any contender
  std::optional<detail::instant> until{};  ///< nothing: no time limit
  std::uint64_t owner = 0;                 ///< as the contenders' nodes say it; 0: none
  std::unique_ptr<late_line> when_late{};  ///< null: there is none
};

/// What a caller wants to acquire.
struct acquire_request {
  detail::wanted_parts parts;
  bool of_multi_lock = false;  ///< false: there is one part, and its hold is the answer
  acquire_terms terms{};
};

/// What has blocked one try.
struct blocking_node {
  std::string path{};                 ///< without the root; empty: not known, or no single one
  std::optional<std::string> data{};  ///< if it was read
  std::int64_t czxid = 0;             ///< likewise
};

struct acquire_result {
  std::shared_ptr<detail::hold> hold{};  ///< null: refused. Of a multi-lock: the whole, which has the parts' holds
  detail::failure why{};
  std::unique_ptr<blocking_node> blocked_by{};  ///< null: it is not known
};

struct release_result {
  std::error_code ec;
  recipes::code answer = recipes::code::ok;  ///< ZooKeeper's, behind an error
};

}  // namespace zklock::operations
