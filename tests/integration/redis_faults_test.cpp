// What locks on Redis and Tair admit (rows F90 to F97 of docs/design/faults.md), tried on real servers.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <algorithm>
#include <atomic>
#include <future>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

class coming_from_redis : public on_a_server {
 protected:
  coming_from_redis() { EXPECT_TRUE(one_.wait_connected_for(patience) && other_.wait_connected_for(patience)); }
  session& one_ = open();
  session& other_ = open();
};

/// The time that a node says is for people.
TEST_F(coming_from_redis, f90_a_holder_whose_clock_is_wrong_by_years_holds_until_its_node_goes) {
  recursive_mutex lock(one_, "/lock");
  lock.acquire().release();  // the lock node is made
  for (const char* when : {"1970-01-01T00:00:00.000Z", "2999-12-31T23:59:59.000Z"}) {
    const std::string node = full("/lock/0123456789abcdef0123456789abcdef-lock-");
    const auto made = server_.ask(client::request::create{node,
                                                          std::string("host=10.0.0.9\npid=1\nsince=") + when + "\n",
                                                          client::create_mode::ephemeral_sequential,
                                                          {{}}});
    ASSERT_EQ(made.code, client::code::ok);
    EXPECT_FALSE(lock.try_acquire());
    auto waiting = queue_up(lock, 2);
    EXPECT_FALSE(ready(waiting, 100ms)) << when;
    ASSERT_TRUE(server_.remove(made.name));
    EXPECT_TRUE(waiting.get().held()) << when;
    ASSERT_TRUE(queue_grows_to(0));
  }
}

TEST_F(coming_from_redis, f91_tries_in_vain_change_nothing_of_the_holders_node) {
  recursive_mutex lock(one_, "/lock"), others(other_, "/lock");
  grant held = lock.acquire();
  const std::string node = full(held.node());
  const auto before = server_.look(node);
  const std::string data = server_.data(node);
  ASSERT_TRUE(before);
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_FALSE(others.try_acquire());
  }
  const auto behind = server_.look(node);
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->czxid, before->czxid);
  EXPECT_EQ(behind->mzxid, before->mzxid);
  EXPECT_EQ(server_.data(node), data);
  std::error_code ec;
  held.release(ec);
  EXPECT_FALSE(ec) << ec.message();
}

TEST_F(coming_from_redis, f92_of_many_waiters_behind_a_dead_holder_one_is_granted) {
  proxy& way = new_proxy();
  session& dying = open_through(way, {.timeout = 4s});
  recursive_mutex lock(dying, "/lock");
  const grant held = lock.acquire();
  constexpr std::size_t many = 50;
  recursive_mutex first(one_, "/lock"), second(other_, "/lock");
  std::atomic<int> inside = 0, most = 0;
  std::vector<std::future<void>> waiting;
  for (std::size_t i = 0; i < many; ++i) {
    waiting.push_back(in_a_thread([&, i] {
      const grant mine = acquire_patiently(i % 2 == 0 ? first : second);
      const int now = ++inside;
      most = std::max<int>(most, now);
      std::this_thread::sleep_for(1ms);  // work
      --inside;
    }));
  }
  ASSERT_TRUE(queue_grows_to(many + 1));
  expire_behind(way);
  for (std::future<void>& one : waiting) {
    one.get();
  }
  EXPECT_EQ(most, 1);
}

TEST_F(coming_from_redis, f94_work_that_outlives_its_bound_is_told_and_its_late_write_is_refused) {
  recursive_mutex lock(one_, "/lock", {.max_hold = 200ms}), others(other_, "/lock");
  others.acquire().release();  // what is above is made
  one_.transaction().create("/stock", "0").commit();
  const grant held = lock.acquire();
  auto waiting = queue_up(others, 2);
  const auto end = held.valid_until();
  const grant next = waiting.get();
  EXPECT_GE(boot_clock::now(), end + one_.margin()) << "the holder has had its margin";
  EXPECT_FALSE(held.held());
  EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
  EXPECT_EQ(held.loss_reason(), loss_reason::held_too_long);
  EXPECT_GT(next.token(), held.token());
  std::error_code ec;
  one_.transaction().guarded_by(held).set("/stock", "late").commit(ec);
  EXPECT_EQ(ec, errc::lost);
  other_.transaction().guarded_by(next).set("/stock", "1").commit();
  EXPECT_EQ(one_.get("/stock", {.fresh = true})->data, "1");
}

struct holds_three {
  test_support::private_zookeeper zookeeper{{.servers = 3, .tick_time = 250ms}};
};

class an_ensemble : protected holds_three, public on_a_server {
 protected:
  an_ensemble() : on_a_server(zookeeper.connect_string()) {}
};

TEST_F(an_ensemble, f97_whose_leader_dies_right_behind_the_grant_is_held_still_and_by_nobody_else) {
  session& one = open_at(zookeeper.connect_string(), {.timeout = 10s});
  session& other = open_at(zookeeper.connect_string(), {.timeout = 10s});
  ASSERT_TRUE(one.wait_connected_for(patience) && other.wait_connected_for(patience));
  recursive_mutex lock(one, "/lock"), others(other, "/lock");
  fencing_token last{};
  for (int round = 0; round < 3; ++round) {
    const std::size_t leader = zookeeper.leader().value();
    grant held = acquire_patiently(lock);
    zookeeper.kill(leader);
    ASSERT_TRUE(held);
    EXPECT_GT(held.token(), last);
    last = held.token();
    std::error_code ec;
    const grant second = others.try_acquire_for(1s, ec);  // not in time, or no server has answered
    EXPECT_FALSE(second);
    zookeeper.restart(leader);
    ASSERT_TRUE(eventually([&] { return zookeeper.leader().has_value() && one.state() == session_state::connected; }));
    if (held.held()) {  // an election that took longer than the deadline would have cost the hold, and rightly
      const auto node = other.get(held.node(), {.fresh = true, .time_limit = patience});
      ASSERT_TRUE(node);
      EXPECT_EQ(node->czxid, held.token().czxid) << "the same node";
    }
    held = {};
    grant next = acquire_patiently(others);
    EXPECT_GT(next.token(), last);
    last = next.token();
  }
}

}  // namespace
}  // namespace zklock::test
