// Handing a mutex over on a real server: the std names and the eight forms, re-entry, the queue, tokens.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <mutex>
#include <thread>

#include "recipes/contender_name.hpp"
#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

class a_session : public on_a_server {};

using handing_over = on_a_server;

TEST_F(handing_over, two_sessions_exclude_each_other_and_hand_over) {
  recursive_mutex a(open(), "/lock");
  recursive_mutex b(open(), "/lock");
  grant first = a.acquire();
  ASSERT_TRUE(first.held());
  auto waiting = queue_up(b, 2);
  EXPECT_FALSE(ready(waiting, 0ms));
  first.release();
  const grant second = waiting.get();
  EXPECT_TRUE(second.held());
  EXPECT_FALSE(first.held());
  EXPECT_EQ(contenders().size(), 1U);
}

TEST_F(handing_over, the_std_guards_work) {
  recursive_mutex a(open(), "/a");
  recursive_mutex b(open(), "/b");
  {
    const std::scoped_lock both(a, b);
    EXPECT_TRUE(a.held());
    EXPECT_TRUE(b.held());
    EXPECT_GT(b.token().czxid, 0);
  }
  EXPECT_FALSE(a.held());
  {
    std::unique_lock guard(a, std::try_to_lock);
    EXPECT_TRUE(guard.owns_lock());
    guard.unlock();
    EXPECT_TRUE(guard.try_lock_for(patience));
    guard.unlock();
    EXPECT_TRUE(guard.try_lock_until(std::chrono::system_clock::now() + patience));
  }
  const std::lock_guard guard(b);
  EXPECT_TRUE(b.held());
}

TEST_F(handing_over, std_lock_takes_two_locks_in_opposite_orders_without_deadlock) {
  session& one = open();
  session& other = open();
  recursive_mutex a1(one, "/a");
  recursive_mutex b1(one, "/b");
  recursive_mutex a2(other, "/a");
  recursive_mutex b2(other, "/b");
  int unprotected = 0;
  const auto work = [&](recursive_mutex& first, recursive_mutex& second) {
    for (int round = 0; round < 10; ++round) {
      std::lock(first, second);
      const std::scoped_lock both(std::adopt_lock, first, second);
      ++unprotected;
    }
  };
  auto others = in_a_thread([&] { work(b2, a2); });
  work(a1, b1);
  others.get();
  EXPECT_EQ(unprotected, 20);
}

TEST_F(handing_over, each_form_of_acquire_gives_a_grant) {
  recursive_mutex lock(open(), "/lock");
  std::error_code ec;
  EXPECT_TRUE(lock.acquire().held());
  EXPECT_TRUE(lock.acquire(ec).held());
  EXPECT_TRUE(lock.try_acquire().held());
  EXPECT_TRUE(lock.try_acquire(ec).held());
  EXPECT_TRUE(lock.try_acquire_for(patience).held());
  EXPECT_TRUE(lock.try_acquire_for(patience, ec).held());
  EXPECT_TRUE(lock.try_acquire_until(std::chrono::steady_clock::now() + patience).held());
  EXPECT_TRUE(lock.try_acquire_until(std::chrono::system_clock::now() + patience, ec).held());
  EXPECT_TRUE(lock.try_acquire_for(std::chrono::hours::max()).held());
  EXPECT_FALSE(ec) << ec.message();
}

TEST_F(handing_over, f32_a_zero_negative_or_past_limit_is_one_try) {
  recursive_mutex holder(open(), "/held");
  const grant held = holder.acquire();
  session& other = open();
  recursive_mutex free(other, "/free");
  recursive_mutex taken(other, "/held");
  EXPECT_TRUE(free.try_acquire_for(0s).held());
  EXPECT_TRUE(free.try_acquire_for(-1h).held());
  EXPECT_TRUE(free.try_acquire_until(std::chrono::system_clock::time_point{}).held());
  std::error_code ec;
  EXPECT_FALSE(taken.try_acquire_for(0s, ec));
  EXPECT_FALSE(taken.try_acquire_for(-1h, ec));
  EXPECT_FALSE(taken.try_acquire_until(std::chrono::steady_clock::time_point{}, ec));
  EXPECT_FALSE(taken.try_acquire(ec));
  EXPECT_FALSE(taken.try_lock());
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_TRUE(eventually([&] { return contenders("/held").size() == 1; }));
}

TEST_F(handing_over, an_acquire_of_a_free_lock_is_one_round_trip_with_a_create_and_a_list_together) {
  proxy& way = new_proxy();
  recursive_mutex lock(open_through(way), "/lock");
  recursive_mutex(open(), "/lock").acquire().release();  // makes the lock node
  std::atomic<int> creates = 0;
  std::atomic<int> lists = 0;
  std::atomic<int> others = 0;
  grant held;
  {
    const hooks counting(way, [&](const request_frame& asked) {
      if (asked.opcode != opcode::ping && asked.opcode != opcode::sync) {  // the heartbeat
        ++(asked.opcode == opcode::create2 ? creates : asked.opcode == opcode::get_children2 ? lists : others);
      }
      return verdict::pass;
    });
    way.set_mode(proxy_mode::hold_replies);
    auto acquiring = in_a_thread([&] { return acquire_patiently(lock); });
    EXPECT_TRUE(eventually([&] { return creates == 1 && lists == 1; })) << "neither waits for the other's answer";
    way.set_mode(proxy_mode::pass);
    held = acquiring.get();
  }
  EXPECT_TRUE(held.held());
  EXPECT_EQ(creates, 1);
  EXPECT_EQ(lists, 1);
  EXPECT_EQ(others, 0);
}

TEST_F(handing_over, f41_f45_reentry_counts_and_the_node_goes_with_the_last_count) {
  recursive_mutex lock(open(), "/lock");
  recursive_mutex other(open(), "/lock");
  lock.lock();
  const fencing_token token = lock.token();
  {
    const grant again = lock.as(owner::this_thread()).acquire();
    EXPECT_EQ(again.token(), token);
    EXPECT_TRUE(lock.try_lock());
    EXPECT_EQ(lock.token(), token);
    EXPECT_EQ(contenders().size(), 1U);
    lock.unlock();
    lock.unlock();
    EXPECT_TRUE(again.held()) << "unlock() gives back the counts of lock(), no others";
    EXPECT_TRUE(lock.held());
    EXPECT_FALSE(other.try_acquire());
  }
  EXPECT_FALSE(lock.held());
  EXPECT_TRUE(acquire_patiently(other).held());
}

TEST_F(handing_over, f42_a_second_object_on_the_same_path_is_a_stranger_also_in_the_same_thread) {
  session& one = open();
  recursive_mutex first(one, "/lock");
  recursive_mutex second(one, "/lock");
  const grant held = first.acquire();
  EXPECT_FALSE(second.try_acquire_for(500ms));
  EXPECT_TRUE(held.held());
  EXPECT_TRUE(eventually([&] { return contenders().size() == 1; }));
}

TEST_F(handing_over, another_thread_of_the_same_object_waits_its_turn) {
  recursive_mutex lock(open(), "/lock");
  grant held = lock.acquire();
  auto waiting = in_a_thread([&] {
    grant mine = acquire_patiently(lock);
    return mine.token();
  });
  ASSERT_TRUE(queue_grows_to(2));
  EXPECT_FALSE(ready(waiting, 0ms));
  const fencing_token before = held.token();
  held.release();
  EXPECT_GT(waiting.get(), before);
}

int violations = 0;

TEST_F(handing_over, f44_unlocking_what_the_thread_has_not_locked_is_a_violation_and_sends_nothing) {
  violations = 0;
  const contract_handler before = set_contract_handler([](const char* operation, const char* path) {
    EXPECT_STREQ(operation, "unlock");
    EXPECT_STREQ(path, "/lock");
    ++violations;
  });
  recursive_mutex lock(open(), "/lock");
  lock.unlock();
  EXPECT_EQ(violations, 1);
  const grant held = lock.acquire();
  lock.unlock();  // a grant's count is not lock()'s
  EXPECT_EQ(violations, 2);
  in_a_thread([&] { lock.unlock(); }).get();
  EXPECT_EQ(violations, 3);
  EXPECT_TRUE(held.held());
  EXPECT_EQ(contenders().size(), 1U);
  set_contract_handler(before);
}

TEST_F(handing_over, grants_follow_the_order_of_the_queue) {
  recursive_mutex holder(open(), "/lock");
  session& many = open();
  grant held = holder.acquire();
  std::mutex guard;
  std::vector<int> order;
  std::vector<std::future<void>> waiting;
  for (int place = 0; place < 5; ++place) {
    waiting.push_back(in_a_thread([&, place] {
      recursive_mutex lock(many, "/lock");
      const grant mine = acquire_patiently(lock);
      const std::lock_guard exclusive(guard);
      order.push_back(place);
    }));
    ASSERT_TRUE(queue_grows_to(static_cast<std::size_t>(place) + 2));
  }
  held.release();
  for (auto& one : waiting) {
    one.get();
  }
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4}));
}

TEST_F(handing_over, f48_tokens_rise_when_the_lock_node_was_deleted_though_the_numbers_start_again) {
  recursive_mutex lock(open(), "/lock");
  fencing_token before{};
  std::vector<int> numbers;
  for (int round = 0; round < 3; ++round) {
    grant held = lock.acquire();
    EXPECT_GT(held.token(), before);
    before = held.token();
    const auto name = recipes::parse_contender_name(held.node().substr(held.node().rfind('/') + 1));
    ASSERT_TRUE(name);
    numbers.push_back(name->sequence.value);
    held.release();
    ASSERT_TRUE(server_.remove(full("/lock")));
  }
  EXPECT_EQ(numbers, (std::vector{0, 0, 0}));
}

TEST_F(handing_over, f182_whose_node_an_operator_has_removed_says_lost_at_its_release) {
  session& one = open({.timeout = 60s});  // it looks at its own node after T/12
  recursive_mutex lock(one, "/lock");
  recursive_mutex other(one, "/other");
  recursive_mutex theirs(open(), "/lock");
  multi_lock both{lock, other};
  for (const bool several : {false, true}) {
    grant held = several ? both.acquire() : lock.acquire();
    ASSERT_TRUE(server_.remove(full("/lock/" + contenders().front())));
    grant beside = theirs.acquire();
    EXPECT_TRUE(held.held()) << "nothing has told it";
    std::error_code ec;
    held.release(ec);
    EXPECT_EQ(ec, errc::lost);
    EXPECT_TRUE(!held && beside.held());
    beside.release();  // at the latest now its node is gone: a waiter would watch its own from the start
  }
  const grant again = both.acquire();
  EXPECT_TRUE(again.held()) << "it stands in no way";
}

TEST_F(handing_over, f49_children_that_are_no_contenders_are_ignored) {
  for (const char* foreign : {"/lock/0", "/lock/-", "/lock/zzz", "/lock/lock-12"}) {
    (void)server_.create(full(foreign));
  }
  recursive_mutex a(open(), "/lock");
  recursive_mutex b(open(), "/lock");
  grant first = a.acquire();
  auto waiting = queue_up(b, 6);
  first.release();
  EXPECT_TRUE(waiting.get().held());
  EXPECT_EQ(server_.children(full("/lock/0")).size(), 0U);
}

TEST_F(handing_over, a_lock_below_another_locks_path_is_a_lock_of_its_own) {
  session& one = open();
  recursive_mutex outer(one, "/lock");
  recursive_mutex inner(one, "/lock/0");
  const grant first = inner.acquire();
  const grant second = outer.acquire();
  EXPECT_TRUE(first.held());
  EXPECT_TRUE(second.held());
}

TEST_F(handing_over, a_contender_identifies_itself_in_the_data_of_its_node) {
  recursive_mutex lock(open({.label = "nightly import"}), "/lock");
  recursive_mutex named(open(), "/lock", {.label = "by hand"});
  grant held = lock.acquire();
  const std::string text = server_.data(root_ + held.node());
  EXPECT_TRUE(text.starts_with("mode=write\n")) << text;
  EXPECT_NE(text.find("\nlabel=nightly import\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\npid=" + std::to_string(getpid()) + "\n"), std::string::npos) << text;
  held.release();
  const grant other = named.acquire();
  EXPECT_NE(server_.data(root_ + other.node()).find("\nlabel=by hand\n"), std::string::npos);
}

TEST_F(handing_over, the_token_is_the_czxid_of_the_contenders_node_and_the_deadline_lies_ahead) {
  recursive_mutex lock(open(), "/lock");
  const grant held = lock.acquire();
  const auto stat = server_.look(root_ + held.node());
  ASSERT_TRUE(stat);
  EXPECT_EQ(held.token().czxid, stat->czxid);
  EXPECT_NE(stat->ephemeral_owner, 0);
  const auto first = held.valid_until();
  EXPECT_GT(first, boot_clock::now());
  EXPECT_TRUE(eventually([&] { return held.valid_until() > first; })) << "the heartbeat moves it";
}

TEST_F(a_session, tells_what_is_taken_off_its_timeout) {
  session& plain = open({.timeout = 6s});
  session& raised = open({.timeout = 250ms});  // the shortest that the server grants is 500 ms
  session& wide = open({.timeout = 6s, .margin = 2s, .tick = 500ms});
  for (session* one : {&plain, &raised, &wide}) {
    ASSERT_TRUE(one->wait_connected_for(patience));
  }
  EXPECT_EQ(plain.margin(), 500ms);
  EXPECT_EQ(raised.margin(), std::chrono::nanoseconds(500ms) / 12) << "of what was granted";
  EXPECT_EQ(wide.margin(), 2s);
}

}  // namespace
}  // namespace zklock::test
