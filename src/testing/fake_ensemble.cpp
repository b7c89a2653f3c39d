#include <zklock/testing/fake_ensemble.hpp>

#include <utility>

#include "src/api/connector_access.hpp"
#include "src/testing/fake_core.hpp"

namespace zklock::testing {
namespace {

/// One connection of the model, entered with the core's mutex held. `Owner` is private to fake_ensemble.
template <class Owner>
class fake_connection final : public client::connection {
 public:
  fake_connection(std::shared_ptr<Owner> owner, client::factory& from, const client::parameters& with,
                  client::observer& to)
      : owner_(std::move(owner)) {
    relay_ = owner_->inside->open(from, with, to, inner_);
  }
  fake_connection(const fake_connection&) = delete;
  fake_connection& operator=(const fake_connection&) = delete;
  ~fake_connection() override { owner_->inside->silence(relay_, *inner_); }

  void submit(client::request_id id, client::any_request&& what) override {
    owner_->inside->with_model([&](ensemble&) { inner_->submit(id, std::move(what)); });
  }
  void forget(std::string_view path, client::watch_id id, watch_kind kind) override {
    owner_->inside->with_model([&](ensemble&) { inner_->forget(path, id, kind); });
  }
  void close() override { owner_->inside->close(*relay_, *inner_); }

 private:
  const std::shared_ptr<Owner> owner_;
  std::unique_ptr<client::connection> inner_;
  std::shared_ptr<relay> relay_;
};

template <class Owner>
class fake_factory final : public client::factory {
 public:
  fake_factory(std::shared_ptr<Owner> owner, std::shared_ptr<client::factory> inner)
      : owner_(std::move(owner)), inner_(std::move(inner)) {}

  std::unique_ptr<client::connection> open(const client::parameters& with, client::observer& to) override {
    return std::make_unique<fake_connection<Owner>>(owner_, *inner_, with, to);
  }
  bool adopted() const noexcept override { return false; }
  bool last_attempt_was_closed() const override {
    return owner_->inside->with_model([&](ensemble&) { return inner_->last_attempt_was_closed(); });
  }
  std::size_t server_count() const noexcept override { return inner_->server_count(); }
  std::string describe() const override { return "fake_ensemble(" + inner_->describe() + ")"; }

 private:
  const std::shared_ptr<Owner> owner_;
  const std::shared_ptr<client::factory> inner_;
};

}  // namespace

fake_ensemble::fake_ensemble() : fake_ensemble(config{}) {}

fake_ensemble::fake_ensemble(const config& with) : owner_(std::make_shared<owner>(with)) {}

fake_ensemble::~fake_ensemble() { refuse(); }

connector fake_ensemble::clients(int client, int first_server) {
  return detail::connector_access::make(
      std::make_shared<fake_factory<owner>>(owner_, owner_->inside->factory_for(client, first_server)));
}

void fake_ensemble::cut(int client) {
  owner_->inside->each_client(client, [](ensemble& model, int known) { model.network().cut(known); });
}

void fake_ensemble::refuse(int client) { owner_->inside->set_network(client, core::network::refuse); }

void fake_ensemble::hold(int client) { owner_->inside->set_network(client, core::network::hold); }

void fake_ensemble::hold_requests(int client) { owner_->inside->set_network(client, core::network::hold_requests); }

void fake_ensemble::hold_replies(int client) { owner_->inside->set_network(client, core::network::hold_replies); }

void fake_ensemble::restore(int client) { owner_->inside->set_network(client, core::network::pass); }

void fake_ensemble::lose_next_request(int client) {
  owner_->inside->each_client(client, [](ensemble& model, int known) { model.network().lose_next_request(known); });
}

void fake_ensemble::lose_next_reply(int client) {
  owner_->inside->each_client(client, [](ensemble& model, int known) { model.network().lose_next_reply(known); });
}

void fake_ensemble::expire_sessions(int client) {
  owner_->inside->each_client(client, [](ensemble& model, int known) { model.administrator().expire_sessions(known); });
}

void fake_ensemble::take_over_sessions(int client) {
  owner_->inside->each_client(client, [](ensemble& model, int known) { model.network().take_over_sessions(known); });
}

void fake_ensemble::freeze(int server) {
  owner_->inside->with_model([&](ensemble& model) { model.control().stop_server(server); });
}

void fake_ensemble::thaw(int server) {
  owner_->inside->with_model([&](ensemble& model) {
    model.control().continue_server(server);
    model.administrator().expire_overdue();
  });
}

void fake_ensemble::restart(int server) {
  owner_->inside->with_model([&](ensemble& model) { model.control().restart_server(server); });
}

void fake_ensemble::kill(int server) {
  owner_->inside->with_model([&](ensemble& model) { model.control().kill_server(server); });
}

void fake_ensemble::cut_follower(int server) {
  owner_->inside->with_model([&](ensemble& model) { model.control().cut_follower(server); });
}

void fake_ensemble::lag_follower(int server) {
  owner_->inside->with_model([&](ensemble& model) { model.control().lag_follower(server); });
}

void fake_ensemble::join_follower(int server) {
  owner_->inside->with_model([&](ensemble& model) { model.control().join_follower(server); });
}

int fake_ensemble::leader() const {
  return owner_->inside->look([](const ensemble& model) { return model.leader(); });
}

bool fake_ensemble::create_node(std::string_view path, std::string_view data, bool container) {
  return owner_->inside->with_model(
      [&](ensemble& model) { return model.administrator().create_node(path, data, container); });
}

bool fake_ensemble::set_data(std::string_view path, std::string_view data) {
  return owner_->inside->with_model([&](ensemble& model) { return model.administrator().set_data(path, data); });
}

bool fake_ensemble::remove_node(std::string_view path) {
  return owner_->inside->with_model([&](ensemble& model) { return model.administrator().remove_node(path); });
}

int fake_ensemble::reap_containers() {
  return owner_->inside->with_model([](ensemble& model) { return model.administrator().reap_containers(); });
}

void fake_ensemble::set_sequence_counter(std::string_view path, std::int32_t next) {
  owner_->inside->with_model([&](ensemble& model) { model.administrator().set_sequence_counter(path, next); });
}

bool fake_ensemble::exists(std::string_view path) const {
  return owner_->inside->look([&](const ensemble& model) { return model.exists(path); });
}

std::optional<std::string> fake_ensemble::data(std::string_view path) const {
  return owner_->inside->look([&](const ensemble& model) { return model.data(path); });
}

std::vector<std::string> fake_ensemble::children(std::string_view path) const {
  std::vector<std::string> out;
  for (ensemble::child& one : owner_->inside->look([&](const ensemble& model) { return model.children(path); })) {
    out.push_back(std::move(one.name));
  }
  return out;
}

std::size_t fake_ensemble::node_count() const {
  return owner_->inside->look([](const ensemble& model) { return model.node_count(); });
}

std::size_t fake_ensemble::session_count() const {
  return owner_->inside->look([](const ensemble& model) { return model.view().sessions().size(); });
}

std::size_t fake_ensemble::watch_count(int client) const { return owner_->inside->watch_count(client); }

std::uint64_t fake_ensemble::request_count(int client) const { return owner_->inside->request_count(client); }

bool fake_ensemble::quiet() const { return owner_->inside->quiet(); }

}  // namespace zklock::testing
