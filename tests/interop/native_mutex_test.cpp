// F50: native mutexes beside locks of other libraries on one path, without any option: what excludes and what does not.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <stop_token>
#include <string>
#include <thread>

#include "tests/interop/beside_others.hpp"

namespace zklock::test {
namespace {

class beside_native : public beside_others {
 protected:
  [[nodiscard]] lock_at theirs() const { return lock("mutex"); }

  recursive_mutex ours{open(), "/lock"};
};

class another_library : public beside_native, public ::testing::WithParamInterface<library> {
 protected:
  peer& peer_ = start(GetParam());
};
INSTANTIATE_TEST_SUITE_P(, another_library, ::testing::Values(library::curator, library::kazoo, library::go_zk),
                         [](const auto& of) { return name_of(of.param); });
class another_library_with_time_limits : public another_library {};
INSTANTIATE_TEST_SUITE_P(, another_library_with_time_limits, ::testing::Values(library::curator, library::kazoo),
                         [](const auto& of) { return name_of(of.param); });

TEST_P(another_library, f50_waits_while_we_hold_and_holds_when_we_have_released) {
  grant held = ours.acquire();
  peer_.begin_to_acquire(theirs());
  ASSERT_TRUE(queue_grows_to(2));
  EXPECT_FALSE(peer_.answers_within(200ms));
  EXPECT_TRUE(held.held());
  held.release();
  EXPECT_EQ(peer_.answer(), "held");
  EXPECT_FALSE(ours.try_acquire());
  EXPECT_EQ(peer_.release(theirs()), "released");
  EXPECT_TRUE(acquire_patiently(ours).held());
}

TEST_P(another_library, f50_holds_while_we_wait_and_lets_us_in_when_it_releases) {
  ASSERT_EQ(peer_.acquire(theirs()), "held");
  EXPECT_FALSE(ours.try_acquire());
  auto waiting = queue_up(ours, 2);
  EXPECT_FALSE(ready(waiting, 200ms));
  EXPECT_EQ(peer_.release(theirs()), "released");
  EXPECT_TRUE(waiting.get().held());
}

TEST_P(another_library_with_time_limits, f50_leaves_no_node_after_its_time_and_we_leave_none_after_ours) {
  grant held = ours.acquire();
  EXPECT_EQ(peer_.acquire(theirs(), 300ms), "not in time");
  EXPECT_TRUE(eventually([&] { return contenders().size() == 1; }));
  EXPECT_TRUE(held.held());
  held.release();
  ASSERT_EQ(peer_.acquire(theirs()), "held");
  std::error_code ec;
  EXPECT_FALSE(ours.try_acquire_for(300ms, ec));
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_TRUE(eventually([&] { return contenders().size() == 1; }));
  EXPECT_EQ(peer_.release(theirs()), "released");
}

/// lock_options::keep: our node stays between our holds, for far longer than the other one waits.
TEST_P(another_library, f50_f231_comes_in_at_once_where_we_keep_the_lock_and_keeps_us_out) {
  recursive_mutex kept(open({.timeout = 60s}), "/lock", {.keep = kept_lock{.idle_limit = 30s}});
  int turns = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 2 + 2 * round; ++i) {  // ever more of them keep nothing
      const grant held = kept.acquire();
      turns += held.token().turn > 0 ? 1 : 0;
    }
    ASSERT_EQ(peer_.acquire(theirs(), 10s), "held") << round;
    EXPECT_FALSE(kept.try_acquire());
    EXPECT_EQ(peer_.release(theirs()), "released");
  }
  EXPECT_GT(turns, 20) << "it was kept at times";
}

TEST_P(another_library, f50_f231_comes_in_between_our_turns_and_none_is_beside_it) {
  recursive_mutex kept(open({.timeout = 60s}), "/lock", {.keep = kept_lock{.idle_limit = 30s}});
  std::atomic<bool> inside = false;
  std::atomic<int> holds = 0, turns = 0;
  std::jthread cycles([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const grant held = kept.acquire();
      inside = true;
      turns += held.token().turn > 0 ? 1 : 0;
      ++holds;
      inside = false;
    }
  });
  for (int round = 0; round < 20; ++round) {
    const int so_far = holds;
    ASSERT_TRUE(eventually([&] { return holds > so_far + 50; })) << round;
    ASSERT_EQ(peer_.acquire(theirs(), 10s), "held") << round;
    const int before = holds;
    EXPECT_FALSE(inside) << round;
    EXPECT_FALSE(eventually([&] { return holds != before; }, 10ms)) << round;
    EXPECT_EQ(peer_.release(theirs()), "released");
  }
  EXPECT_GT(turns, 100) << "it was kept at times";
}

// ---- pairings that do not exclude, as docs/design/wire-format.md lists them: should one begin to, the page is to change

TEST_F(beside_native, f50_kazoo_without_the_pattern_does_not_wait_for_us_but_we_wait_for_it) {
  peer& kazoo = start(library::kazoo_without_pattern);
  {
    const grant held = ours.acquire();
    EXPECT_EQ(kazoo.acquire(theirs()), "held") << "side by side with us";
    EXPECT_TRUE(held.held());
    EXPECT_EQ(kazoo.release(theirs()), "released");
  }
  ASSERT_EQ(kazoo.acquire(theirs()), "held");
  EXPECT_FALSE(ours.try_acquire());
  EXPECT_EQ(kazoo.release(theirs()), "released");
  EXPECT_TRUE(acquire_patiently(ours).held());
}

TEST_F(beside_native, f50_curators_semaphore_mutex_does_not_see_us_and_we_refuse_to_stand_beside_it) {
  peer& curator = start(library::curator);
  const lock_at another = lock("semaphore-mutex");
  {
    const grant held = ours.acquire();
    EXPECT_EQ(curator.acquire(another), "held") << "side by side with us";
    EXPECT_TRUE(held.held());
  }
  std::error_code ec;
  EXPECT_FALSE(ours.try_acquire(ec));
  EXPECT_EQ(ec, errc::wrong_recipe);
  EXPECT_EQ(curator.release(another), "released");
}

TEST_F(beside_native, f50_curator_does_not_wait_for_kazoo_but_kazoo_with_the_pattern_for_curator) {
  peer& curator = start(library::curator);
  peer& kazoo = start(library::kazoo);
  ASSERT_EQ(kazoo.acquire(theirs()), "held");
  EXPECT_EQ(curator.acquire(theirs()), "held") << "side by side with kazoo";
  EXPECT_EQ(kazoo.release(theirs()), "released");
  EXPECT_EQ(kazoo.acquire(theirs(), 300ms), "not in time");
  EXPECT_EQ(curator.release(theirs()), "released");
}

}  // namespace
}  // namespace zklock::test
