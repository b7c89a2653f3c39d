#include <gtest/gtest.h>

#include "tests/unit/recipes/own_session_world.hpp"

namespace zklock::recipes::words {
namespace {

/// However contenders of one session and others come and go.
void play(bool sides, bool faults, std::uint32_t rounds) {
  int passed_on = 0;
  for (std::uint32_t seed = 1; seed <= rounds; ++seed) {
    own_session_world world(seed, sides, faults);
    const std::string wrong = world.run(150);
    ASSERT_EQ(wrong, "") << "seed " << seed;
    passed_on += world.passed_on();
  }
  EXPECT_GT(passed_on, static_cast<int>(rounds / 10));
}

TEST(own_session_random, contenders_for_a_mutex_hold_one_by_one_and_all_come_to_an_end) { play(false, false, 10000); }

TEST(own_session_random, readers_and_writers_exclude_each_other_and_all_come_to_an_end) { play(true, false, 10000); }

TEST(own_session_random, f12_f34_faults_let_no_two_hold_a_mutex_and_none_wait_forever) { play(false, true, 10000); }

TEST(own_session_random, f12_f34_faults_let_no_reader_in_beside_a_writer_and_none_wait_forever) {
  play(true, true, 10000);
}

}  // namespace
}  // namespace zklock::recipes::words
