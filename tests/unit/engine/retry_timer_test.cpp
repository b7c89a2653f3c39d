#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "src/engine/retry_timer.hpp"

namespace zklock::engine {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

constexpr instant session_timeout = 12s;  // T/500: 24 ms, T/12: 1 s

/// The pauses of something that fails each time it is sent.
std::vector<milliseconds> pauses(retry_timer& of, instant from, int count, instant timeout = session_timeout) {
  std::vector<milliseconds> found;
  instant now = from;
  for (int i = 0; i < count; ++i) {
    of.failed(now, timeout);
    found.push_back(std::chrono::duration_cast<milliseconds>(*of.due() - now));
    now = *of.due();
    EXPECT_TRUE(of.fired(now));
  }
  return found;
}

TEST(a_retry_timer, doubles_its_pause_from_a_500th_to_a_12th_of_the_timeout) {
  retry_timer one;
  EXPECT_EQ(pauses(one, 100s, 8), (std::vector{24ms, 24ms, 48ms, 96ms, 192ms, 384ms, 768ms, 1000ms}));
}

TEST(a_retry_timer, pauses_for_5_ms_at_the_least) {
  retry_timer one;
  EXPECT_EQ(pauses(one, 100s, 2, 1s).front(), 5ms);
  retry_timer of_no_session;
  EXPECT_EQ(pauses(of_no_session, 100s, 3, 0s), (std::vector{5ms, 5ms, 5ms}));
}

TEST(a_retry_timer, fires_once_and_not_before_it_is_due) {
  retry_timer one;
  EXPECT_FALSE(one.fired(100s));
  one.failed(100s, session_timeout);
  EXPECT_EQ(one.due(), 100s + 24ms);
  EXPECT_FALSE(one.fired(100s + 23ms));
  EXPECT_TRUE(one.fired(100s + 24ms));
  EXPECT_FALSE(one.fired(200s));
  EXPECT_EQ(one.due(), std::nullopt);
}

TEST(a_retry_timer, keeps_a_pause_that_has_begun) {
  retry_timer one;
  one.failed(100s, session_timeout);
  one.failed(100s + 20ms, session_timeout);
  EXPECT_EQ(one.due(), 100s + 24ms);
}

TEST(a_retry_timer, begins_with_the_shortest_pause_again_when_it_went_well) {
  retry_timer one;
  pauses(one, 100s, 6);
  one.went_well();
  EXPECT_EQ(pauses(one, 200s, 1).front(), 24ms);
}

TEST(a_retry_timer, that_was_cancelled_goes_on_with_the_pause_it_had_come_to) {
  retry_timer one;
  one.failed(100s, session_timeout);
  one.cancel();
  EXPECT_EQ(one.due(), std::nullopt);
  one.failed(100s + 300ms, session_timeout);
  EXPECT_EQ(one.due(), 100s + 600ms);
}

TEST(a_retry_timer, that_starts_anew_forgets_its_pause_and_what_went_before) {
  retry_timer one;
  one.failed(100s, session_timeout);
  one.start_anew();
  EXPECT_EQ(one.due(), std::nullopt);
  one.failed(100s + 300ms, session_timeout);
  EXPECT_EQ(one.due(), 100s + 324ms);
}

}  // namespace
}  // namespace zklock::engine
