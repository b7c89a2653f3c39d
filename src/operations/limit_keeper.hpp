#pragma once

#include <optional>
#include <string>

#include "src/zookeeper/client.hpp"

namespace zklock::operations {

/// The child that keeps a semaphore's lock node, and its permit limit with it, when the node is a container and empty. It
/// is created ahead of the limit, so that there is never a limit without it. Its answer is waited for by no caller.
[[nodiscard]] client::request::create limit_keeper_at(const std::string& lock_node, const client::acl& acl);
/// What is to be logged of its answer. Nothing: it is there, or the limit has not been stored either.
[[nodiscard]] std::optional<std::string> limit_keeper_warning(client::code answer);

}  // namespace zklock::operations
