// lock_options::keep: what others, and the own process, see of a lock that stays between its holds.
#include <zklock/async.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

/// Nothing here ends by it.
constexpr kept_lock for_long{.idle_limit = 30s};

template <class Lock>
void cycle(Lock& lock, int times) {
  for (int i = 0; i < times; ++i) {
    grant held = lock.acquire();
    expect_released(held);
  }
}

class a_kept_lock : public on_a_fake {
 protected:
  a_kept_lock() { cycle(mine_, 3); }
  void TearDown() override {
    own_.reset();  // and its node goes
    on_a_fake::TearDown();
  }

  std::optional<recursive_mutex> own_{std::in_place, one_, "/lock", lock_options{.keep = for_long}};
  recursive_mutex& mine_ = *own_;
  recursive_mutex others_{two_, "/lock"};
};

TEST_F(a_kept_lock, sends_nothing_in_its_next_hold) {
  EXPECT_EQ(queue().size(), 1U);
  EXPECT_EQ(requests_of([&] { cycle(mine_, 100); }), 0U);
  EXPECT_NE(zookeeper_.data("/lock/" + queue().front())->find("keeps=1"), std::string::npos);
}

TEST_F(a_kept_lock, f232_is_no_hold) {
  EXPECT_FALSE(mine_.held());
  EXPECT_TRUE(one_.grants().empty());
  EXPECT_FALSE(one_.statistics().deadline_left);
  std::atomic<std::int64_t> released = 0;
  const lock_observer observer = one_.observe_locks([&](const lock_event& of) {
    if (of.what == lock_event::happening::released) released = of.token.number();
  });
  grant last = mine_.acquire();
  const std::int64_t token = last.token().number();
  expect_released(last);
  EXPECT_TRUE(eventually([&] { return released == token; })) << "and not with the next one";
  for (const lock_statistics& of : one_.statistics().locks) {
    EXPECT_EQ(of.holds, 0U);
  }
}

TEST_F(a_kept_lock, f233_does_not_bar_a_try_of_its_own_session) {
  recursive_mutex second(one_, "/lock");
  for (int i = 0; i < 10; ++i) {
    EXPECT_LE(requests_of([&] { second.try_acquire().release(); }), 4U) << "the kept node's removal, and a cycle";
    cycle(mine_, 5);
  }
}

/// Its process is told of nothing: the try waits for it, with a second node.
TEST_F(a_kept_lock, f231_is_waited_for_by_a_try_of_another_session) {
  const auto number = [](const std::string& node) { return std::stoi(node.substr(node.size() - 10)); };
  const int kept = number(queue().front());
  zookeeper_.hold_replies(0);
  EXPECT_FALSE(others_.try_acquire());
  zookeeper_.restore(0);
  const grant theirs = others_.try_acquire_for(patience);
  ASSERT_TRUE(theirs);
  EXPECT_EQ(number(theirs.node()), kept + 3);
}

/// Its process has been told by the first try's node: what still stands is held.
TEST_F(a_kept_lock, f231_that_is_held_costs_a_try_one_read_behind_the_first) {
  grant held = mine_.acquire();
  EXPECT_FALSE(others_.try_acquire());
  for (int i = 0; i < 5; ++i) {
    EXPECT_LE(requests_of([&] { EXPECT_FALSE(others_.try_acquire()); }), 4U) << "of one process: a node, and no wait";
  }
  expect_released(held);
  EXPECT_TRUE(others_.try_acquire());
}

TEST_F(a_kept_lock, goes_when_another_client_comes) {
  auto theirs = in_a_thread([&] { return others_.acquire().held(); });
  ASSERT_EQ(theirs.wait_for(10s), std::future_status::ready) << "before its idle limit";
  EXPECT_TRUE(theirs.get());
}

TEST_F(a_kept_lock, f234_goes_with_its_lock_object) {
  std::optional<recursive_mutex> lock(std::in_place, one_, "/a", lock_options{.keep = for_long});
  cycle(*lock, 3);
  EXPECT_EQ(queue("/a").size(), 1U);
  lock.reset();
  EXPECT_TRUE(eventually([&] { return queue("/a").empty(); }, 10s));
}

TEST_F(a_kept_lock, is_kept_behind_calls_without_a_thread_too) {
  EXPECT_EQ(requests_of([&] {
              for (int i = 0; i < 20; ++i) {
                std::promise<grant> got;
                start_acquire(mine_, {}, [&got](std::error_code, grant held) { got.set_value(std::move(held)); });
                grant held = got.get_future().get();
                ASSERT_TRUE(held);
                EXPECT_GT(held.token().turn, 0U);
                std::promise<std::error_code> released;
                start_release(std::move(held), [&released](std::error_code ec) { released.set_value(ec); });
                EXPECT_EQ(released.get_future().get(), std::error_code());
              }
            }),
            0U);
}

TEST_F(a_kept_lock, goes_when_a_call_without_a_thread_of_another_client_comes) {
  std::promise<grant> got;
  start_acquire(others_, {}, [&got](std::error_code, grant held) { got.set_value(std::move(held)); });
  auto theirs = got.get_future();
  ASSERT_EQ(theirs.wait_for(10s), std::future_status::ready) << "before its idle limit";
  EXPECT_TRUE(theirs.get());
}

/// The bounds of `hand_over` begin when another client has come.
TEST_F(a_kept_lock, has_all_the_turns_of_its_bounds_behind_those_that_it_had_alone) {
  recursive_mutex lock(one_, "/a", {.hand_over = local_handover{.max_turns = 3, .max_time = 1h}, .keep = for_long});
  cycle(lock, 20);
  std::optional<grant> held(lock.acquire());
  const std::int64_t node = held->token().czxid;
  recursive_mutex elsewhere(two_, "/a");
  auto theirs = in_a_thread([&] { return elsewhere.acquire(); });
  ASSERT_TRUE(queue_is(2, "/a"));
  std::vector<std::future<std::int64_t>> ours;
  for (int i = 0; i < 4; ++i) {
    ours.push_back(in_a_thread([&] { return lock.acquire().token().czxid; }));
  }
  ASSERT_TRUE(eventually([&] {
    const auto locks = one_.statistics().locks;
    std::size_t waiters = 0;
    for (const lock_statistics& of : locks) waiters += of.waits;
    return waiters == 4U;
  }));
  held->release();
  theirs.get().release();
  int of_the_node = 0;
  for (auto& each : ours) {
    of_the_node += each.get() == node ? 1 : 0;
  }
  EXPECT_EQ(of_the_node, 2) << "and the one that held";
}

}  // namespace
}  // namespace zklock::test
