#include "src/cli/deadline_relay.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;
using instant = deadline_relay::instant;

constexpr instant at(boot_clock::duration time) { return instant(time); }

class a_deadline_relay : public testing::Test {
 protected:
  void look(instant now, instant valid_until, bool heard = true) {
    relay_.look(now, valid_until, [&](instant said) {
      said_.push_back(said);
      return heard;
    });
  }

  std::vector<instant> said_;
  deadline_relay relay_{800ms, at(100s)};
};

TEST_F(a_deadline_relay, looks_at_once_and_says_nothing_while_nothing_has_moved) {
  EXPECT_TRUE(relay_.is_due(at(0s)));
  look(at(90s), at(100s));
  EXPECT_TRUE(said_.empty());
  EXPECT_EQ(relay_.told(), at(100s));
}

TEST_F(a_deadline_relay, says_a_deadline_that_has_moved_once) {
  look(at(90s), at(105s));
  look(at(91s), at(105s));
  EXPECT_EQ(said_, std::vector{at(105s)});
  EXPECT_EQ(relay_.told(), at(105s));
}

TEST_F(a_deadline_relay, says_it_again_if_it_was_not_heard) {
  look(at(90s), at(105s), false);
  EXPECT_EQ(relay_.told(), at(100s));
  look(at(91s), at(105s));
  EXPECT_EQ(said_.size(), 2U);
  EXPECT_EQ(relay_.told(), at(105s));
}

TEST_F(a_deadline_relay, looks_more_often_the_nearer_the_deadline_is) {
  look(at(90s), at(100s));
  EXPECT_EQ(relay_.next_look(), at(90s + 800ms)) << "with each heartbeat";
  EXPECT_FALSE(relay_.is_due(at(90s + 799ms)));
  EXPECT_TRUE(relay_.is_due(at(90s + 800ms)));
  look(at(99s), at(100s));
  EXPECT_EQ(relay_.next_look(), at(99s + 500ms)) << "half of what is left";
  look(at(100s), at(100s));
  EXPECT_EQ(relay_.next_look(), at(100s + 1ms)) << "and never without a pause";
}

}  // namespace
}  // namespace zklock::cli
