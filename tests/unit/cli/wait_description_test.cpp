// What zklock run says when it has to wait.
#include "src/cli/wait_description.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace zklock::cli {
namespace {

using namespace std::chrono;

participant holder() {
  participant one;
  one.state = participant_state::held;
  one.host = "worker-3";
  one.pid = 4711;
  one.label = "nightly import";
  one.since = sys_days(2026y / November / 21) + 2h + 10min + 15s;
  return one;
}

std::string told(const std::vector<participant>& ahead) {
  return describe_wait("/l", ahead, terminal_characters("C.UTF-8"));
}

TEST(a_wait, is_described_by_the_holder_and_how_many_are_before) {
  const std::string first =
      R"(waiting for /l, held by "nightly import" (host "worker-3", process 4711, since 2026-11-21T02:10:15Z))";
  EXPECT_EQ(told({holder()}), first);
  EXPECT_EQ(told({holder(), {}}), first + "; 1 other is before us");
  EXPECT_EQ(told({holder(), {}, {}}), first + "; 2 others are before us");
}

TEST(a_wait, is_described_by_what_is_known) {
  participant half;
  half.state = participant_state::held;
  EXPECT_EQ(told({half}), "waiting for /l, held by another client");
  half.pid = 7;
  EXPECT_EQ(told({half}), "waiting for /l, held by another client (process 7)");
}

TEST(a_wait, is_described_by_the_contender_before_us_when_that_one_waits_too) {
  participant writer;
  writer.state = participant_state::waiting;
  writer.label = "the writer";
  EXPECT_EQ(told({writer}), R"(waiting for /l, wanted before us by "the writer")");
}

TEST(a_wait, f51_is_one_harmless_line_whatever_a_holder_says_of_itself) {
  participant hostile = holder();
  hostile.label = "a\n\x1b[2J\"b";
  hostile.host = std::string("h\0\r", 3);
  EXPECT_EQ(told({hostile}), R"(waiting for /l, held by "a\x0a\x1b[2J\"b" (host "h\x00\x0d", process 4711, )"
                             R"(since 2026-11-21T02:10:15Z))");
  hostile.label = std::string(1000, 'x');
  EXPECT_LT(told({hostile}).size(), 300U);
}

}  // namespace
}  // namespace zklock::cli
