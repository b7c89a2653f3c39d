// A lock that one session takes again and again: two requests a cycle, as long as nobody else was there.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <string>

#include "tests/integration/counting_requests.hpp"

namespace zklock::test {
namespace {

class cycles : public counting_requests {
 protected:
  template <class Lock>
  static void expect_two_requests_from_the_third_on(const session& of, Lock&& lock) {
    cycle(lock);
    const sent second = sent_by(of, [&] { cycle(lock); });
    EXPECT_EQ(second.all, 3U) << "no more than in any cycle before";
    EXPECT_EQ(second.exists, 1U);
    constexpr int times = 50;
    const sent behind = sent_by(of, [&] { cycle(lock, times); });
    EXPECT_EQ(behind.all, 2U * times);
    EXPECT_EQ(behind.lists, 0U);
    EXPECT_EQ(behind.exists, 0U);
  }
};

TEST_F(cycles, cost_two_requests_with_mutexes_and_sides_in_both_layouts) {
  session& one = open({.timeout = without_heartbeats});
  for (const layout as : {layout::native, layout::curator}) {
    const std::string base = "/" + std::string(to_string(as));
    expect_two_requests_from_the_third_on(one, recursive_mutex(one, base + "/mutex", {.layout = as}));
    if (as == layout::native) {  // Curator's is a semaphore of one lease
      expect_two_requests_from_the_third_on(one, semaphore_mutex(one, base + "/semaphore_mutex", {.layout = as}));
    }
    shared_mutex sides(one, base + "/shared", {.layout = as});
    expect_two_requests_from_the_third_on(one, sides.write());
    const sent reading = sent_by(one, [&] { cycle(sides.read(), 10); });
    EXPECT_EQ(reading.all, 20U) << "the sides have one lock node";
  }
}

TEST_F(cycles, of_a_try_cost_two_requests_too) {
  session& one = open({.timeout = without_heartbeats});
  recursive_mutex lock(one, "/lock");
  cycle(lock, 2);
  EXPECT_EQ(sent_by(one,
                    [&] {
                      grant held = lock.try_acquire();
                      ASSERT_TRUE(held);
                      held.release();
                    })
                .all,
            2U);
}

TEST_F(cycles, behind_another_client_cost_a_list_until_two_numbers_were_in_a_row) {
  session& one = open({.timeout = without_heartbeats});
  recursive_mutex mine(one, "/lock");
  recursive_mutex others(open(), "/lock");
  cycle(mine, 3);
  cycle(others);
  EXPECT_EQ(sent_by(one, [&] { cycle(mine); }).lists, 1U) << "its number was not the next one";
  EXPECT_EQ(sent_by(one, [&] { cycle(mine); }).lists, 1U) << "nor does it rely on that now";
  EXPECT_EQ(sent_by(one, [&] { cycle(mine, 5); }).all, 10U);
}

/// Both have made their nodes, the second behind the first, while the first's session relied on its number.
TEST_F(cycles, never_let_two_in) {
  session& one = open({.timeout = without_heartbeats});
  recursive_mutex mine(one, "/lock");
  recursive_mutex others(open(), "/lock");
  cycle(mine, 3);
  grant theirs = others.acquire();
  EXPECT_FALSE(mine.try_acquire());
  theirs.release();
  cycle(mine, 3);
  grant ours = mine.acquire();
  EXPECT_FALSE(others.try_acquire());
}

/// The lock node is removed and made anew by another client, which holds with the number before this one's next.
TEST_F(cycles, f229_in_a_lock_node_that_was_made_anew_tell_nothing) {
  session& one = open({.timeout = without_heartbeats});
  session& two = open();
  for (int round = 0; round < 40; ++round) {
    for (const int before : {1, 2, 3}) {  // asks whether the lock node is the same; is told so by a watch
      const std::string path = "/lock-" + std::to_string(round) + "-" + std::to_string(before);
      recursive_mutex mine(one, path);
      recursive_mutex others(two, path);
      cycle(mine, before);
      ASSERT_TRUE(server_.remove(full(path)));
      cycle(others, before - 1);
      const grant theirs = others.acquire();
      ASSERT_TRUE(theirs.node().ends_with("-000000000" + std::to_string(before - 1)));
      ASSERT_FALSE(mine.try_acquire()) << path << ": two holders";
      ASSERT_TRUE(theirs.held());
    }
  }
}

TEST_F(cycles, of_many_lock_nodes_are_forgotten_where_they_were_left_first) {
  session& one = open({.timeout = without_heartbeats});
  constexpr int more_than_are_kept = 1'100;
  for (int i = 0; i < more_than_are_kept; ++i) {
    cycle(recursive_mutex(one, "/lock-" + std::to_string(i)), 2);
  }
  EXPECT_LE(one.statistics().watches, 1'024U);
  EXPECT_EQ(sent_by(one, [&] { cycle(recursive_mutex(one, "/lock-0")); }).lists, 1U);
  EXPECT_EQ(sent_by(one, [&] { cycle(recursive_mutex(one, "/lock-1099")); }).all, 2U);
}

TEST_F(cycles, take_half_of_the_watches_at_the_most) {
  session& one = open({.timeout = without_heartbeats});
  const std::string at = "/" + std::string(700, 'x') + "-";
  for (int i = 0; i < 850; ++i) {
    cycle(recursive_mutex(one, at + std::to_string(i)), 2);
  }
  EXPECT_LT(one.statistics().share_of_watches, 0.51);
  EXPECT_GT(one.statistics().share_of_watches, 0.49);
  const sent last = sent_by(one, [&] { cycle(recursive_mutex(one, at + "849")); });
  EXPECT_EQ(last.exists, 1U) << "each cycle asks";
  EXPECT_EQ(last.all, 3U);
}

TEST_F(cycles, are_asked_for_anew_behind_a_lost_connection) {
  proxy& way = new_proxy();
  session& one = open_through(way, {.timeout = without_heartbeats});
  recursive_mutex mine(one, "/lock");
  cycle(mine, 3);
  way.cut_now();
  ASSERT_TRUE(eventually([&] { return one.statistics().connections_lost == 1; }));
  ASSERT_TRUE(one.wait_connected_for(patience));
  const sent first = sent_by(one, [&] { cycle(mine); });
  EXPECT_EQ(first.exists, 1U) << "whether the lock node is the same";
  EXPECT_EQ(first.lists, 0U);
  EXPECT_EQ(sent_by(one, [&] { cycle(mine, 5); }).exists, 0U);
}

}  // namespace
}  // namespace zklock::test
