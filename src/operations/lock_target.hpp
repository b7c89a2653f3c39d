#pragma once

#include <memory>
#include <optional>
#include <string>

#include "recipes/contender_name.hpp"
#include "src/zookeeper/client.hpp"

namespace zklock::detail {

/// A lock node as the session needs it. Immutable; shared by the lock object and its calls.
struct lock_target {
  std::string path;   ///< as the user named it
  std::string label;  ///< for people: in the contenders' data
  client::acl acl;    ///< of the contenders and of what has to be made above them
  recipes::layout layout{};
  std::optional<std::string> payload{};  ///< all that a contender's node says; nothing: what `environment` describes
};

/// The path, as long as it is wanted.
[[nodiscard]] inline std::shared_ptr<const std::string> path_of(const std::shared_ptr<const lock_target>& target) {
  return {target, &target->path};
}

}  // namespace zklock::detail
