#include "recipes/unknown_write.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace zklock::recipes {
namespace {

using fate = write_fate;

constexpr node_stat read{7, 100, 150};
constexpr node_stat now(std::int32_t version, std::int64_t czxid = 100) { return {version, czxid, 200}; }

TEST(unknown_write, was_not_applied_when_the_node_is_as_it_was_read) {
  EXPECT_EQ(fate_of_write(read, now(7), false), fate::not_applied);
  EXPECT_EQ(fate_of_write(read, now(7), true), fate::not_applied) << "it would have written what was there";
}

TEST(unknown_write, was_not_applied_when_the_next_version_has_other_data) {
  EXPECT_EQ(fate_of_write(read, now(8), false), fate::not_applied);
}

TEST(unknown_write, looks_applied_when_the_next_version_has_its_data) {
  EXPECT_EQ(fate_of_write(read, now(8), true), fate::looks_applied);
}

TEST(unknown_write, stays_unknown_when_more_has_happened_to_the_node) {
  for (const bool same_data : {false, true}) {
    EXPECT_EQ(fate_of_write(read, now(9), same_data), fate::unknown) << "written over";
    EXPECT_EQ(fate_of_write(read, now(6), same_data), fate::unknown);
    EXPECT_EQ(fate_of_write(read, now(7, 180), same_data), fate::unknown) << "made anew";
    EXPECT_EQ(fate_of_write(read, now(8, 180), same_data), fate::unknown) << "made anew";
  }
  constexpr node_stat last{std::numeric_limits<std::int32_t>::max(), 100, 150};
  EXPECT_EQ(fate_of_write(last, now(std::numeric_limits<std::int32_t>::min()), true), fate::unknown) << "it wraps";
}

}  // namespace
}  // namespace zklock::recipes
