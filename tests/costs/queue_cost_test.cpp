#include "tests/costs/queue_cost.hpp"

#include <gtest/gtest.h>

namespace zklock::costs {
namespace {

using namespace client::request;

struct counts {
  std::uint64_t creates, lists, gets, removals, watches;
  bool operator==(const counts&) const = default;
};
void PrintTo(const counts& one, std::ostream* out) {
  *out << one.creates << " create, " << one.lists << " list, " << one.gets << " get, " << one.removals << " removals, "
       << one.watches << " watches";
}

counts counted(const queue_cost& of) {
  return {of.total.sent<create>(), of.total.sent<list>(), of.total.sent<get>(),
          of.total.sent<remove>() + of.total.sent<multi>(), of.watches};
}

std::uint64_t bytes_each(const queue_plan& of) { return measure(of).total.bytes / of.contenders; }

TEST(costs_of_a_queue, f104_of_one_session_are_a_create_and_a_removal_each_and_one_list) {
  EXPECT_EQ(counted(measure({1, 1})), (counts{1, 1, 0, 1, 0}));
  EXPECT_EQ(counted(measure({10, 1})), (counts{10, 1, 0, 10, 0}));
  EXPECT_EQ(counted(measure({1'000, 1})), (counts{1'000, 1, 0, 1'000, 0}));
}

TEST(costs_of_a_queue, of_one_session_do_not_grow_with_it) {
  EXPECT_LE(bytes_each({1'000, 1}), bytes_each({10, 1}) + 10) << "of longer lists there is one";
}

TEST(costs_of_a_queue, of_several_sessions_are_two_lists_each_at_the_most) {
  for (const queue_plan& plays : {queue_plan{10, 10}, queue_plan{1'000, 10}}) {
    const counts found = counted(measure(plays));
    EXPECT_EQ(found.creates, plays.contenders);
    EXPECT_EQ(found.removals, plays.contenders);
    EXPECT_LE(found.lists, 2 * plays.contenders);
    EXPECT_LE(found.gets, 2 * plays.contenders);
    EXPECT_LE(found.watches, plays.contenders);
  }
}

TEST(costs_of_a_queue, with_hand_over_are_one_node_for_so_many_turns) {
  const queue_cost found = measure({1'000, 1, recipes::turn_bounds{100, std::chrono::hours(1)}});
  EXPECT_EQ(counted(found), (counts{10, 1, 0, 10, 0}));
}

}  // namespace
}  // namespace zklock::costs
