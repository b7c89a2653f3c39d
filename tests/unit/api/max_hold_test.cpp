// lock_options::max_hold: the bound of one hold, for each recipe in both layouts.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

constexpr auto bound = 60ms;
constexpr auto margin = 40ms;
constexpr auto far = 1h;

class bounded : public ::testing::TestWithParam<layout> {
 protected:
  void SetUp() override { ASSERT_TRUE(one_.wait_connected_for(patience) && two_.wait_connected_for(patience)); }
  [[nodiscard]] lock_options options(std::chrono::milliseconds max_hold = bound) const {
    return {.layout = GetParam(), .max_hold = max_hold};
  }
  [[nodiscard]] std::size_t nodes(const std::string& path) const {
    std::size_t count = 0;
    for (const std::string& child : zookeeper_.children(path)) {
      const std::vector<std::string> below = zookeeper_.children(path + "/" + child);
      count += below.empty() && child != "leases" && child != "locks" ? 1 : below.size();
    }
    return count;
  }
  /// `takes` waits for the lock in another session; it holds none before the margin behind the bound is over.
  template <class Takes>
  void expect_next_behind(const grant& held, Takes&& takes) {
    const auto end = held.valid_until();
    auto next = in_a_thread([&] {
      grant got = takes();
      const auto at = boot_clock::now();
      return std::pair(std::move(got), at);
    });
    EXPECT_TRUE(eventually([&] { return !held.held(); }));
    EXPECT_GE(boot_clock::now(), end);
    EXPECT_EQ(held.loss_reason(), loss_reason::held_too_long);
    EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
    const auto [got, at] = next.get();
    EXPECT_TRUE(got.held());
    EXPECT_GE(at, end + margin);
  }

  testing::fake_ensemble zookeeper_;
  session one_{zookeeper_.clients(0), {.timeout = 60s, .margin = margin}};
  session two_{zookeeper_.clients(1), {.timeout = 60s, .margin = margin}};
};

TEST_P(bounded, a_mutex_is_lost_at_its_bound_and_the_next_holds_a_margin_later) {
  recursive_mutex lock(one_, "/lock", options()), next(two_, "/lock", options(0ms));
  const grant held = lock.acquire();
  EXPECT_LE(held.valid_until(), boot_clock::now() + bound);
  expect_next_behind(held, [&] { return next.acquire(); });
}

TEST_P(bounded, a_semaphore_mutex_is_lost_at_its_bound) {
  semaphore_mutex lock(one_, "/lock", options()), next(two_, "/lock", options(0ms));
  const grant held = lock.acquire();
  expect_next_behind(held, [&] { return next.acquire(); });
}

TEST_P(bounded, both_sides_of_a_shared_mutex_are_lost_at_their_bounds) {
  shared_mutex lock(one_, "/lock", options()), next(two_, "/lock", options(0ms));
  const grant reads = lock.read().acquire();
  expect_next_behind(reads, [&] { return next.write().acquire(); });
  const grant writes = lock.write().acquire();
  expect_next_behind(writes, [&] { return next.read().acquire(); });
}

TEST_P(bounded, permits_are_lost_at_their_bound) {
  semaphore lock(one_, "/lock", 2, options()), next(two_, "/lock", 2, options(0ms));
  const grant held = lock.permits(2).acquire();
  expect_next_behind(held, [&] { return next.permits(2).acquire(); });
  EXPECT_EQ(held.lost_part(), "");
}

TEST_P(bounded, a_multi_lock_has_the_least_bound_of_its_parts_and_names_the_part) {
  recursive_mutex a(one_, "/a", options(0ms)), b(one_, "/b", options()), c(one_, "/c", options(far));
  multi_lock all({a, b, c});
  recursive_mutex next(two_, "/a", options(0ms));
  const grant held = all.acquire();
  EXPECT_LE(held.valid_until(), boot_clock::now() + bound);
  expect_next_behind(held, [&] { return next.acquire(); });
  EXPECT_EQ(held.lost_part(), "/b");
  EXPECT_TRUE(eventually([&] { return nodes("/b") == 0 && nodes("/c") == 0; }));
}

TEST_P(bounded, a_multi_lock_is_extended_in_each_part_that_has_a_bound) {
  recursive_mutex a(one_, "/a", options(0ms)), b(one_, "/b", options()), c(one_, "/c", options());
  multi_lock all({a, b, c});
  grant held = all.acquire();
  held.extend(far);
  EXPECT_GT(held.valid_until(), boot_clock::now() + bound);
  EXPECT_FALSE(eventually([&] { return !held.held(); }, 2 * bound));
  expect_released(held);
}

TEST_P(bounded, extends_move_the_bound_and_none_moves_it_back) {
  recursive_mutex lock(one_, "/lock", options(10s));
  grant held = lock.acquire();
  for (int i = 0; i < 1'000; ++i) {
    const auto before = held.valid_until();
    held.extend(std::chrono::milliseconds(10'000 + i));
    EXPECT_GE(held.valid_until(), before);
    held.extend(1ms);
    EXPECT_GE(held.valid_until(), before) << "not back";
  }
  held.extend(far);
  EXPECT_LT(held.valid_until(), boot_clock::now() + 60s) << "the session's deadline is earlier";
  EXPECT_TRUE(held.held());
  expect_released(held);
}

TEST_P(bounded, acquiring_again_neither_needs_nor_moves_the_bound) {
  recursive_mutex lock(one_, "/lock", options());
  const owner job;
  const grant held = lock.as(job).acquire();
  const auto end = held.valid_until();
  std::vector<grant> again;
  for (int i = 0; i < 10; ++i) {
    std::error_code ec;
    again.push_back(lock.as(job).try_acquire(ec));
    EXPECT_TRUE(!ec || ec == errc::lost) << ec.message();
  }
  EXPECT_EQ(held.valid_until(), end);
  EXPECT_TRUE(eventually([&] { return !held.held(); }));
  for (const grant& one : again) {
    EXPECT_FALSE(one.held());
  }
}

TEST_P(bounded, a_downgrade_keeps_it) {
  shared_mutex lock(one_, "/lock", options()), next(two_, "/lock", options(0ms));
  grant held = lock.write().acquire();
  const auto end = held.valid_until();
  held.downgrade();
  EXPECT_EQ(held.valid_until(), end);
  expect_next_behind(held, [&] { return next.write().acquire(); });
}

TEST_P(bounded, a_guarded_write_is_refused_from_then_on) {
  recursive_mutex lock(one_, "/lock", options());
  const grant held = lock.acquire();
  one_.transaction().guarded_by(held).create("/written", "1").commit();
  EXPECT_TRUE(eventually([&] { return !held.held(); }));
  std::error_code ec;
  one_.transaction().guarded_by(held).set("/written", "2").commit(ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_EQ(two_.get("/written", {.fresh = true})->data, "1");
}

TEST_P(bounded, without_a_connection_it_is_lost_all_the_same_and_removed_later) {
  recursive_mutex lock(one_, "/lock", options()), next(two_, "/lock", options(0ms));
  const grant held = lock.acquire();
  zookeeper_.refuse(0);
  EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
  EXPECT_EQ(held.loss_reason(), loss_reason::held_too_long);
  EXPECT_FALSE(next.try_acquire_for(2 * margin));
  zookeeper_.restore(0);
  EXPECT_TRUE(next.try_acquire_for(patience).held());
}

TEST_P(bounded, given_back_behind_it_it_says_lost_and_who_waits_for_that_is_told) {
  recursive_mutex lock(one_, "/lock", options());
  grant held = lock.acquire();
  std::atomic<int> told = 0;
  loss_reason why = loss_reason::none;
  start_lost(held, {}, [&](std::error_code, loss_reason reason) {
    why = reason;
    ++told;
  });
  EXPECT_TRUE(eventually([&] { return boot_clock::now() >= held.valid_until(); }));
  std::error_code ec;
  held.release(ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_TRUE(eventually([&] { return told == 1; }));
  EXPECT_EQ(why, loss_reason::held_too_long);
  EXPECT_TRUE(lock.try_acquire_for(patience).held()) << "its owner may come again";
}

TEST_P(bounded, one_that_is_given_back_in_time_leaves_nothing_behind) {
  recursive_mutex lock(one_, "/lock", options());
  int in_time = 0;
  EXPECT_TRUE(eventually([&] {  // a busy machine may take longer than the bound
    grant held = lock.acquire();
    std::error_code ec;
    held.release(ec);
    in_time += ec ? 0 : 1;
    return in_time == 20;
  }));
  EXPECT_FALSE(eventually([&] { return nodes("/lock") > 0; }, 2 * bound)) << "no timer of a hold that is gone";
}

TEST_P(bounded, under_local_hand_over_each_turn_has_its_own_and_a_hung_one_is_its_nodes_last) {
  lock_options taking_turns = options();
  taking_turns.hand_over = local_handover{.max_turns = 1'000, .max_time = 1h};
  recursive_mutex lock(one_, "/lock", taking_turns);
  grant first = lock.acquire();
  auto second = in_a_thread([&] { return lock.acquire(); });
  EXPECT_TRUE(eventually([&] { return first.held(); }));
  const auto end = first.valid_until();
  const grant next = second.get();
  EXPECT_GE(boot_clock::now(), end + margin) << "the node of the hung turn is not handed on";
  EXPECT_EQ(first.loss_reason(), loss_reason::held_too_long);
  EXPECT_GT(next.valid_until(), end);
  EXPECT_NE(next.node(), first.node());
}

TEST_P(bounded, turns_that_end_in_time_go_on_beyond_the_first_ones_bound) {
  lock_options taking_turns = options(200ms);
  taking_turns.hand_over = local_handover{.max_turns = 1'000, .max_time = 1h};
  recursive_mutex lock(one_, "/lock", taking_turns);
  const auto until = boot_clock::now() + 500ms;
  std::atomic<int> lost = 0;
  const auto work = [&] {
    while (boot_clock::now() < until) {
      grant held = lock.acquire();
      std::error_code ec;
      held.release(ec);
      lost += ec == errc::lost ? 1 : 0;
    }
  };
  auto other = in_a_thread(work);
  work();
  other.get();
  EXPECT_EQ(lost, 0);
}

TEST_P(bounded, bad_input_is_named) {
  const auto refused = [&](std::chrono::milliseconds value) {
    return thrown_by([&] { return std::make_unique<recursive_mutex>(one_, "/lock", options(value)); });
  };
  EXPECT_EQ(refused(-1ms).ec, errc::invalid_option);
  EXPECT_NE(refused(-1ms).text.find("max_hold = -1 ms"), std::string::npos);
  EXPECT_EQ(refused(24h * 31).ec, errc::invalid_option);
  EXPECT_FALSE(refused(24h * 30).ec);
  recursive_mutex without(one_, "/lock", options(0ms)), with(one_, "/other", options());
  grant unbounded = without.acquire(), held = with.acquire(), empty;
  const auto extending = [](grant& one, std::chrono::nanoseconds by) {
    return thrown_by([&] {
      one.extend(by);
      return 0;
    });
  };
  EXPECT_EQ(extending(unbounded, 1s).ec, errc::invalid_option);
  EXPECT_NE(extending(unbounded, 1s).text.find("no max_hold"), std::string::npos);
  EXPECT_EQ(extending(held, -1ns).ec, errc::invalid_option);
  EXPECT_EQ(extending(empty, 1s).ec, errc::not_owner);
  EXPECT_TRUE(eventually([&] { return !held.held(); }));
  EXPECT_EQ(extending(held, 1s).ec, errc::lost) << "not behind it";
  EXPECT_FALSE(held.held());
}

INSTANTIATE_TEST_SUITE_P(each_layout, bounded, ::testing::Values(layout::native, layout::curator),
                         [](const auto& one) { return one.param == layout::native ? "native" : "curator"; });

}  // namespace
}  // namespace zklock::test
