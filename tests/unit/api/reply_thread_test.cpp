#include <gtest/gtest.h>

#include <zklock/mutex.hpp>
#include <zklock/testing/fake_ensemble.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "src/api/connector_access.hpp"
#include "src/port/client.hpp"

/// On which threads, and when, a client may answer.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;

// ---- replies on threads that end

/// Passes on what the connection behind it tells; each reply on a thread of its own, which is over when the next begins.
class replies_on_short_lived_threads final : public client::factory {
 public:
  explicit replies_on_short_lived_threads(std::shared_ptr<client::factory> behind) : behind_(std::move(behind)) {}
  std::unique_ptr<client::connection> open(const client::parameters& with, client::observer& to) override {
    relays_.push_back(std::make_unique<relay>(to));
    return behind_->open(with, *relays_.back());
  }
  bool adopted() const noexcept override { return behind_->adopted(); }
  std::size_t server_count() const noexcept override { return behind_->server_count(); }
  std::string describe() const override { return behind_->describe(); }

 private:
  struct relay final : client::observer {
    explicit relay(client::observer& target) : to(target) {}
    void on_reply(client::request_id id, const client::reply_view& answer) override {
      std::thread([&] { to.on_reply(id, answer); }).join();
    }
    void on_node_event(client::watch_id id, client::node_event event) override { to.on_node_event(id, event); }
    void on_session_event(const client::session_event& event) override { to.on_session_event(event); }
    void on_closed(bool confirmed) override { to.on_closed(confirmed); }
    client::observer& to;
  };

  const std::shared_ptr<client::factory> behind_;
  std::vector<std::unique_ptr<relay>> relays_;
};

TEST(reply_thread, f43_a_new_thread_is_not_taken_for_a_finished_one_of_the_clients) {
  testing::fake_ensemble zookeeper;
  session here(detail::connector_access::make(
      std::make_shared<replies_on_short_lived_threads>(detail::connector_access::servers(zookeeper.clients()))));
  recursive_mutex lock(here, "/lock");
  for (int user = 0; user < 30; ++user) {  // its std::thread::id is that of the thread that has just ended
    std::error_code acquired;
    std::error_code released;
    std::thread([&] {
      grant held = lock.acquire(acquired);
      held.release(released);
    }).join();
    ASSERT_FALSE(acquired) << acquired.message();
    ASSERT_FALSE(released) << released.message();
  }
}

// ---- replies from within submit()

/// A server inside the client: every request is answered before submit() returns.
class prompt_server final : public client::factory {
 public:
  std::unique_ptr<client::connection> open(const client::parameters&, client::observer& to) override {
    observer_ = &to;
    return std::make_unique<connection>(*this, to);
  }
  bool adopted() const noexcept override { return false; }
  std::size_t server_count() const noexcept override { return 1; }
  std::string describe() const override { return "prompt"; }

  void connect() { observer_->on_session_event({client::connection_state::connected, 0x100, 10s}); }
  [[nodiscard]] bool has_contenders() const {
    const auto first = nodes_.upper_bound("/lock/");
    return first != nodes_.end() && first->first.starts_with("/lock/");
  }

  int failures_to_come = 0;  ///< answered with connection_loss, nothing done
  int requests = 0;

 private:
  struct connection final : client::connection {
    connection(prompt_server& at, client::observer& target) : server(at), to(target) {}
    void submit(client::request_id id, client::any_request&& what) override { to.on_reply(id, server.reply_to(what)); }
    void forget(std::string_view, client::watch_id, watch_kind) override {}
    void close() override { to.on_closed(true); }
    prompt_server& server;
    client::observer& to;
  };

  client::reply reply_to(const client::any_request& what) {
    ++requests;
    if (failures_to_come > 0) {
      --failures_to_come;
      return of(code::connection_loss);
    }
    return std::visit([this](const auto& one) { return perform(one); }, what);
  }
  client::reply perform(const client::request::create& what) {
    std::string name = what.path;
    if (what.mode == client::create_mode::ephemeral_sequential) {
      std::string digits = std::to_string(++last_);
      name += std::string(10 - digits.size(), '0') + digits;
    }
    if (const auto slash = name.rfind('/'); slash != 0 && !nodes_.contains(name.substr(0, slash))) {
      return of(code::no_node);
    }
    if (!nodes_.emplace(name, ++zxid_).second) {
      return of(code::node_exists);
    }
    client::reply answer;
    answer.name = name;
    answer.stat.czxid = zxid_;
    return answer;
  }
  client::reply perform(const client::request::list& what) {
    if (!nodes_.contains(what.path)) {
      return of(code::no_node);
    }
    client::reply answer;
    for (const auto& [name, czxid] : nodes_) {
      if (name.starts_with(what.path + "/")) {
        answer.children.push_back(name.substr(what.path.size() + 1));
      }
    }
    return answer;
  }
  client::reply perform(const client::request::get& what) {
    const auto found = nodes_.find(what.path);
    if (found == nodes_.end()) {
      return of(code::no_node);
    }
    client::reply answer;
    answer.stat.czxid = found->second;
    answer.stat.ephemeral_owner = 0x100;
    return answer;
  }
  client::reply perform(const client::request::remove& what) {
    return of(nodes_.erase(what.path) == 1 ? code::ok : code::no_node);
  }
  client::reply perform(const client::request::sync&) { return of(code::ok); }
  /// A heartbeat, or what a search begins with: a check of the root.
  client::reply perform(const client::request::multi& what) {
    EXPECT_EQ(what.operations.size(), 1U);
    return of(code::ok);
  }
  template <class Other>
  client::reply perform(const Other&) {
    ADD_FAILURE() << "a mutex asks no such thing";
    return of(code::unimplemented);
  }
  static client::reply of(code with) {
    client::reply answer;
    answer.code = with;
    return answer;
  }

  client::observer* observer_ = nullptr;
  std::map<std::string, std::int64_t> nodes_;
  int last_ = 0;
  std::int64_t zxid_ = 100;
};

/// Each call on a thread of its own: the one on which a server's answer came is taken for the client's.
template <class Call>
void on_a_new_thread(Call call) {
  std::thread(std::move(call)).join();
}

TEST(reply_within_submit, f85_grants_and_confirms_as_a_later_one_does) {
  const auto server = std::make_shared<prompt_server>();
  session here(connector_access::make(server));
  on_a_new_thread([&] { server->connect(); });
  recursive_mutex lock(here, "/lock");
  for (int round = 0; round < 3; ++round) {
    grant held;
    on_a_new_thread([&] { held = lock.acquire(); });
    EXPECT_TRUE(held.held());
    EXPECT_TRUE(server->has_contenders());
    std::error_code ec;
    on_a_new_thread([&] { held.release(ec); });
    EXPECT_FALSE(ec) << ec.message();
    EXPECT_FALSE(server->has_contenders());
  }
}

TEST(reply_within_submit, f85_one_that_says_not_in_time_leaves_no_contender) {
  const auto server = std::make_shared<prompt_server>();
  session here(connector_access::make(server));
  on_a_new_thread([&] { server->connect(); });
  recursive_mutex lock(here, "/lock");
  recursive_mutex other(here, "/lock");
  grant held;
  grant second;
  std::error_code ec;
  on_a_new_thread([&] { held = lock.acquire(); });
  on_a_new_thread([&] { second = other.try_acquire(ec); });
  EXPECT_FALSE(second);
  EXPECT_FALSE(ec) << ec.message();
  on_a_new_thread([&] { held.release(ec); });
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_FALSE(server->has_contenders());
}

/// As the C client does when a request cannot even be queued. It may be the caller's thread, and says nothing about it.
TEST(reply_within_submit, f85_a_failure_makes_the_callers_thread_no_client_thread_and_is_tried_again) {
  const auto server = std::make_shared<prompt_server>();
  session here(connector_access::make(server));
  on_a_new_thread([&] { server->connect(); });
  recursive_mutex lock(here, "/lock");
  server->failures_to_come = 6;
  std::error_code ec;
  const grant held = lock.acquire(ec);
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_TRUE(held.held());
  EXPECT_EQ(server->failures_to_come, 0);
}

}  // namespace
}  // namespace zklock::detail
