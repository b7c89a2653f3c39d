#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "recipes/busy_check.hpp"
#include "recipes/contender_name.hpp"
#include "recipes/node_name.hpp"
#include "recipes/permit_limit.hpp"
#include "src/port/client.hpp"

namespace zklock::detail {

class lock_meter;

/// The limit that contenders of one lock object have read last, in the session with this id.
struct seen_limit {
  std::int64_t session = 0;
  recipes::limit_node node;
  recipes::heap_text other_data{};  ///< what a contender has met in place of a limit, printable
};

/// A lock node as the session needs it. Shared by the lock object and its calls; immutable, but for what is mutable.
struct lock_target {
  std::string path;   ///< as the user named it
  std::string label;  ///< for people: in the contenders' data
  client::acl acl;    ///< of the contenders and of what has to be made above them
  recipes::layout layout{};
  std::chrono::nanoseconds max_hold{0};     ///< 0: no bound
  std::optional<std::string> payload{};     ///< all that a contender's node says; nothing: what `environment` describes
  bool revocable = true;                    ///< no candidate's: its node says what the candidate wants it to say
  mutable bool warned_of_others = false;    ///< once a lock object
  mutable seen_limit limit{};               ///< the contenders' alone, in the session's order of things
  bool read_first = false;                  ///< one try always reads before it makes a node
  mutable recipes::seen_blocker blocker{};  ///< as `limit`
  mutable recipes::seen_blocker reader_blocker{};  ///< likewise, of a try to read
  std::shared_ptr<lock_meter> meter{};             ///< null: nothing is counted
};

/// The path, as long as it is wanted.
[[nodiscard]] inline std::shared_ptr<const std::string> path_of(const std::shared_ptr<const lock_target>& target) {
  return {target, &target->path};
}

}  // namespace zklock::detail
