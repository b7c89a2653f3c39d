// Rows of docs/design/faults.md about making a contender's node, and finding it again, replayed exactly. The checkers
// are asked in each (stage.hpp).
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/sim/stage.hpp"

namespace zklock::sim {
namespace {

TEST(create, f01_whose_reply_is_lost_is_found_again_by_its_id) {
  stage play({.name = "", .programs = {{acquire, release}}});
  play.next("c0 acquires");
  play.strike(trouble_kind::request_applied);
  play.settle();
  EXPECT_EQ(play.nodes(), 1U);
  EXPECT_EQ(play.client(0).grants(), 1U);
  EXPECT_EQ(play.client(0).ids().size(), 1U);
  play.finish();
}

/// Each of a waiter's next requests arrives, or is lost before or after it was applied: in every combination.
TEST(create, f02_survives_every_pattern_of_losses_in_a_row) {
  constexpr int length = 6;
  constexpr int patterns = 729;
  for (int pattern = 0; pattern < patterns; ++pattern) {
    stage play({.name = "", .programs = {{acquire, release}, {acquire, release}}, .done_before = {1, 0}});
    play.next("c1 acquires");
    for (int i = 0, rest = pattern; i < length; ++i, rest /= 3) {
      play.settle("c1 -> s0");
      while (play.possible("c1 -> s0: connect") || play.possible("c1 -> s0: watch again")) {
        play.next(play.possible("c1 -> s0: connect") ? "c1 -> s0: connect" : "c1 -> s0: watch again");
        play.settle("c1 -> s0");
      }
      if (!play.possible("c1 -> s0")) {
        break;
      }
      if (rest % 3 == 0) {
        play.next("c1 -> s0");
      } else {
        play.strike(rest % 3 == 1 ? trouble_kind::request_lost : trouble_kind::request_applied, 1);
      }
    }
    play.finish();
    ASSERT_EQ(play.client(1).grants(), 1U) << "pattern " << pattern << "\n" << play.timeline();
  }
}

TEST(create, f04_is_found_on_a_server_that_lags) {
  stage play({.name = "", .programs = {{acquire, release}}, .servers = 3});
  play.next("c0 acquires");
  play.next("c0 -> s0: create");
  play.strike(trouble_kind::follower_lagging);
  play.settle();
  EXPECT_EQ(play.nodes(), 1U);
  EXPECT_EQ(play.client(0).grants(), 0U);
  play.finish();
  EXPECT_EQ(play.client(0).ids().size(), 1U);
  EXPECT_EQ(play.lines_with("create /l/"), 1);
  EXPECT_GE(play.lines_with("multi {check /}"), 1);
}

TEST(create, f06_makes_the_lock_node_again_when_it_was_reaped) {
  stage play({.name = "", .programs = {{acquire, release, acquire, release}}});
  play.next("c0 acquires");
  play.settle();
  play.next("c0 releases");
  play.settle();
  play.strike(trouble_kind::lock_node_reaped);
  play.next("c0 acquires");
  play.settle();
  EXPECT_EQ(play.client(0).grants(), 2U);
  play.finish();
}

/// What follows the grant is the same, but for the numbers of the requests, the order of what happens at once, and that
/// the recovered one watches its own node from the beginning.
TEST(create, f07_a_recovered_contender_is_waited_for_and_released_as_a_created_one) {
  const auto end_of = [](bool recovered) {
    stage play({.name = "", .programs = {{acquire, release}, {acquire, release}}});
    play.next("c0 acquires");
    if (recovered) {
      play.strike(trouble_kind::request_applied);
    }
    play.settle();
    EXPECT_EQ(play.client(0).grants(), 1U);
    const std::string before = play.timeline();
    play.next("c1 acquires");
    play.settle();
    play.next("c0 releases");
    play.settle();
    play.next("c1 releases");
    play.settle();
    std::istringstream behind(
        std::regex_replace(play.timeline().substr(before.size()), std::regex("(reply #|token )[0-9]+"), "$1"));
    play.finish();
    std::multiset<std::string> lines;
    for (std::string line; std::getline(behind, line);) {
      if (line.find("c0 <- s0: deleted /l/c0#1") == std::string::npos) {
        lines.insert(line);
      }
    }
    return lines;
  };
  EXPECT_EQ(end_of(true), end_of(false));
}

TEST(create, f07_a_recovered_contender_goes_on_as_a_created_one) {
  stage play({.name = "", .programs = {{acquire, release}}});
  play.next("c0 acquires");
  play.strike(trouble_kind::request_applied);
  play.settle();
  const auto hold = play.client(0).held();
  ASSERT_NE(hold, nullptr);
  const auto children = play.servers().children(lock_path);
  ASSERT_EQ(children.size(), 1U);
  EXPECT_EQ(hold->token().czxid, children.front().czxid);
  EXPECT_EQ(hold->node(), std::string(lock_path) + "/" + children.front().name);
  play.finish();
}

/// An operator, or the servers, remove the empty lock node between any two steps of an acquire, its first making
/// included.
TEST(create, f06_repeats_wherever_the_lock_node_goes_and_the_caller_never_sees_it) {
  for (const bool there : {true, false}) {
    for (int steps = 0; steps <= 7; ++steps) {
      stage play({.name = "", .programs = {{acquire, release}}, .lock_node_there = there});
      play.next("c0 acquires");
      for (int i = 0; i < steps && play.client(0).grants() == 0; ++i) {
        play.next("c0 ");
      }
      play.servers().administrator().remove_node(lock_path);  // refused as soon as the contender's node stands
      play.settle();
      EXPECT_EQ(play.client(0).grants(), 1U) << steps << "\n" << play.timeline();
      EXPECT_EQ(play.nodes(), 1U);
      play.finish();
      ASSERT_EQ(play.client(0).ids().size(), 1U) << steps;
    }
  }
}

}  // namespace
}  // namespace zklock::sim
