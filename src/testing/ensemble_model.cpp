#include "src/testing/ensemble_model.hpp"

#include <utility>

#include "src/testing/client_library.hpp"
#include "src/testing/fault_list.hpp"
#include "src/testing/step_list.hpp"
#include "src/testing/world.hpp"

namespace zklock::testing {
namespace {

/// A thin face: the handle lives in the world.
class model_connection final : public client::connection {
 public:
  explicit model_connection(std::shared_ptr<handle> h) : handle_(std::move(h)) {}

  void submit(client::request_id id, client::any_request&& what) override {
    if (handle_->home != nullptr) client_library(*handle_->home).submit(*handle_, id, std::move(what));
  }
  void forget(std::string_view path, client::watch_id id, watch_kind kind) override {
    if (handle_->home != nullptr) client_library(*handle_->home).forget(*handle_, path, id, kind);
  }
  void close() override {
    if (handle_->home != nullptr) client_library(*handle_->home).close(*handle_);
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
      return std::make_unique<model_connection>(std::make_shared<handle>(with, to, server_choice(0, true, instant{0})));
    }
    return std::make_unique<model_connection>(client_library(*home).open(client_, first_server_, only_, with, to));
  }
  bool adopted() const noexcept override { return false; }
  std::size_t server_count() const noexcept override { return only_ ? 1 : servers_; }
  bool last_attempt_was_closed() const override {
    const std::shared_ptr<world> home = home_.lock();
    return home != nullptr && home->state_of(client_).attempt_closed;
  }
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

}  // namespace

ensemble::ensemble(const config& with) : world_(std::make_shared<world>(with)) {}

ensemble::~ensemble() = default;

std::shared_ptr<client::factory> ensemble::clients(int client, int first_server, bool only) {
  return std::make_shared<model_factory>(world_, client, first_server, world_->servers.size(), only);
}

std::vector<step> ensemble::steps() const {
  std::vector<step> out;
  steps(out);
  return out;
}

void ensemble::steps(std::vector<step>& out) const { list_steps(*world_, out); }

/// An observer may destroy the ensemble.
void ensemble::perform(const step& what) { testing::perform(*std::shared_ptr(world_), what); }

std::string ensemble::describe(const step& what) const { return testing::describe(*world_, what); }

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

std::optional<instant> ensemble::next_timer() const { return testing::next_timer(*world_); }

std::vector<fault> ensemble::faults() const { return list_faults(*world_); }

void ensemble::apply(const fault& what) { testing::apply(*std::shared_ptr(world_), what); }

std::string ensemble::describe(const fault& what) const { return testing::describe(what); }

client_network ensemble::network() noexcept { return client_network(*world_); }

server_control ensemble::control() noexcept { return server_control(*world_); }

administration ensemble::administrator() noexcept { return administration(*world_); }

ensemble_view ensemble::view() const noexcept { return ensemble_view(*world_); }

std::vector<ensemble::child> ensemble::children(std::string_view path) const {
  std::vector<child> out;
  const data_tree& tree = world_->servers.nodes();
  const tree_node* node = tree.find(path);
  if (node == nullptr) return out;
  for (const std::string& name : node->children) {
    const tree_node* below = tree.find(std::string(path == "/" ? "" : path) + "/" + name);
    out.push_back({name, below->stat.czxid, below->stat.ephemeral_owner, below->data});
  }
  return out;
}

bool ensemble::exists(std::string_view path) const { return world_->servers.nodes().find(path) != nullptr; }

std::optional<std::string> ensemble::data(std::string_view path) const {
  const tree_node* node = world_->servers.nodes().find(path);
  return node == nullptr ? std::nullopt : std::optional(node->data);
}

std::size_t ensemble::node_count() const { return world_->servers.nodes().size() - 1; }

std::int64_t ensemble::last_zxid() const noexcept { return world_->log.last_zxid(); }

int ensemble::leader() const noexcept { return world_->servers.leader_number(); }

}  // namespace zklock::testing
