#include "src/api/session_runner.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <future>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <zklock/log.hpp>
#include <zklock/testing/fake_ensemble.hpp>

#include "src/api/connector_access.hpp"
#include "tests/support/eventually.hpp"

namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using test_support::eventually;

class a_session_runner : public ::testing::Test {
 protected:
  ~a_session_runner() override {
    if (runner_.running()) {
      EXPECT_EQ(runner_.close(10s), std::error_code());
    }
  }
  void start() {
    runner_.start();
    ASSERT_TRUE(runner_.status().wait_connected(30s, {}));
  }

  zklock::testing::fake_ensemble zookeeper_;
  session_runner runner_{connector_access::servers(zookeeper_.clients()), session_config{}};
};

// Who is told of the state asks for the key, and is not told again.
TEST_F(a_session_runner, knows_the_key_of_its_session_before_it_says_that_it_is_connected) {
  std::atomic<bool> told = false;
  std::atomic<std::int64_t> known = 0;
  set_log_sink([&](const log_line& line) {
    if (line.text.starts_with("session new, connected")) {
      known = runner_.status().key().id;
      told = true;
    }
  });
  start();
  EXPECT_TRUE(eventually([&] { return told.load(); }));
  set_log_sink({});
  EXPECT_NE(known.load(), 0);
  EXPECT_EQ(known.load(), runner_.status().key().id);
}

TEST_F(a_session_runner, connects_and_closes) {
  EXPECT_FALSE(runner_.running());
  start();
  EXPECT_TRUE(runner_.running());
  EXPECT_EQ(runner_.observer_count(), 1U);
  EXPECT_EQ(zookeeper_.session_count(), 1U);
  EXPECT_EQ(runner_.close(10s), std::error_code());
  EXPECT_FALSE(runner_.running());
  EXPECT_EQ(runner_.status().state(), session_state::closed);
  EXPECT_EQ(runner_.observer_count(), 0U);
  EXPECT_EQ(zookeeper_.session_count(), 0U);
}

TEST_F(a_session_runner, gives_a_task_the_engine_and_the_time) {
  start();
  const instant before = boot_now();
  std::promise<instant> ran;
  runner_.run([&ran](engine::session_engine& engine, auto&, instant now) {
    EXPECT_EQ(engine.session().state(), session_state::connected);
    ran.set_value(now);
  });
  const instant then = ran.get_future().get();
  EXPECT_GE(then, before);
  EXPECT_LE(then, boot_now());
}

TEST_F(a_session_runner, f24_tells_changes_on_a_thread_that_may_wait) {
  std::atomic<int> told = 0;
  std::atomic<bool> may_wait = true;
  const auto told_of = std::make_shared<observation>([&](const session_change& change) {
    may_wait = may_wait && !runner_.status().on_client_thread();
    told += change.state == session_state::connected && change.new_session ? 1 : 0;
  });
  runner_.observe(told_of);
  start();
  EXPECT_TRUE(eventually([&told] { return told == 1; }));
  zookeeper_.expire_sessions();
  EXPECT_TRUE(eventually([&told] { return told == 2; }));
  EXPECT_EQ(runner_.close(10s), std::error_code());  // before what the function uses goes
  EXPECT_TRUE(may_wait);
}

TEST_F(a_session_runner, keeps_no_connection_of_a_session_that_is_over) {
  std::atomic<int> sessions = 0;
  const auto told_of = std::make_shared<observation>([&sessions](const session_change& change) {
    sessions += change.state == session_state::connected && change.new_session ? 1 : 0;
  });
  runner_.observe(told_of);
  start();
  for (int expired = 0; expired < 3; ++expired) {
    EXPECT_TRUE(eventually([&] { return sessions == expired + 1; }));
    zookeeper_.expire_sessions();
    EXPECT_TRUE(eventually([&] { return sessions == expired + 2; }));
    EXPECT_TRUE(eventually([this] { return runner_.observer_count() == 1; }));
    EXPECT_EQ(zookeeper_.session_count(), 1U);
  }
  EXPECT_EQ(runner_.close(10s), std::error_code());  // before what the function uses goes
}

TEST_F(a_session_runner, is_closed_once_and_all_callers_are_told) {
  start();
  std::vector<std::future<std::error_code>> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.push_back(std::async(std::launch::async, [this] { return runner_.close(10s); }));
  }
  for (std::future<std::error_code>& told : callers) {
    EXPECT_EQ(told.get(), std::error_code());
  }
  EXPECT_EQ(runner_.close(10s), std::error_code());
}

TEST_F(a_session_runner, is_not_readopted_if_the_handle_is_its_own) {
  start();
  EXPECT_FALSE(runner_.readopt(connector_access::servers(zookeeper_.clients())));
}

class nowhere final : public client::factory {
 public:
  std::unique_ptr<client::connection> open(const client::parameters&, client::observer&) override {
    throw std::runtime_error("no threads");
  }
  bool adopted() const noexcept override { return false; }
  std::size_t server_count() const noexcept override { return 1; }
  std::string describe() const override { return "nowhere"; }
};

TEST(a_session_runner_without_servers, does_not_start_and_leaves_no_thread) {
  session_runner runner(std::make_shared<nowhere>(), session_config{});
  EXPECT_EQ(runner.status().servers(), "nowhere");
  EXPECT_THROW(runner.start(), std::runtime_error);
  EXPECT_FALSE(runner.running());
}

}  // namespace
}  // namespace zklock::detail
