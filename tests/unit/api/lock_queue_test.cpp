#include <gtest/gtest.h>

#include <zklock/mutex.hpp>
#include <zklock/testing/fake_ensemble.hpp>

#include <unistd.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/support/eventually.hpp"

/// queue(), as the user of a lock sees it.
namespace zklock {
namespace {

using namespace std::chrono_literals;
using test_support::eventually;

TEST(lock_queue, f51_tells_holders_and_waiters_first_come_first) {
  testing::fake_ensemble zookeeper;
  session one(zookeeper.clients(0), {.label = "the first"});
  session other(zookeeper.clients(1));
  recursive_mutex mine(one, "/locks/orders");
  recursive_mutex theirs(other, "/locks/orders", {.label = "the second", .acl = {}});
  const auto before = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  EXPECT_TRUE(mine.queue().empty()) << "there is no lock node yet";
  const grant held = mine.acquire();
  std::jthread waiting([&theirs](const std::stop_token& stop) {
    std::error_code abandoned;
    static_cast<void>(theirs.acquire(stop, abandoned));
  });
  ASSERT_TRUE(eventually([&] { return zookeeper.children("/locks/orders").size() == 2; }));

  const std::vector<participant> queue = theirs.queue();
  ASSERT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue[0].position, 0U);
  EXPECT_EQ(queue[0].state, participant_state::held);
  EXPECT_EQ(queue[0].kind, participant_kind::mutex);
  EXPECT_EQ(queue[0].node, held.node());
  EXPECT_EQ(queue[0].token, held.token());
  EXPECT_EQ(queue[0].label, "the first");
  EXPECT_EQ(queue[0].pid, getpid());
  EXPECT_FALSE(queue[0].host.empty());
  EXPECT_GE(queue[0].since, before);
  EXPECT_EQ(queue[1].position, 1U);
  EXPECT_EQ(queue[1].state, participant_state::waiting);
  EXPECT_EQ(queue[1].label, "the second");
  EXPECT_GT(queue[1].token, queue[0].token);
  EXPECT_EQ(mine.queue(), queue) << "any object on the path sees the same";
  EXPECT_EQ(zookeeper.watch_count(0), 0U) << "a look leaves no watch";
}

TEST(lock_queue, f51_of_other_libraries_nodes_tells_what_is_known) {
  testing::fake_ensemble zookeeper;
  session one(zookeeper.clients());
  recursive_mutex lock(one, "/l");
  ASSERT_TRUE(zookeeper.create_node("/l"));
  ASSERT_TRUE(zookeeper.create_node("/l/_c_1b4e28ba-2fa1-11d2-883f-0016d3cca427-lock-0000000007", "10.0.0.9"));
  ASSERT_TRUE(zookeeper.create_node("/l/0fd3c0ffee0fd3c0ffee0fd3c0ffee00__lock__0000000008", "a kazoo\x1b\xff"));
  ASSERT_TRUE(zookeeper.create_node("/l/not a contender", "mode=write\nhost=h\n"));
  const std::vector<participant> queue = lock.queue();
  ASSERT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue[0].label, "10.0.0.9");
  EXPECT_EQ(queue[0].host, "");
  EXPECT_EQ(queue[0].pid, std::nullopt);
  EXPECT_EQ(queue[0].since, std::nullopt);
  EXPECT_GT(queue[0].token.czxid, 0);
  EXPECT_EQ(queue[1].label, "a kazoo\x1b\xff");
}

TEST(lock_queue, f51_believes_no_time_that_its_clock_cannot_hold) {
  testing::fake_ensemble zookeeper;
  session one(zookeeper.clients());
  recursive_mutex lock(one, "/l");
  ASSERT_TRUE(zookeeper.create_node("/l"));
  ASSERT_TRUE(zookeeper.create_node("/l/a-lock-0000000000", "mode=write\nhost=h\ntime=9999-12-31T00:00:00Z\n"));
  const std::vector<participant> queue = lock.queue();
  ASSERT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue[0].host, "h");
  EXPECT_EQ(queue[0].since, std::nullopt);
}

TEST(lock_queue, f105_a_label_cannot_forge_another_participant_nor_its_own_state) {
  testing::fake_ensemble zookeeper;
  session one(zookeeper.clients());
  recursive_mutex lock(one, "/l");
  ASSERT_TRUE(zookeeper.create_node("/l"));
  ASSERT_TRUE(
      zookeeper.create_node("/l/a-lock-0000000000", "mode=write\nhost=h\npid=1\nlabel=x\nmode=read\nhost=forged\n"));
  const std::vector<participant> queue = lock.queue();
  ASSERT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue[0].host, "h");
  EXPECT_EQ(queue[0].label, "x");
  EXPECT_EQ(queue[0].kind, participant_kind::mutex);
}

TEST(lock_queue, is_asked_for_within_the_limit_of_one_try) {
  testing::fake_ensemble zookeeper;
  zookeeper.refuse();
  session one(zookeeper.clients());
  recursive_mutex lock(one, "/l", {.label = {}, .acl = {}, .try_time_limit = 50ms});
  std::error_code ec;
  EXPECT_TRUE(lock.queue(ec).empty());
  EXPECT_EQ(ec, errc::not_connected);
  try {
    static_cast<void>(lock.queue());
    FAIL() << "it should have thrown";
  } catch (const error& told) {
    EXPECT_EQ(told.code(), errc::not_connected);
    EXPECT_STREQ(told.what(), "list the queue of /l: no server answered in time");
  }
  zookeeper.restore();
  recursive_mutex patient(one, "/l", {.label = {}, .acl = {}, .try_time_limit = 30s});
  EXPECT_TRUE(patient.queue(ec).empty());
  EXPECT_FALSE(ec) << ec.message();
}

TEST(lock_queue, survives_a_connection_that_is_lost_on_the_way) {
  testing::fake_ensemble zookeeper;
  session one(zookeeper.clients());
  recursive_mutex lock(one, "/l", {.label = {}, .acl = {}, .try_time_limit = 30s});
  const grant held = lock.acquire();
  for (int round = 0; round < 10; ++round) {
    zookeeper.lose_next_reply(0);
    const std::vector<participant> queue = lock.queue();
    ASSERT_EQ(queue.size(), 1U);
    EXPECT_EQ(queue[0].node, held.node());
  }
}

/// A session whose questions are asked, and not answered.
struct unanswered {
  unanswered() {
    const grant first = lock->acquire();  // so that it is connected
    zookeeper.hold_replies();
    asked_before = zookeeper.request_count();
  }
  ~unanswered() { zookeeper.restore(); }
  [[nodiscard]] bool is_asked() const {
    return eventually([this] { return zookeeper.request_count() > asked_before + 1; });
  }
  testing::fake_ensemble zookeeper;
  session here{zookeeper.clients()};
  std::unique_ptr<recursive_mutex> lock =
      std::make_unique<recursive_mutex>(here, "/l", lock_options{.label = {}, .acl = {}, .try_time_limit = 30s});
  std::uint64_t asked_before = 0;
};

TEST(lock_queue, that_is_asked_for_ends_with_its_session_and_is_refused_afterwards) {
  unanswered silence;
  std::error_code asked;
  std::jthread asking([&] { static_cast<void>(silence.lock->queue(asked)); });
  ASSERT_TRUE(silence.is_asked());
  std::error_code ignored;
  silence.here.close(ignored);
  asking.join();
  EXPECT_EQ(asked, errc::session_closed);
  std::error_code late;
  EXPECT_TRUE(silence.lock->queue(late).empty());
  EXPECT_EQ(late, errc::session_closed);
}

TEST(lock_queue, that_is_asked_for_ends_with_its_lock_object) {
  unanswered silence;
  std::error_code ec;
  std::jthread asking([&ec, &lock = *silence.lock] { static_cast<void>(lock.queue(ec)); });
  ASSERT_TRUE(silence.is_asked());
  silence.lock.reset();
  asking.join();
  EXPECT_EQ(ec, errc::abandoned);
}

}  // namespace
}  // namespace zklock
