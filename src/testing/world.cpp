#include "src/testing/world.hpp"

namespace zklock::testing {

world::world(const ensemble_config& config)
    : with(config), servers(config, log.last_zxid()), sessions(config.tick, config.expiry_phase), ping(config.tick) {}

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

void world::forget_handle(handle& h) {
  std::erase_if(handles, [&](const std::shared_ptr<handle>& other) { return other.get() == &h; });
}

void world::sweep() {
  std::erase_if(links, [this](const std::unique_ptr<link>& l) {
    const bool answers_nothing = l->stage.empty() || servers[l->server].deposed;
    return !l->client_open && (!l->server_open || (l->up.empty() && answers_nothing));
  });
}

}  // namespace zklock::testing
