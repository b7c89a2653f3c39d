#include "recipes/beat_pace.hpp"

#include <gtest/gtest.h>

namespace zklock::recipes {
namespace {

using namespace std::chrono_literals;

TEST(beat_pace, counts_from_the_opening_and_then_from_the_last_request) {
  beat_pace pace(100s);
  EXPECT_EQ(pace.last(), 100s);
  EXPECT_EQ(pace.last_write(), std::nullopt);
  pace.sent(request_kind::write, 101s);
  pace.sent(request_kind::sync, 102s);
  EXPECT_EQ(pace.last(), 102s);
  EXPECT_EQ(pace.last_write(), 101s);
}

/// Several at once: another one is always under way when one is refused.
TEST(beat_pace, f174_counts_from_the_first_of_those_that_are_refused) {
  beat_pace pace(100s);
  instant now = 101s;
  for (; now < 110s; now += 1s) {
    pace.sent(request_kind::write, now + 1s);
    pace.refused(request_kind::write, now);
  }
  EXPECT_EQ(pace.last(), 101s);
  EXPECT_EQ(pace.last_write(), 101s);
  pace.proven(request_kind::sync);
  EXPECT_EQ(pace.last(), now);
  EXPECT_EQ(pace.last_write(), 101s) << "a sync is no write";
  pace.proven(request_kind::write);
  EXPECT_EQ(pace.last_write(), now);
}

TEST(beat_pace, f174_counts_from_the_beat_before_a_request_that_is_refused) {
  beat_pace pace(100s);
  pace.beat(request_kind::write, 101s);
  pace.sent(request_kind::write, 101s);
  pace.proven(request_kind::write);
  pace.sent(request_kind::write, 102s);
  EXPECT_EQ(pace.last(), 102s) << "it may be answered";
  pace.refused(request_kind::write, 102s);
  EXPECT_EQ(pace.last(), 101s);
  EXPECT_EQ(pace.last_write(), 101s);
}

TEST(beat_pace, f174_counts_from_the_last_beat_also_when_that_is_refused) {
  beat_pace pace(100s);
  pace.sent(request_kind::write, 101s);
  pace.refused(request_kind::write, 101s);
  pace.beat(request_kind::sync, 102s);
  pace.sent(request_kind::sync, 102s);
  pace.refused(request_kind::sync, 102s);
  EXPECT_EQ(pace.last(), 102s);
  EXPECT_EQ(pace.last_write(), 101s);
  pace.beat(request_kind::write, 103s);
  EXPECT_EQ(pace.last_write(), 103s);
  pace.sent(request_kind::write, 104s);
  EXPECT_EQ(pace.last(), 103s);
}

}  // namespace
}  // namespace zklock::recipes
