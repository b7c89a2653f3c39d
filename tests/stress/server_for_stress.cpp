#include "tests/stress/server_for_stress.hpp"

#include <zklock/testing/fake_ensemble.hpp>

#include <random>

#include "tests/integration/inspector.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/private_zookeeper.hpp"
#include "tests/support/proxy.hpp"

namespace zklock::test {
namespace {

using test_support::proxy;
using test_support::proxy_mode;

class on_a_fake final : public server_for_stress {
 public:
  std::unique_ptr<session> open(int client, session_options options) override {
    return std::make_unique<session>(ensemble_.clients(client), std::move(options));
  }
  void cut(int client) override { ensemble_.cut(client); }
  void expire(int client) override { ensemble_.expire_sessions(client); }
  std::vector<std::string> contenders(const std::string& path) override { return ensemble_.children(path); }

 private:
  testing::fake_ensemble ensemble_;
};

class on_a_real_one final : public server_for_stress {
 public:
  explicit on_a_real_one(int clients) {
    for (int client = 0; client < clients; ++client) {
      ways_.push_back(std::make_unique<proxy>(port_));
    }
  }
  ~on_a_real_one() override { inspector_.remove_tree(root_); }

  std::unique_ptr<session> open(int client, session_options options) override {
    return std::make_unique<session>(way(client).address() + root_, std::move(options));
  }
  void cut(int client) override { way(client).cut_now(); }
  void expire(int client) override {
    way(client).set_mode(proxy_mode::cut);  // or the client would take its session back
    if (const auto last = way(client).last_session(); last.id != 0) {
      try {
        test_support::expire_session(port_, last);
      } catch (const std::runtime_error&) {  // it has ended by itself
      }
    }
    way(client).set_mode(proxy_mode::pass);
  }
  std::vector<std::string> contenders(const std::string& path) override { return inspector_.children(root_ + path); }

 private:
  proxy& way(int client) { return *ways_.at(static_cast<std::size_t>(client)); }
  static std::string random_root() {
    std::random_device device;
    return "/stress-" + std::to_string(device()) + std::to_string(device());
  }

  const std::uint16_t port_ = test_support::ports_of(test_support::shared_zookeeper()).front();
  const std::string root_ = random_root();
  inspector inspector_{"127.0.0.1:" + std::to_string(port_)};
  std::vector<std::unique_ptr<proxy>> ways_;
};

}  // namespace

std::unique_ptr<server_for_stress> fake_server(int /*clients*/) { return std::make_unique<on_a_fake>(); }
std::unique_ptr<server_for_stress> real_server(int clients) { return std::make_unique<on_a_real_one>(clients); }

void under_stress::expect_nothing_left(const std::string& path) {
  EXPECT_TRUE(test_support::eventually([&] { return server_->contenders(path).empty(); })) << path;
}

}  // namespace zklock::test
