#include "src/testing/ensemble_view.hpp"

#include <algorithm>

#include "src/testing/world.hpp"

namespace zklock::testing {

std::vector<ensemble_view::session_info> ensemble_view::sessions() const {
  std::vector<session_info> out;
  for (const auto& [id, session] : w_.sessions.all()) out.push_back({id, session.client, session.deadline});
  return out;
}

bool ensemble_view::lowered_untold(int client) const {
  return std::any_of(w_.handles.begin(), w_.handles.end(),
                     [client](const auto& h) { return h->client == client && h->session.lowered_untold(); });
}

bool ensemble_view::ended_untold(int client) const {
  return lowered_untold(client) && std::any_of(w_.handles.begin(), w_.handles.end(), [&](const auto& h) {
           return h->client == client && h->state != handle_state::expired && !w_.sessions.contains(h->session.id());
         });
}

bool ensemble_view::in_touch(int client) const {
  if (!w_.servers.has_quorum() || w_.servers.leader().frozen) return false;
  return std::any_of(w_.handles.begin(), w_.handles.end(), [&](const auto& h) {
    if (h->client != client || h->at == nullptr) return false;
    const server& s = w_.servers[h->at->server];
    return w_.servers.attached(s) && !s.frozen && !s.line.lagging && !s.line.unheard;
  });
}

bool ensemble_view::with_deposed(int client) const {
  return std::any_of(w_.handles.begin(), w_.handles.end(), [&](const auto& h) {
    return h->client == client && h->at != nullptr && w_.servers[h->at->server].deposed;
  });
}

const tree_node* ensemble_view::node(std::string_view path) const { return w_.servers.nodes().find(path); }

std::int64_t ensemble_view::applied_for(int client) const {
  for (const auto& h : w_.handles) {
    if (h->client == client && h->at != nullptr && !h->closing) return w_.servers[h->at->server].nodes.zxid();
  }
  return 0;
}

ensemble_view::watch_counts ensemble_view::watches(int client) const {
  watch_counts out;
  for (const auto& h : w_.handles) {
    if (h->client == client) out.in_client += h->watches.count() + h->requests.watch_count();
  }
  for (const auto& l : w_.links) {
    // A connection that its client has closed takes its watches with it, when a server that stood still hears of it.
    // A leader that was deposed learns of no removal.
    const bool learns = l->server_open && l->client_open && !w_.servers[l->server].deposed;
    if (l->client->client == client && learns) out.on_servers += l->watches.count();
  }
  return out;
}

std::size_t ensemble_view::queued(int client) const {
  std::size_t out = 0;
  for (const auto& h : w_.handles) {
    if (h->client == client) out += h->requests.queued_count() + h->inbox.size();
  }
  for (const auto& l : w_.links) {
    if (l->client->client != client) continue;
    if (l->server_open) out += l->up.size() + l->stage.size();
    if (l->client_open) out += l->down.size();
  }
  return out;
}

request_counts ensemble_view::requests(int client) const {
  const client_state* state = w_.find_state(client);
  return state == nullptr ? request_counts{} : state->counts;
}

}  // namespace zklock::testing
