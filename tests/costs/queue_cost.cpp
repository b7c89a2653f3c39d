#include "tests/costs/queue_cost.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>

#include "src/operations/hand_over.hpp"

namespace zklock::costs {
namespace {

using namespace std::chrono_literals;

using clients = std::vector<std::unique_ptr<metered_client>>;

void add(meter& to, const meter& one) {
  std::transform(to.requests.begin(), to.requests.end(), one.requests.begin(), to.requests.begin(), std::plus<>());
  to.wake_ups += one.wake_ups;
  to.bytes += one.bytes;
}

detail::wanted_part mutex_of(const queue_plan& plays) {
  auto target = std::make_shared<detail::lock_target>();
  target->path = "/l";
  target->acl = {client::acl_entry{}};
  detail::wanted_part made{std::move(target), {recipes::contender_kind::mutex}};
  if (plays.hand_over) {
    made.turns = std::make_shared<operations::hand_over>(*plays.hand_over);
  }
  return made;
}

metered_client& only_holder(const clients& among) {
  const auto holds = [](const auto& one) { return one->holds(); };
  if (std::count_if(among.begin(), among.end(), holds) != 1) {
    throw std::logic_error("not one of them holds");
  }
  return **std::find_if(among.begin(), among.end(), holds);
}

}  // namespace

std::vector<queue_plan> queues() {
  return {{1, 1}, {10, 1}, {1'000, 1}, {10, 10}, {1'000, 10}, {1'000, 1, recipes::turn_bounds{100, 1h}}};
}

queue_cost measure(const queue_plan& plays) {
  testing::ensemble servers;
  servers.administrator().create_node("/l", "", true);
  clients all;
  for (std::size_t i = 0; i < plays.sessions; ++i) {
    all.push_back(std::make_unique<metered_client>(servers, static_cast<int>(i)));
  }
  const detail::wanted_part mutex = mutex_of(plays);
  for (std::size_t i = 0; i < plays.contenders; ++i) {
    all[i % plays.sessions]->begin_acquire({mutex});
    if (plays.sessions > 1) {
      servers.settle();
    }
  }
  servers.settle();
  queue_cost found;
  for (std::size_t i = 0; i < plays.sessions; ++i) {
    found.watches += servers.view().watches(static_cast<int>(i)).in_client;
  }
  for (std::size_t i = 0; i < plays.contenders; ++i) {
    only_holder(all).release();
  }
  for (const auto& one : all) {
    add(found.total, one->read());
  }
  return found;
}

}  // namespace zklock::costs
