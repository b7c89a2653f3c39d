// How a wait ends without a grant: in time, on request, with its lock, with its session. Nothing may be left.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tests/integration/on_a_server.hpp"
#include "tests/support/loopback.hpp"

namespace zklock::test {
namespace {

class a_wait : public on_a_server {
 protected:
  void TearDown() override {
    held = {};
    on_a_server::TearDown();
  }

  recursive_mutex holder{open(), "/lock"};
  grant held = holder.acquire();
};

TEST_F(a_wait, f29_f30_f37_that_is_not_answered_in_time_gives_an_empty_grant_and_leaves_nothing) {
  recursive_mutex lock(open(), "/lock");
  for (int round = 0; round < 20; ++round) {
    std::error_code ec = errc::lost;
    EXPECT_FALSE(lock.try_acquire_for(5ms, ec));
    EXPECT_TRUE(!ec || ec == errc::not_connected) << ec.message();  // as soon as the server is
    EXPECT_FALSE(lock.try_acquire(ec));
    EXPECT_FALSE(ec) << ec.message();
  }
  EXPECT_TRUE(eventually([&] { return contenders().size() == 1; }));
  EXPECT_TRUE(held.held());
  held.release();
  EXPECT_TRUE(lock.try_acquire().held());
}

TEST_F(a_wait, that_is_not_answered_in_time_lets_the_next_one_through) {
  recursive_mutex impatient(open(), "/lock");
  recursive_mutex patient(open(), "/lock");
  auto leaves = in_a_thread([&] { return impatient.try_acquire_for(1s); });
  ASSERT_TRUE(queue_grows_to(2));
  auto stays = in_a_thread([&] { return acquire_patiently(patient); });
  EXPECT_FALSE(leaves.get());
  ASSERT_TRUE(queue_grows_to(2));
  held.release();
  EXPECT_TRUE(stays.get().held());
}

TEST_F(a_wait, ends_at_once_when_stop_is_requested) {
  recursive_mutex lock(open(), "/lock");
  std::stop_source stop;
  std::error_code ec;
  auto waiting = in_a_thread([&] { return lock.acquire(stop.get_token(), ec); });
  ASSERT_TRUE(queue_grows_to(2));
  stop.request_stop();
  EXPECT_FALSE(waiting.get());
  EXPECT_EQ(ec, errc::abandoned);
  EXPECT_EQ(ec, std::errc::operation_canceled);
  EXPECT_TRUE(eventually([&] { return contenders().size() == 1; }));

  EXPECT_FALSE(lock.try_acquire_for(patience, stop.get_token(), ec)) << "a stop requested before the call";
  EXPECT_EQ(ec, errc::abandoned);
  try {
    static_cast<void>(lock.acquire(stop.get_token()));
    FAIL() << "granted though stopped";
  } catch (const error& told) {
    EXPECT_EQ(told.code(), errc::abandoned);
    EXPECT_EQ(told.path(), "/lock");
  }
}

TEST_F(a_wait, f38_ends_when_its_lock_is_destroyed) {
  auto lock = std::make_unique<recursive_mutex>(open(), "/lock");
  std::error_code ec;
  auto waiting = in_a_thread([&, raw = lock.get()] { return raw->acquire(ec); });
  ASSERT_TRUE(queue_grows_to(2));
  lock.reset();
  EXPECT_FALSE(waiting.get());
  EXPECT_EQ(ec, errc::abandoned);
  EXPECT_TRUE(eventually([&] { return contenders().size() == 1; }));
}

TEST_F(a_wait, f26_ends_when_its_session_is_closed_and_the_closed_session_refuses_everything) {
  session& other = open();
  recursive_mutex lock(other, "/lock");
  recursive_mutex second(other, "/lock");
  std::error_code ec;
  std::error_code second_ec;
  auto waiting = in_a_thread([&] { return lock.acquire(ec); });
  auto second_waiting = in_a_thread([&] { return second.acquire(second_ec); });
  ASSERT_TRUE(queue_grows_to(3));
  other.close();
  EXPECT_FALSE(waiting.get());
  EXPECT_FALSE(second_waiting.get());
  EXPECT_EQ(ec, errc::session_closed);
  EXPECT_EQ(second_ec, errc::session_closed);
  EXPECT_EQ(other.state(), session_state::closed);
  EXPECT_EQ(contenders().size(), 1U) << "close() returns when they are gone";

  EXPECT_FALSE(lock.acquire(ec));
  EXPECT_EQ(ec, errc::session_closed);
  EXPECT_FALSE(lock.try_acquire(ec));
  EXPECT_EQ(ec, errc::session_closed);
  EXPECT_FALSE(other.wait_connected_for(patience));
  other.close(ec);
  EXPECT_FALSE(ec) << "later calls do nothing";
}

TEST_F(a_wait, ends_when_its_session_is_destroyed) {
  auto other = std::make_unique<session>("127.0.0.1:" + std::to_string(port_) + root_);
  recursive_mutex lock(*other, "/lock");
  std::error_code ec;
  auto waiting = in_a_thread([&] { return lock.acquire(ec); });
  ASSERT_TRUE(queue_grows_to(2));
  other.reset();
  EXPECT_FALSE(waiting.get());
  EXPECT_EQ(ec, errc::session_closed);
}

// What a reconnect has to carry in one packet is bounded, and what is below the bound survives one.
TEST_F(a_wait, f83_that_would_be_too_much_for_a_reconnect_is_refused_and_the_others_survive_one) {
  const std::string path = "/" + std::string(40'000, 'x');
  proxy& way = new_proxy();
  session& crowded = open_through(way);
  shared_mutex far(open(), path);
  shared_mutex near(crowded, path);
  grant first = far.write().acquire();
  std::atomic<int> refused = 0;
  std::vector<std::future<std::error_code>> waiting;
  for (int number = 0; number < 30; ++number) {  // readers: two watches each
    waiting.push_back(in_a_thread([&] {
      std::error_code ec;
      const grant mine = near.read().acquire(ec);
      refused += ec == errc::too_many_watches ? 1 : 0;
      return ec;
    }));
  }
  EXPECT_TRUE(eventually([&] { return refused > 0; }));
  EXPECT_TRUE(
      eventually([&] { return contenders(path).size() + static_cast<std::size_t>(refused) == 1 + waiting.size(); }));
  EXPECT_GT(contenders(path).size(), 5U);
  const std::size_t before = way.accepted();
  way.cut_now();
  EXPECT_TRUE(eventually([&] { return way.accepted() > before && crowded.state() == session_state::connected; }));
  first.release();
  EXPECT_TRUE(far.write().acquire().held()) << "behind all others";
  for (auto& one : waiting) {
    const std::error_code ec = one.get();
    EXPECT_TRUE(!ec || ec == errc::too_many_watches) << ec.message();
  }
  EXPECT_EQ(way.accepted(), before + 1) << "the server has not cut the connection again";
}

TEST_F(a_wait, is_told_apart_from_an_error_by_the_std_names) {
  recursive_mutex lock(open(), "/lock");
  EXPECT_FALSE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock_for(500ms));
  EXPECT_FALSE(lock.try_lock_until(std::chrono::steady_clock::now() + 500ms));
  session& closed = open();
  closed.close();
  recursive_mutex refused(closed, "/lock");
  EXPECT_THROW(refused.lock(), error);
  EXPECT_THROW(static_cast<void>(refused.try_lock()), error);
}

using without_a_server = on_a_server;

// Refused, silent and slow traffic.
TEST_F(without_a_server, f27_the_caller_is_answered_at_its_limit_with_not_connected) {
  const std::uint16_t unused_port = [] {
    const auto listener = test_support::listen_on_loopback();
    return test_support::local_port(listener);
  }();
  proxy& silent = new_proxy();
  silent.set_mode(proxy_mode::hold);
  proxy& deaf = new_proxy();
  deaf.set_mode(proxy_mode::hold_replies);
  for (const std::string& address : {"127.0.0.1:" + std::to_string(unused_port), silent.address(), deaf.address()}) {
    session& one = open_at(address, {.timeout = 2s});
    EXPECT_FALSE(one.wait_connected_for(10ms)) << address;
    recursive_mutex lock(one, "/lock");
    std::error_code ec;
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_FALSE(lock.try_acquire_for(200ms, ec)) << address;
    EXPECT_EQ(ec, errc::not_connected) << address;
    EXPECT_GE(std::chrono::steady_clock::now() - begun, 200ms) << address;
    EXPECT_TRUE(is_transient(ec));
    EXPECT_FALSE(lock.try_acquire(ec)) << address;
    EXPECT_EQ(ec, errc::not_connected) << address;
    EXPECT_THROW(static_cast<void>(lock.try_lock_for(1ms)), error) << address;
  }
}

TEST_F(without_a_server, an_acquire_waits_for_one_and_is_granted_when_it_comes) {
  proxy& way = new_proxy();
  way.set_mode(proxy_mode::cut);
  session& one = open_through(way, {.timeout = 2s});
  EXPECT_EQ(one.state(), session_state::connecting);
  recursive_mutex lock(one, "/lock");
  auto waiting = in_a_thread([&] { return acquire_patiently(lock); });
  EXPECT_TRUE(eventually([&] { return way.accepted() > 0; }));
  way.set_mode(proxy_mode::pass);
  EXPECT_TRUE(waiting.get().held());
  EXPECT_EQ(one.state(), session_state::connected);
}

TEST_F(without_a_server, a_try_is_refused_while_the_session_is_suspended) {
  proxy& way = new_proxy();
  session& one = open_through(way);
  recursive_mutex lock(one, "/lock");
  lock.acquire().release();
  way.set_mode(proxy_mode::cut);
  ASSERT_TRUE(eventually([&] { return one.state() == session_state::suspended; }));
  std::error_code ec;
  EXPECT_FALSE(lock.try_acquire(ec));
  EXPECT_EQ(ec, errc::not_connected);
  EXPECT_FALSE(lock.try_acquire_for(50ms, ec));
  EXPECT_EQ(ec, errc::not_connected);
  way.set_mode(proxy_mode::pass);
  EXPECT_TRUE(acquire_patiently(lock).held());
}

TEST_F(without_a_server, f29_f85_an_abandoned_create_is_found_and_removed_when_the_answers_come_late) {
  proxy& way = new_proxy();
  session& one = open_through(way);
  recursive_mutex lock(one, "/lock");
  lock.acquire().release();
  way.set_mode(proxy_mode::hold_replies);
  std::error_code ec;
  EXPECT_FALSE(lock.try_acquire_for(50ms, ec));
  EXPECT_EQ(ec, errc::not_connected);
  ASSERT_TRUE(queue_grows_to(1)) << "the create was applied";
  way.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] { return contenders().empty(); }));
}

}  // namespace
}  // namespace zklock::test
