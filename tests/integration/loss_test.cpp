// A hold is lost, and its holder is told: by the deadline, by an expiry, by an operator.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>

#include "tests/integration/on_a_server.hpp"
#include "tests/support/error_from.hpp"

namespace zklock::test {
namespace {

/// What a notice of loss has said.
class notice {
 public:
  explicit notice(const grant& watched) : callback_(watched.lost(), [this] { ++count_; }) {}
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] bool comes() const {
    return eventually([this] { return count_ > 0; });
  }

 private:
  std::atomic<int> count_ = 0;
  std::stop_callback<std::function<void()>> callback_;
};

class a_loss : public on_a_server {
 protected:
  static void expect_lost(grant& held, loss_reason why) {
    EXPECT_FALSE(held.held());
    EXPECT_TRUE(held) << "it still holds an acquisition";
    EXPECT_EQ(held.loss_reason(), why) << to_string(held.loss_reason());
    EXPECT_TRUE(held.lost().stop_requested());
  }
};

// The last instant at which the first says held is before the grant to the second.
TEST_F(a_loss, f10_f15_by_the_deadline_comes_before_the_server_lets_the_next_one_in) {
  for (const proxy_mode fault : {proxy_mode::cut, proxy_mode::hold, proxy_mode::hold_requests}) {
    proxy& way = new_proxy();
    session& cut = open_through(way, {.timeout = 2s});
    recursive_mutex first(cut, "/lock");
    recursive_mutex second(open(), "/lock");
    grant held = first.acquire();
    const notice told(held);
    boot_clock::time_point granted_at;
    auto waiting = in_a_thread([&] {
      grant next = acquire_patiently(second);
      granted_at = boot_clock::now();
      return next;
    });
    ASSERT_TRUE(queue_grows_to(2));
    way.set_mode(fault);
    boot_clock::time_point last_held;
    while (held.held()) {
      last_held = boot_clock::now();
      std::this_thread::sleep_for(1ms);
    }
    const auto deadline = held.valid_until();
    const grant next = waiting.get();
    EXPECT_LT(last_held, granted_at);
    EXPECT_LE(last_held, deadline);
    EXPECT_LT(deadline, granted_at);
    EXPECT_TRUE(told.comes());
    EXPECT_EQ(told.count(), 1);
    expect_lost(held, loss_reason::deadline_passed);
    EXPECT_GT(next.token(), held.token());
    way.set_mode(proxy_mode::pass);
  }
}

TEST_F(a_loss, f14_f17_f40_f45_by_the_deadline_is_final_and_a_new_session_takes_part_again) {
  proxy& way = new_proxy();
  session& cut = open_through(way, {.timeout = 2s});
  recursive_mutex lock(cut, "/lock");
  grant held = lock.as(owner::this_thread()).acquire();
  const std::int64_t old_session = way.last_session().id;
  way.set_mode(proxy_mode::hold_replies);
  ASSERT_TRUE(eventually([&] { return !held.held(); }));
  way.set_mode(proxy_mode::pass);
  ASSERT_TRUE(eventually([&] { return cut.state() == session_state::connected; }));
  expect_lost(held, loss_reason::deadline_passed);
  std::error_code ec;
  EXPECT_FALSE(lock.as(owner::this_thread()).try_acquire(ec)) << "no re-entry into a lost hold";
  EXPECT_EQ(ec, errc::lost);
  EXPECT_FALSE(lock.held());
  EXPECT_EQ(lock.token(), held.token());

  held.release(ec);
  EXPECT_EQ(ec, errc::lost);
  const grant again = acquire_patiently(lock);
  EXPECT_TRUE(again.held());
  EXPECT_GT(again.token(), held.token());
  const auto stat = server_.look(root_ + again.node());
  ASSERT_TRUE(stat);
  EXPECT_NE(stat->ephemeral_owner, old_session) << "a session whose hold was lost is never resumed";
}

TEST_F(a_loss, f10_f14_by_expiry_is_told_once_and_the_object_takes_part_again) {
  proxy& way = new_proxy();
  session& one = open_through(way);
  std::atomic<int> expiries = 0;
  const session_observer counts =
      one.observe([&](const session_change& now) { expiries += now.state == session_state::expired ? 1 : 0; });
  recursive_mutex lock(one, "/lock");
  grant held = lock.acquire();
  const fencing_token token = held.token();
  const notice told(held);
  expire_behind(way);
  EXPECT_TRUE(contenders().empty());
  way.set_mode(proxy_mode::pass);
  ASSERT_TRUE(told.comes());
  expect_lost(held, loss_reason::session_expired);
  EXPECT_EQ(held.token(), token);
  EXPECT_EQ(test_support::error_from([&] { held.release(); }).first, errc::lost);
  EXPECT_FALSE(held) << "and it is empty all the same";
  const grant again = acquire_patiently(lock);
  EXPECT_TRUE(again.held());
  EXPECT_GT(again.token(), token);
  EXPECT_EQ(told.count(), 1);
  EXPECT_EQ(expiries, 1);
}

TEST_F(a_loss, f35_f45_of_what_lock_has_taken_makes_unlock_quiet) {
  proxy& way = new_proxy();
  recursive_mutex lock(open_through(way), "/lock");
  lock.lock();
  lock.lock();
  const std::stop_token lost = lock.lost();
  const fencing_token token = lock.token();
  expire_behind(way);
  way.set_mode(proxy_mode::pass);
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  EXPECT_FALSE(lock.held());
  EXPECT_EQ(lock.token(), token);
  EXPECT_THROW(lock.lock(), error);
  lock.unlock();
  EXPECT_THROW(lock.lock(), error) << "until every count is given back";
  lock.unlock();
  EXPECT_TRUE(lock.try_lock_for(patience));
  lock.unlock();
}

TEST_F(a_loss, f11_of_a_waiters_session_makes_it_queue_again_and_never_grants) {
  proxy& way = new_proxy();
  recursive_mutex holder(open(), "/lock");
  recursive_mutex waiter(open_through(way), "/lock");
  grant held = holder.acquire();
  auto waiting = queue_up(waiter, 2);
  const std::int64_t old_session = way.last_session().id;
  expire_behind(way);
  ASSERT_TRUE(queue_grows_to(1));
  way.set_mode(proxy_mode::pass);
  ASSERT_TRUE(queue_grows_to(2)) << "with a new node";
  EXPECT_FALSE(ready(waiting, 0ms));
  held.release();
  const grant next = waiting.get();
  EXPECT_TRUE(next.held());
  EXPECT_NE(server_.look(root_ + next.node())->ephemeral_owner, old_session);
}

TEST_F(a_loss, f09_f11_of_a_waiters_session_while_the_holder_leaves_grants_in_the_new_one_only) {
  proxy& way = new_proxy();
  recursive_mutex holder(open(), "/lock");
  recursive_mutex waiter(open_through(way), "/lock");
  grant held = holder.acquire();
  auto waiting = queue_up(waiter, 2);
  const std::int64_t old_session = way.last_session().id;
  expire_behind(way);
  held.release();
  way.set_mode(proxy_mode::pass);
  const grant next = waiting.get();
  ASSERT_TRUE(next.held());
  const auto stat = server_.look(root_ + next.node());
  ASSERT_TRUE(stat);
  EXPECT_NE(stat->ephemeral_owner, old_session);
  EXPECT_EQ(next.token().czxid, stat->czxid);
  EXPECT_EQ(contenders().size(), 1U);
}

TEST_F(a_loss, f13_by_an_operators_hand_is_told_at_once_and_hurts_no_other_client) {
  recursive_mutex first(open(), "/lock");
  recursive_mutex second(open(), "/lock");
  grant held = first.acquire();
  const notice told(held);
  auto waiting = queue_up(second, 2);
  ASSERT_TRUE(eventually([&] { return watched_paths().size() == 2; })) << "the holder watches its own node as well";
  ASSERT_TRUE(server_.remove(root_ + held.node()));
  ASSERT_TRUE(told.comes());
  expect_lost(held, loss_reason::node_removed);
  const grant next = waiting.get();
  EXPECT_TRUE(next.held());
  std::error_code ec;
  held.release(ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_TRUE(next.held());
  EXPECT_EQ(contenders().size(), 1U);
}

TEST_F(a_loss, f12_of_a_waiters_node_makes_it_queue_again) {
  recursive_mutex holder(open(), "/lock");
  recursive_mutex waiter(open(), "/lock");
  grant held = holder.acquire();
  auto waiting = queue_up(waiter, 2);
  ASSERT_TRUE(eventually([&] { return watched_paths().size() >= 2; }));
  std::string victim;
  for (const std::string& name : contenders()) {
    victim = "/lock/" + name != held.node() ? "/lock/" + name : victim;
  }
  ASSERT_TRUE(server_.remove(full(victim)));
  ASSERT_TRUE(eventually([&] { return contenders().size() == 2 && !server_.look(full(victim)); }));
  EXPECT_FALSE(ready(waiting, 0ms));
  held.release();
  const grant next = waiting.get();
  EXPECT_TRUE(next.held());
  EXPECT_NE(next.node(), victim);
}

TEST_F(a_loss, f103_is_not_put_off_by_reconnects_whose_answers_do_not_come) {
  proxy& way = new_proxy();
  recursive_mutex lock(open_through(way, {.timeout = 2s}), "/lock");
  const grant held = lock.acquire();
  // Connections come about, but nothing that is asked in them is answered.
  const hooks unanswered(way, {}, [](const reply_frame& answer) {
    return answer.opcode == opcode::handshake && answer.xid != test_support::event_xid ? verdict::pass
                                                                                       : verdict::cut_before;
  });
  const auto deadline = held.valid_until();
  EXPECT_TRUE(eventually([&] { return !held.held(); }));
  // An answer that had passed before may have moved it once more, but a reconnect has not.
  EXPECT_LE(held.valid_until(), deadline + 2s);
  EXPECT_EQ(held.loss_reason(), loss_reason::deadline_passed);
  EXPECT_GT(way.accepted(), 2U) << "it did reconnect meanwhile";
}

// The notice runs user code: releasing and locking again are legal there. Throwing is not.
TEST_F(a_loss, f24_f25_lets_its_callbacks_use_locks) {
  proxy& way = new_proxy();
  session& one = open_through(way);
  recursive_mutex lock(one, "/lock");
  recursive_mutex spare(open(), "/spare");
  grant held = lock.acquire();
  std::atomic<bool> first_done = false;
  std::atomic<bool> second_done = false;
  const std::stop_callback takes_another(held.lost(), [&] {
    std::error_code ec;
    held.release(ec);
    EXPECT_EQ(ec, errc::lost);
    grant again = spare.try_acquire_for(patience, ec);
    EXPECT_TRUE(again.held()) << ec.message();
    again.release(ec);
    EXPECT_FALSE(ec) << ec.message();
    first_done = true;
  });
  const std::stop_callback beside_it(held.lost(), [&] { second_done = true; });
  expire_behind(way);
  way.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] { return first_done && second_done; }));
}

// What it throws ends in the log. (A callback on a stop token must not throw: throwing_callback_test.cpp.)
TEST_F(a_loss, f25_is_told_beside_an_observer_that_throws_and_so_are_waiters) {
  proxy& way = new_proxy();
  session& one = open_through(way);
  std::atomic<int> thrown = 0;
  const session_observer throws = one.observe([&](const session_change&) {
    ++thrown;
    throw std::runtime_error("thrown by an observer");
  });
  recursive_mutex holder(open(), "/lock");
  recursive_mutex waiter(one, "/lock");
  recursive_mutex other(one, "/other");
  grant held = holder.acquire();
  const grant lost = other.acquire();
  const notice told(lost);
  auto waiting = queue_up(waiter, 2);
  expire_behind(way);
  way.set_mode(proxy_mode::pass);
  EXPECT_TRUE(told.comes());
  held.release();
  EXPECT_TRUE(waiting.get().held());
  EXPECT_TRUE(eventually([&] { return thrown > 0; }));
}

}  // namespace
}  // namespace zklock::test
