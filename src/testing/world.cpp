#include <algorithm>

#include "src/testing/world.hpp"

namespace zklock::testing {

world::world(const ensemble::config& config)
    : with(config), servers(static_cast<std::size_t>(std::max(1, config.servers))) {
  for (std::size_t i = 0; i < servers.size(); ++i) servers[i].number = static_cast<int>(i);
  for (server& s : servers) {
    s.zxid = zxid;
    s.tree.let_counters_wrap(with.counter_wraps);
  }
  next_leader_ping = with.tick / 2;
}

world::~world() {
  for (const auto& h : handles) h->home = nullptr;
  for (const auto& l : links) l->client->home = nullptr;
}

link* world::find_link(std::uint32_t number) const {
  for (const auto& l : links) {
    if (l->number == number) return l.get();
  }
  return nullptr;
}

std::shared_ptr<handle> world::find_handle(std::uint32_t number) const {
  for (const auto& h : handles) {
    if (h->number == number) return h;
  }
  return nullptr;
}

client_state& world::state_of(int client) {
  for (auto& [number, state] : clients) {
    if (number == client) return state;
  }
  return clients.emplace_back(client, client_state{}).second;
}

const client_state* world::find_state(int client) const {
  for (const auto& [number, state] : clients) {
    if (number == client) return &state;
  }
  return nullptr;
}

const data_tree& world::authoritative() const {
  if (leader >= 0) return servers[static_cast<std::size_t>(leader)].tree;
  const auto it = std::max_element(servers.begin(), servers.end(),
                                   [](const server& a, const server& b) { return a.applied < b.applied; });
  return it->tree;
}

void world::forget_handle(handle& h) {
  std::erase_if(handles, [&](const std::shared_ptr<handle>& other) { return other.get() == &h; });
}

void world::sweep() {
  std::erase_if(links, [this](const std::unique_ptr<link>& l) {
    const bool answers_nothing = l->stage.empty() || servers[static_cast<std::size_t>(l->server)].deposed;
    return !l->client_open && (!l->server_open || (l->up.empty() && answers_nothing));
  });
}

}  // namespace zklock::testing
