#include "src/testing/ensemble_model.hpp"

#include <utility>

#include "src/testing/administration.hpp"
#include "src/testing/client_library.hpp"
#include "src/testing/client_network.hpp"
#include "src/testing/fault_list.hpp"
#include "src/testing/server_control.hpp"
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

void ensemble::cut(int client) { client_network(*world_).cut(client); }

void ensemble::refuse(int client, bool refused) { client_network(*world_).refuse(client, refused); }

void ensemble::hold(int client, bool up, bool down) { client_network(*world_).hold(client, up, down); }

void ensemble::hold_requests(int client, bool held) { client_network(*world_).hold_requests(client, held); }

void ensemble::hold_replies(int client, bool held) { client_network(*world_).hold_replies(client, held); }

void ensemble::lose_next_request(int client) { client_network(*world_).lose_next_request(client); }

void ensemble::lose_next_reply(int client) { client_network(*world_).lose_next_reply(client); }

void ensemble::answer_next_with(int client, client::code code, bool applied) {
  client_network(*world_).answer_next_with(client, code, applied);
}

void ensemble::crash(int client) { client_network(*world_).crash(client); }

void ensemble::expire(std::int64_t session) { administration(*world_).expire(session); }

void ensemble::expire_sessions(int client) { administration(*world_).expire_sessions(client); }

void ensemble::take_over_sessions(int client) { client_network(*world_).take_over_sessions(client); }

void ensemble::stop_server(int server) { server_control(*world_).stop_server(server); }

void ensemble::continue_server(int server) { server_control(*world_).continue_server(server); }

void ensemble::expire_overdue() { administration(*world_).expire_overdue(); }

void ensemble::restart_server(int server) { server_control(*world_).restart_server(server); }

void ensemble::kill_server(int server) { server_control(*world_).kill_server(server); }

void ensemble::start_server(int server) { server_control(*world_).start_server(server); }

void ensemble::depose_leader() { server_control(*world_).depose_leader(); }

void ensemble::cut_follower(int server) { server_control(*world_).cut_follower(server); }

void ensemble::lag_follower(int server) { server_control(*world_).lag_follower(server); }

void ensemble::hold_to_leader(int server, bool held) { server_control(*world_).hold_to_leader(server, held); }

void ensemble::hold_from_leader(int server, bool held) { server_control(*world_).hold_from_leader(server, held); }

void ensemble::delay_leader_ping() { server_control(*world_).delay_leader_ping(); }

void ensemble::join_follower(int server) { server_control(*world_).join_follower(server); }

void ensemble::bound_timeouts(std::chrono::milliseconds min, std::chrono::milliseconds max) {
  administration(*world_).bound_timeouts(min, max);
}

int ensemble::reap_containers() { return administration(*world_).reap_containers(); }

bool ensemble::remove_node(std::string_view path) { return administration(*world_).remove_node(path); }

bool ensemble::create_node(std::string_view path, std::string_view data, bool container) {
  return administration(*world_).create_node(path, data, container);
}

void ensemble::set_sequence_counter(std::string_view path, std::int32_t next) {
  administration(*world_).set_sequence_counter(path, next);
}

bool ensemble::lowered_untold(int client) const { return ensemble_view(*world_).lowered_untold(client); }

bool ensemble::ended_untold(int client) const { return ensemble_view(*world_).ended_untold(client); }

bool ensemble::in_touch(int client) const { return ensemble_view(*world_).in_touch(client); }

bool ensemble::with_deposed(int client) const { return ensemble_view(*world_).with_deposed(client); }

ensemble::watch_counts ensemble::watches(int client) const { return ensemble_view(*world_).watches(client); }

std::size_t ensemble::queued(int client) const { return ensemble_view(*world_).queued(client); }

ensemble::request_counts ensemble::requests(int client) const { return ensemble_view(*world_).requests(client); }

std::vector<ensemble::session_info> ensemble::sessions() const { return ensemble_view(*world_).sessions(); }

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
