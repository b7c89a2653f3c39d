#include "recipes/participants_round.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

/// A round of one lock's queue, answer by answer.
namespace zklock::recipes {
namespace {

TEST(a_round_of_participants, that_has_ended_takes_no_answer_to_what_was_under_way) {
  using state = participants_round::state;
  for (const code failure : {code::connection_loss, code::invalid_acl}) {
    participants_round round{sought_contenders{}};
    ASSERT_TRUE(round.next_list());
    const std::vector<std::string> queue = {"x-lock-0000000001", "y-lock-0000000002"};
    round.listed(code::ok, queue);
    const auto first = round.next_node(), second = round.next_node();
    ASSERT_TRUE(first && second);
    round.node_read(first->place, failure, {}, "");
    const state ended = round.now();
    EXPECT_EQ(ended, failure == code::connection_loss ? state::interrupted : state::refused);
    round.node_read(second->place, code::no_node, {}, "");
    round.limit_read(code::system_error, "");
    round.listed(code::ok, queue);
    EXPECT_EQ(round.now(), ended);
    EXPECT_EQ(round.failure(), failure);
    EXPECT_FALSE(round.next_node());
  }
}

}  // namespace
}  // namespace zklock::recipes
