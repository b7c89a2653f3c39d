#include "src/operations/lock_node_making.hpp"

#include <utility>

#include "recipes/permit_limit.hpp"

namespace zklock::operations {

using client::code;

std::vector<client::request::create> creates_of(const lock_node_plan& plan, bool containers) {
  const auto mode_of = [containers](bool stays) {
    return stays || !containers ? client::create_mode::persistent : client::create_mode::container;
  };
  std::vector<client::request::create> all;
  for (std::size_t end = plan.path.find('/', 1); end != std::string::npos; end = plan.path.find('/', end + 1)) {
    all.push_back({plan.path.substr(0, end), {}, mode_of(false), plan.acl});
  }
  if (plan.data) {
    all.push_back({plan.path, *plan.data, mode_of(plan.stays), plan.acl});
  }
  return all;
}

void lock_node_making::answered(code answer) noexcept {
  const bool topmost = left_-- == creates_;
  if (answer == code::unimplemented && containers_) {
    containers_refused_ = true;
    answer = code::no_node;  // to be asked for again, as a plain node
  } else if (answer == code::no_node) {
    without_root_ |= topmost;
  }
  const bool parent_made = result_ == code::ok || result_ == code::node_exists;
  if (answer != code::no_node || parent_made) {
    result_ = answer;  // else the failure above is the cause
  }
}

bool lock_node_making::answered(code answer, engine::out& wants) {
  const bool refused_before = containers_refused_;
  answered(answer);
  if (containers_refused_ && !refused_before) {
    wants.note_no_containers();
  }
  return complete();
}

lock_node_making request_creates(const lock_node_plan& plan, engine::tag as, engine::out& wants) {
  const bool containers = wants.session().containers;
  auto creates = creates_of(plan, containers);
  const lock_node_making making(creates.size(), containers);
  for (auto& one : creates) {
    wants.request(as, std::move(one));
  }
  return making;
}

client::request::create limit_keeper_at(const std::string& lock_node, const client::acl& acl) {
  constexpr const char* says = "without a child a container is removed, and this semaphore's limit with it";
  return {lock_node + "/" + std::string(recipes::limit_keeper), says, client::create_mode::persistent, acl};
}

std::optional<std::string> limit_keeper_warning(client::code answer) {
  const bool matters = recipes::answered_by_server(answer) && answer != code::ok && answer != code::node_exists &&
                       answer != code::no_node;
  return matters ? std::optional("a semaphore's limit may be forgotten when no client uses it: " +
                                 recipes::described(answer))
                 : std::nullopt;
}

}  // namespace zklock::operations
