// Rows of docs/design/faults.md about answers that say little: a request that a server throttles, or cannot put an answer to.
// The checkers are asked in each (stage.hpp).
#include <gtest/gtest.h>

#include "recipes/code.hpp"
#include "tests/sim/stage.hpp"

namespace zklock::sim {
namespace {

using namespace std::chrono_literals;
using recipes::code;

TEST(throttled, f152_removals_are_sent_again_some_times_a_second_and_the_next_client_is_granted) {
  stage play({.name = "", .programs = {{acquire, release}, {acquire, release}}, .done_before = {1, 1}});
  const std::string remove = "c0 -> s0: remove";
  play.next("c0 releases");
  int removals = 0;
  for (const instant end = play.now() + 10s; play.now() < end; play.wait(10ms, remove)) {
    play.settle(remove);
    if (play.possible(remove)) {
      play.servers().network().answer_next_with(0, code::throttled);
      play.next(remove);
      ++removals;
    }
  }
  EXPECT_GT(removals, 10);
  EXPECT_LT(removals, 40) << "in 10 s, with T = 6 s";
  EXPECT_FALSE(play.client(1).held());
  play.wait(1s);
  EXPECT_TRUE(play.client(1).held()) << play.timeline();
  play.finish();
}

/// A server answers so when it cannot put its answer together: it has applied the request, or it has not.
TEST(unreadable_answer, f153_to_a_create_or_a_removal_is_looked_into_whether_it_was_applied_or_not) {
  for (const code with : {code::marshalling_error, code::runtime_inconsistency, code::system_error}) {
    for (const bool applied : {false, true}) {
      for (const std::string write : {"create", "remove"}) {
        if (applied && recipes::classify(with) == recipes::outcome::retry) {
          continue;
        }
        stage play({.name = "", .programs = {{acquire, release}, {acquire, release}}});
        play.next("c0 acquires");
        if (write == "remove") {
          play.settle();
          play.next("c0 releases");
        }
        play.servers().network().answer_next_with(0, with, applied);
        play.next("c0 -> s0: " + write);
        play.settle();
        play.wait(1s);
        EXPECT_EQ(play.lines_with("c0 not granted"), 0) << play.timeline();
        EXPECT_EQ(play.client(0).grants(), 1U) << recipes::name(with) << " " << write << "\n" << play.timeline();
        EXPECT_EQ(play.nodes(), write == "create" ? 1U : 0U) << recipes::name(with) << "\n" << play.timeline();
        play.finish();
        EXPECT_EQ(play.client(0).ids().size(), 1U);
      }
    }
  }
}

}  // namespace
}  // namespace zklock::sim
