// Rows of docs/design/faults.md about answers that say little: a request that a server throttles, or cannot put an answer to.
// The standing checks are asserted in each (stage.hpp).
#include <gtest/gtest.h>

#include "recipes/code.hpp"
#include "tests/sim/stage.hpp"

namespace zklock::sim {
namespace {

using namespace std::chrono_literals;
using recipes::code;

TEST(throttled, f152_removals_are_sent_again_a_few_times_a_second_and_the_next_one_is_granted_in_the_end) {
  stage play({.name = "", .programs = {{acquire, release}, {acquire, release}}, .done_before = {1, 1}});
  const std::string remove = "c0 -> s0: remove";
  play.next("c0 releases");
  int removals = 0;
  for (const instant end = play.now() + 10s; play.now() < end; play.wait(10ms, remove)) {
    play.settle(remove);
    if (play.possible(remove)) {
      play.servers().answer_next_with(0, code::throttled);
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

}  // namespace
}  // namespace zklock::sim
