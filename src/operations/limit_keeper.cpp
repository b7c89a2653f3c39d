#include "src/operations/limit_keeper.hpp"

#include "recipes/permit_limit.hpp"

namespace zklock::operations {

client::request::create limit_keeper_at(const std::string& lock_node, const client::acl& acl) {
  constexpr const char* says = "without a child a container is removed, and this semaphore's limit with it";
  return {lock_node + "/" + std::string(recipes::limit_keeper), says, client::create_mode::persistent, acl};
}

std::optional<std::string> limit_keeper_warning(client::code answer) {
  using client::code;
  const bool matters = recipes::answered_by_server(answer) && answer != code::ok && answer != code::node_exists &&
                       answer != code::no_node;
  return matters ? std::optional("a semaphore's limit may be forgotten when no client uses it: " +
                                 recipes::described(answer))
                 : std::nullopt;
}

}  // namespace zklock::operations
