#include "src/testing/ensemble_model.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/testing/world.hpp"

namespace zklock::testing {
namespace {

/// A thin face: the handle lives in the world.
class model_connection final : public client::connection {
 public:
  explicit model_connection(std::shared_ptr<handle> h) : handle_(std::move(h)) {}

  void submit(client::request_id id, client::any_request&& what) override {
    if (handle_->home != nullptr) handle_->home->submit(*handle_, id, std::move(what));
  }
  void forget(std::string_view path, client::watch_id id, watch_kind kind) override {
    if (handle_->home != nullptr) handle_->home->forget(*handle_, path, id, kind);
  }
  void close() override {
    if (handle_->home != nullptr) handle_->home->close(*handle_);
  }

 private:
  std::shared_ptr<handle> handle_;
};

class model_factory final : public client::factory {
 public:
  model_factory(std::weak_ptr<world> home, int client, int first_server, std::size_t servers, bool only)
      : home_(std::move(home)),
        client_(client),
        first_server_(first_server % static_cast<int>(servers)),
        servers_(servers),
        only_(only) {}

  std::unique_ptr<client::connection> open(const client::parameters& with, client::observer& to) override {
    const std::shared_ptr<world> home = home_.lock();
    if (home == nullptr) {  // nothing will ever be told
      auto nowhere = std::make_shared<handle>();
      nowhere->observer = &to;
      return std::make_unique<model_connection>(std::move(nowhere));
    }
    return std::make_unique<model_connection>(home->open(client_, first_server_, only_, with, to));
  }
  bool adopted() const noexcept override { return false; }
  std::size_t server_count() const noexcept override { return only_ ? 1 : servers_; }
  std::string describe() const override {
    if (only_) return "s" + std::to_string(first_server_);
    std::string out;
    for (std::size_t i = 0; i < servers_; ++i) out += (out.empty() ? "s" : ",s") + std::to_string(i);
    return out;
  }

 private:
  std::weak_ptr<world> home_;
  int client_;
  int first_server_;
  std::size_t servers_;
  bool only_;
};

std::size_t count(const handle::watch_table& table) {
  return std::accumulate(table.begin(), table.end(), std::size_t{0},
                         [](std::size_t sum, const auto& entry) { return sum + entry.second.size(); });
}

}  // namespace

ensemble::ensemble(const config& with) : world_(std::make_shared<world>(with)) {}

ensemble::~ensemble() = default;

std::shared_ptr<client::factory> ensemble::clients(int client, int first_server, bool only) {
  return std::make_shared<model_factory>(world_, client, first_server, world_->servers.size(), only);
}

bool ensemble::settle(int limit) {
  std::vector<step> next;
  for (int i = 0; i < limit; ++i) {
    steps(next);
    if (next.empty()) return true;
    perform(next.front());
  }
  return false;
}

instant ensemble::now() const noexcept { return world_->now; }

void ensemble::advance(instant by) noexcept {
  if (by > instant{0}) world_->now += by;
}

std::vector<ensemble::child> ensemble::children(std::string_view path) const {
  std::vector<child> out;
  const data_tree& tree = world_->authoritative();
  const tree_node* node = tree.find(path);
  if (node == nullptr) return out;
  for (const std::string& name : node->children) {
    const tree_node* below = tree.find(std::string(path == "/" ? "" : path) + "/" + name);
    out.push_back({name, below->stat.czxid, below->stat.ephemeral_owner, below->data});
  }
  return out;
}

bool ensemble::exists(std::string_view path) const { return world_->authoritative().find(path) != nullptr; }

std::optional<std::string> ensemble::data(std::string_view path) const {
  const tree_node* node = world_->authoritative().find(path);
  return node == nullptr ? std::nullopt : std::optional(node->data);
}

std::size_t ensemble::node_count() const { return world_->authoritative().size() - 1; }

std::int64_t ensemble::last_zxid() const noexcept { return world_->zxid; }

int ensemble::leader() const noexcept { return world_->leader; }

std::vector<ensemble::session_info> ensemble::sessions() const {
  std::vector<session_info> out;
  for (const auto& [id, session] : world_->sessions) out.push_back({id, session.client, session.deadline});
  return out;
}

bool ensemble::lowered_untold(int client) const {
  return std::any_of(world_->handles.begin(), world_->handles.end(),
                     [client](const auto& h) { return h->client == client && h->least_applied < h->least_told; });
}

bool ensemble::ended_untold(int client) const {
  return lowered_untold(client) && std::any_of(world_->handles.begin(), world_->handles.end(), [&](const auto& h) {
           return h->client == client && h->state != handle_state::expired && !world_->sessions.contains(h->session);
         });
}

bool ensemble::with_deposed(int client) const {
  const world& w = *world_;
  return std::any_of(w.handles.begin(), w.handles.end(), [&w, client](const auto& h) {
    return h->client == client && h->at != nullptr && w.servers[static_cast<std::size_t>(h->at->server)].deposed;
  });
}

bool ensemble::in_touch(int client) const {
  const world& w = *world_;
  if (!w.has_quorum() || w.servers[static_cast<std::size_t>(w.leader)].frozen) return false;
  return std::any_of(w.handles.begin(), w.handles.end(), [&w, client](const auto& h) {
    if (h->client != client || h->at == nullptr) return false;
    const server& s = w.servers[static_cast<std::size_t>(h->at->server)];
    return w.attached(s) && !s.frozen && !s.lagging && !s.unheard;
  });
}

ensemble::watch_counts ensemble::watches(int client) const {
  watch_counts out;
  for (const auto& h : world_->handles) {
    if (h->client != client) continue;
    out.in_client += count(h->data_watches) + count(h->exist_watches) + count(h->child_watches);
    for (const handle::asked& entry : h->pending) out.in_client += entry.watch != client::no_watch ? 1U : 0U;
    for (const auto& [entry, what] : h->queued) out.in_client += entry.watch != client::no_watch ? 1U : 0U;
  }
  for (const auto& l : world_->links) {
    if (l->client->client == client && l->server_open)
      out.on_servers += l->data_watches.size() + l->child_watches.size();
  }
  return out;
}

std::size_t ensemble::queued(int client) const {
  std::size_t out = 0;
  for (const auto& h : world_->handles) {
    if (h->client == client) out += h->queued.size() + h->inbox.size();
  }
  for (const auto& l : world_->links) {
    if (l->client->client != client) continue;
    if (l->server_open) out += l->up.size() + l->stage.size();
    if (l->client_open) out += l->down.size();
  }
  return out;
}

std::uint64_t ensemble::request_counts::total() const noexcept {
  return std::accumulate(by_kind.begin(), by_kind.end(), std::uint64_t{0});
}

ensemble::request_counts ensemble::requests(int client) const {
  const client_state* state = world_->find_state(client);
  return state == nullptr ? request_counts{} : state->counts;
}

}  // namespace zklock::testing
