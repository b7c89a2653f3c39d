#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/eventually.hpp"
#include "tests/unit/api/guarded_write.hpp"

/// Guarded writes whose answers, sessions and locks are lost, as their user sees it.
namespace zklock {
namespace {

using namespace std::chrono_literals;
using test_support::eventually;

// ---- faults

TEST_F(guarded_write, f08_with_a_lost_reply_is_unknown_and_applied_once) {
  ASSERT_TRUE(zookeeper.create_node("/log"));
  constexpr int rounds = 20;
  for (int round = 0; round < rounds; ++round) {
    ASSERT_TRUE(answers_again());
    zookeeper.lose_next_reply(0);
    std::error_code ec;
    here.transaction().guarded_by(held).create("/log/n-", {}, create_mode::persistent_sequential).commit(ec);
    EXPECT_EQ(ec, errc::outcome_unknown) << ec.message();
    EXPECT_TRUE(may_have_applied(ec));
  }
  ASSERT_TRUE(answers_again());
  EXPECT_EQ(zookeeper.children("/log").size(), static_cast<std::size_t>(rounds));
  EXPECT_TRUE(held.held());
}

TEST_F(guarded_write, f08_with_a_lost_request_is_unknown_and_not_applied) {
  zookeeper.lose_next_request(0);
  std::error_code ec;
  here.transaction().guarded_by(held).create("/a").commit(ec);
  EXPECT_EQ(ec, errc::outcome_unknown) << ec.message();
  ASSERT_TRUE(eventually([&] { return here.state() == session_state::connected; }));
  EXPECT_FALSE(zookeeper.exists("/a"));
}

TEST_F(guarded_write, f08_of_unknown_outcome_is_settled_by_the_same_again_with_a_node_of_its_own_name) {
  for (const bool applied : {true, false}) {
    const std::string receipt = applied ? "/receipt-1" : "/receipt-2";
    applied ? zookeeper.lose_next_reply(0) : zookeeper.lose_next_request(0);
    const auto attempt = [&] {
      std::error_code ec;
      here.transaction().guarded_by(held).set("/config", "new").create(receipt).commit(ec);
      return ec;
    };
    EXPECT_EQ(attempt(), errc::outcome_unknown);
    std::error_code second;
    ASSERT_TRUE(eventually([&] {
      second = attempt();
      return second != errc::not_connected && second != errc::outcome_unknown;
    }));
    EXPECT_EQ(second, applied ? make_error_code(errc::node_exists) : std::error_code());
  }
  EXPECT_NO_THROW(here.transaction().check("/config", 2).commit()) << "each was applied once";
}

/// Commits whose answers do not come, on a session of their own.
struct unanswered {
  explicit unanswered(testing::fake_ensemble& at) : zookeeper(at) {
    EXPECT_TRUE(here->wait_connected_for(30s));
    zookeeper.hold_replies(1);
    asked_before = zookeeper.request_count(1);
    committing = std::jthread([this] { transaction(here->transaction()).create("/unanswered").commit(ec); });
    EXPECT_TRUE(eventually([this] { return zookeeper.request_count(1) > asked_before; }));
  }
  testing::fake_ensemble& zookeeper;
  std::optional<session> here{std::in_place, zookeeper.clients(1), session_options{.timeout = 60s}};
  std::uint64_t asked_before = 0;
  std::error_code ec;
  std::jthread committing;
};

TEST_F(guarded_write, f08_that_is_under_way_ends_with_the_session_and_is_unknown) {
  unanswered closed(zookeeper);
  std::error_code ignored;
  closed.here->close(ignored);
  closed.committing.join();
  EXPECT_EQ(closed.ec, errc::outcome_unknown) << closed.ec.message();
  EXPECT_TRUE(zookeeper.exists("/unanswered")) << "it was applied, though the client could not know";
}

TEST_F(guarded_write, f08_that_is_under_way_ends_with_the_session_object) {
  unanswered destroyed(zookeeper);
  destroyed.here.reset();
  destroyed.committing.join();
  EXPECT_EQ(destroyed.ec, errc::outcome_unknown) << destroyed.ec.message();
}

TEST_F(guarded_write, f08_under_way_when_the_deadline_passes_is_unknown_and_never_lost) {
  session quick(zookeeper.clients(1), {.timeout = 1s});
  recursive_mutex lock(quick, "/locks/quick");
  const grant guard = lock.acquire();
  zookeeper.hold_replies(1);
  std::error_code ec;
  quick.transaction().guarded_by(guard).create("/written").commit(ec);
  EXPECT_EQ(ec, errc::outcome_unknown) << ec.message();
  EXPECT_TRUE(zookeeper.exists("/written"));
  ASSERT_TRUE(eventually([&] { return !guard.held(); }));
  quick.transaction().guarded_by(guard).create("/late").commit(ec);
  EXPECT_EQ(ec, errc::lost) << "what has not been sent is known not to be done";
  EXPECT_FALSE(zookeeper.exists("/late"));
}

TEST_F(guarded_write, f96_after_an_expiry_is_lost_whether_or_not_the_client_knows) {
  ASSERT_TRUE(zookeeper.create_node("/log"));
  for (int round = 0; round < 20; ++round) {
    grant guard = round == 0 ? std::move(held) : orders.acquire();
    ASSERT_TRUE(guard.held());
    zookeeper.expire_sessions(0);
    std::error_code ec;
    here.transaction().guarded_by(guard).create("/log/n-", {}, create_mode::persistent_sequential).commit(ec);
    EXPECT_TRUE(ec == errc::lost || ec == errc::outcome_unknown || ec == errc::not_connected) << ec.message();
    EXPECT_TRUE(zookeeper.children("/log").empty());
    ASSERT_TRUE(eventually([&] { return !guard.held(); }));
    guard.release(ec);
  }
}

TEST_F(guarded_write, in_a_notice_of_loss_is_answered) {
  recursive_mutex stock(here, "/locks/stock");
  const grant other = stock.acquire();
  std::error_code ec = errc::server_error;
  bool told = false;
  std::mutex mutex;
  std::condition_variable changed;
  const std::stop_callback on_loss(held.lost(), [&] {
    std::error_code answer;
    here.transaction().guarded_by(other).create("/noted").commit(answer);
    const std::scoped_lock lock(mutex);
    ec = answer;
    told = true;
    changed.notify_all();
  });
  ASSERT_TRUE(zookeeper.remove_node(held.node()));
  std::error_code lost;
  here.transaction().guarded_by(held).create("/a").commit(lost);  // has the session look at once
  EXPECT_EQ(lost, errc::lost);
  std::unique_lock lock(mutex);
  ASSERT_TRUE(changed.wait_for(lock, 30s, [&] { return told; }));
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_TRUE(zookeeper.exists("/noted"));
}

TEST_F(guarded_write, by_many_threads_at_once_are_all_answered) {
  ASSERT_TRUE(zookeeper.create_node("/log"));
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(here.transaction()
                      .guarded_by(held)
                      .create("/log/n-", {}, create_mode::persistent_sequential)
                      .commit()
                      .size(),
                  1U);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(zookeeper.children("/log").size(), 200U);
}

TEST_F(guarded_write, f08_by_many_threads_while_the_session_is_closed_are_all_answered_and_truly) {
  for (int round = 0; round < 20; ++round) {
    const std::string log = "/log-" + std::to_string(round);
    ASSERT_TRUE(zookeeper.create_node(log));
    session closing(zookeeper.clients(1));
    recursive_mutex lock(closing, "/locks/closing");
    const grant guard = lock.acquire();
    std::atomic<std::size_t> applied = 0;
    std::atomic<std::size_t> unknown = 0;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&] {
        for (std::error_code ec; ec != errc::session_closed;) {
          closing.transaction()
              .guarded_by(guard)
              .create(log + "/n-", {}, create_mode::persistent_sequential)
              .commit(ec);
          applied += ec ? 0 : 1;
          unknown += may_have_applied(ec) ? 1 : 0;
        }
      });
    }
    ASSERT_TRUE(eventually([&] { return applied >= 3; }));
    std::error_code ignored;
    closing.close(ignored);
    threads.clear();
    const std::size_t written = zookeeper.children(log).size();
    EXPECT_GE(written, applied);
    EXPECT_LE(written, applied + unknown);
  }
}

}  // namespace
}  // namespace zklock
