#include <sys/socket.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "src/zookeeper/c_client.hpp"
#include "tests/contract/ensemble_under_test.hpp"
#include "tests/support/loopback.hpp"
#include "tests/support/private_zookeeper.hpp"
#include "tests/support/proxy.hpp"
#include "tests/support/snapshot_patch.hpp"

namespace zklock::contract {
namespace {

using test_support::proxy;
using test_support::proxy_mode;
using test_support::verdict;

bool asks_something(const test_support::request_frame& frame) {
  switch (frame.opcode) {
    case test_support::opcode::handshake:
    case test_support::opcode::ping:
    case test_support::opcode::auth:
    case test_support::opcode::set_watches:
    case test_support::opcode::close_session: return false;
    default: return true;
  }
}

/// The C client on a real server, through one proxy for each client.
class real_under_test final : public ensemble_under_test {
 public:
  explicit real_under_test(server_kind kind) {
    if (kind == server_kind::own) {
      own_.emplace(test_support::zookeeper_options{.reaper_interval = std::chrono::milliseconds{200}});
    } else {
      port_ = test_support::ports_of(test_support::shared_zookeeper()).front();
    }
  }

  std::shared_ptr<client::factory> clients(int client) override {
    return client::c_client_factory(client::server_list::parse(of(client).address()));
  }

  void cut(int client) override { of(client).cut_now(); }
  void refuse(int client) override { set_mode(client, proxy_mode::cut); }
  void hold(int client) override { set_mode(client, proxy_mode::hold); }
  void hold_replies(int client) override { set_mode(client, proxy_mode::hold_replies); }
  void restore(int client) override { set_mode(client, proxy_mode::pass); }
  void lose_next_request(int client) override { strike_next(client, verdict::cut_before); }
  void lose_next_reply(int client) override { strike_next(client, verdict::cut_after); }

  void expire_session(int client) override {
    const proxy_mode before = way_of(client).mode;
    // a client that comes back in the middle would take its session back
    if (before == proxy_mode::pass) of(client).set_mode(proxy_mode::cut);
    test_support::expire_session(port(), of(client).last_session());
    if (before == proxy_mode::pass) of(client).set_mode(proxy_mode::pass);
  }

  void take_over_session(int client) override {
    const std::string both = test_support::takeover_and_close(of(client).last_session());
    const std::string hello = both.substr(0, *test_support::whole_frame(both));
    const test_support::descriptor socket = test_support::connect_to_loopback(port());
    if (::send(socket.get(), hello.data(), hello.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(hello.size())) {
      throw std::runtime_error("handshake not sent");
    }
    std::array<char, 64> answer{};
    // Nothing, where the client has taken its session back before this answer was written.
    if (::recv(socket.get(), answer.data(), answer.size(), 0) < 0) throw std::runtime_error("handshake not taken");
  }

  void freeze() override { own_->stop(); }
  void thaw() override { own_->cont(); }
  void restart() override { own_->restart(); }

  void set_sequence_counter(const std::string& path, std::int32_t next) override {
    own_->restart();  // takes a snapshot of all that is there
    own_->kill();
    test_support::set_create_counter(own_->data_directory(), path, next);
    own_->restart();
  }

  void reap_containers() override {}  // done five times a second

 private:
  struct way {
    explicit way(std::uint16_t port) : through(port) {}
    std::atomic<bool> strike{false};  // read on the proxy's thread
    proxy_mode mode = proxy_mode::pass;
    proxy through;
  };

  [[nodiscard]] std::uint16_t port() const { return own_ ? own_->port() : port_; }

  proxy& of(int client) { return way_of(client).through; }
  way& way_of(int client) {
    std::unique_ptr<way>& found = ways_[client];
    if (found == nullptr) found = std::make_unique<way>(port());
    return *found;
  }

  void set_mode(int client, proxy_mode mode) {
    way_of(client).mode = mode;
    of(client).set_mode(mode);
  }

  void strike_next(int client, verdict how) {
    way& w = way_of(client);
    w.through.on_request([&strike = w.strike, how](const test_support::request_frame& frame) {
      return asks_something(frame) && strike.exchange(false) ? how : verdict::pass;
    });
    w.strike = true;
  }

  std::optional<test_support::private_zookeeper> own_;
  std::uint16_t port_ = 0;
  std::map<int, std::unique_ptr<way>> ways_;
};

}  // namespace

std::unique_ptr<ensemble_under_test> make_real_ensemble(server_kind kind) {
  return std::make_unique<real_under_test>(kind);
}

}  // namespace zklock::contract
