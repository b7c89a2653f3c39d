// What the command takes for a duration.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "src/cli/duration.hpp"

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;

std::string refusal_of(std::string_view text) {
  try {
    return "taken for " + to_text(parse_duration(text));
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
}

TEST(a_duration, is_a_whole_number_and_a_unit) {
  EXPECT_EQ(parse_duration("500ms"), 500ms);
  EXPECT_EQ(parse_duration("5s"), 5s);
  EXPECT_EQ(parse_duration("2m"), 2min);
  EXPECT_EQ(parse_duration("1h"), 1h);
  EXPECT_EQ(parse_duration("007s"), 7s);
}

TEST(a_duration, of_zero_needs_no_unit) {
  EXPECT_EQ(parse_duration("0"), 0ms);
  EXPECT_EQ(parse_duration("0s"), 0ms);
}

TEST(a_duration, without_a_unit_is_refused_naming_the_value_and_the_units) {
  EXPECT_EQ(refusal_of("5"), "\"5\" is not a duration: the unit is missing; use ms, s, m or h, as in 5s");
}

TEST(a_duration, below_zero_is_refused_naming_the_value) {
  for (const std::string text : {"-5s", "-0s", "-5", "-"}) {
    EXPECT_EQ(refusal_of(text), "\"" + text + "\" is not a duration: it is negative");
  }
}

TEST(a_duration, of_more_than_a_year_is_refused_and_does_not_overflow) {
  EXPECT_EQ(parse_duration("8760h"), duration_max);
  for (const std::string text :
       {"8761h", "9223372036854775807h", "9223372036854775808ms", "99999999999999999999999s"}) {
    EXPECT_EQ(refusal_of(text), "\"" + text + "\" is not a duration: it is longer than 8760h");
  }
}

TEST(a_duration, that_is_anything_else_is_refused_naming_the_value) {
  for (const std::string text :
       {"", "s", "five", "+5s", " 5s", "5 s", "5s ", "1.5s", "5S", "5sec", "5d", "1h30m", "0x5s"}) {
    const std::string refusal = refusal_of(text);
    EXPECT_TRUE(refusal.starts_with("\"" + text + "\" is not a duration: ")) << refusal;
    EXPECT_NE(refusal.find("ms, "), std::string::npos) << refusal << " does not name the units";
  }
}

TEST(a_duration, reads_back_in_the_largest_unit_that_fits) {
  for (const std::string text : {"0", "1ms", "1500ms", "5s", "90s", "2m", "1h", "25h"}) {
    EXPECT_EQ(to_text(parse_duration(text)), text);
  }
  EXPECT_EQ(to_text(120s), "2m");
}

}  // namespace
}  // namespace zklock::cli
