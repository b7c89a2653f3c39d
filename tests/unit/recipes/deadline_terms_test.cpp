#include "recipes/deadline_terms.hpp"

#include <gtest/gtest.h>

namespace zklock::recipes {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

TEST(deadline_terms, the_assumed_tick_is_half_the_timeout_and_at_most_zookeepers_default) {
  EXPECT_EQ(assumed_tick(10s, false), 3s);
  EXPECT_EQ(assumed_tick(4s, false), 2s);
  EXPECT_EQ(assumed_tick(30s, false), 3s);
}

TEST(deadline_terms, a_timeout_that_the_servers_have_raised_is_two_ticks) {
  EXPECT_EQ(assumed_tick(10s, true), 5s);
  EXPECT_EQ(assumed_tick(40s, true), 20s);
}

TEST(deadline_terms, the_default_margin_is_a_twelfth_of_the_timeout) {
  EXPECT_EQ(terms_of(12s, 3s, 0s).margin, 1s);
  EXPECT_EQ(terms_of(12s, 3s, 2s).margin, 2s);
}

TEST(deadline_terms, f143_a_margin_that_cannot_be_given_becomes_the_greatest_possible) {
  const nanoseconds greatest = greatest_margin(10s, 3s);
  EXPECT_EQ(terms_of(10s, 3s, greatest + 1ns).margin, greatest);
  EXPECT_EQ(terms_of(10s, 3s, greatest).margin, greatest);
  EXPECT_EQ(terms_of(10s, 9s, 1s).margin, 0s) << "there is none";
}

TEST(deadline_terms, two_beats_and_a_round_trip_cover_the_relay_delay) {
  for (const nanoseconds timeout : {nanoseconds(500ms), nanoseconds(2s), nanoseconds(10s), nanoseconds(60s)}) {
    for (const int part : {2, 3, 5, 20}) {
      const deadline_terms terms = terms_of(timeout, timeout / part, 0s);
      EXPECT_GE(2 * terms.dense_beat(), terms.relay_delay() + timeout / 100 - 1ns) << timeout.count() << "/" << part;
      EXPECT_GE(terms.dense_beat(), timeout / 12);
    }
  }
}

TEST(deadline_terms, a_pair_each_fifth_of_the_timeout_suffices_with_a_short_tick_and_margin) {
  EXPECT_TRUE(terms_of(10s, 3s, 0s).pairs_suffice());
  EXPECT_EQ(terms_of(10s, 3s, 0s).pair(), 2s);
  EXPECT_TRUE(terms_of(12s, 3s, 1s).pairs_suffice());
  EXPECT_FALSE(terms_of(12s, 3s, 1001ms).pairs_suffice()) << "a frozen follower would cost the hold";
  EXPECT_FALSE(terms_of(9s, 3s, 0s).pairs_suffice()) << "two pairs and the answers in between cover no relay";
  EXPECT_FALSE(terms_of(10s, 5s, 0s).pairs_suffice());
}

TEST(deadline_terms, with_the_greatest_margin_beats_still_keep_the_deadline_ahead) {
  const deadline_terms terms = terms_of(10s, 3s, greatest_margin(10s, 3s));
  EXPECT_EQ(terms.certain_timeout() - terms.margin, terms.relay_delay() + 3 * terms.dense_beat());
}

TEST(deadline_terms, the_greatest_tick_leaves_room_for_the_default_margin) {
  for (const nanoseconds timeout : {nanoseconds(1s), nanoseconds(10s), nanoseconds(60s)}) {
    const nanoseconds greatest = greatest_tick(timeout);
    EXPECT_GE(greatest_margin(timeout, greatest), timeout / 12);
    EXPECT_LT(greatest_margin(timeout, greatest + 5ms), timeout / 12);
    EXPECT_GE(greatest, timeout / 2) << "so that what is assumed is never refused";
  }
}

}  // namespace
}  // namespace zklock::recipes
