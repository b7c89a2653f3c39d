#include "src/cli/outage_watch.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;
using news = outage_watch::news;

constexpr outage_watch::instant start{1h};

TEST(an_outage_watch, tells_an_outage_once_and_its_end_once) {
  outage_watch watch;
  EXPECT_EQ(watch.look(true, start), news::none);
  EXPECT_EQ(watch.look(false, start), news::none);
  EXPECT_EQ(watch.next_look(), start + 2s);
  EXPECT_EQ(watch.look(false, start + 1'999ms), news::none);
  EXPECT_EQ(watch.look(false, start + 2s), news::begun);
  EXPECT_EQ(watch.next_look(), std::nullopt);
  EXPECT_EQ(watch.look(false, start + 1h), news::none);
  EXPECT_EQ(watch.look(true, start + 2h), news::over);
  EXPECT_EQ(watch.look(true, start + 3h), news::none);
}

TEST(an_outage_watch, tells_nothing_of_an_outage_of_a_moment) {
  outage_watch watch;
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(watch.look(false, start + round * 2s), news::none);
    EXPECT_EQ(watch.look(true, start + round * 2s + 1s), news::none);
    EXPECT_EQ(watch.next_look(), std::nullopt);
  }
}

TEST(an_outage_watch, tells_the_next_outage_too) {
  outage_watch watch;
  EXPECT_EQ(watch.look(false, start), news::none);
  EXPECT_EQ(watch.look(false, start + 2s), news::begun);
  EXPECT_EQ(watch.look(true, start + 3s), news::over);
  EXPECT_EQ(watch.look(false, start + 4s), news::none);
  EXPECT_EQ(watch.look(false, start + 6s), news::begun);
}

}  // namespace
}  // namespace zklock::cli
