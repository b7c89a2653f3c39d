// Which of the contenders before it zklock run waits for.
#include "src/cli/blocking_participants.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zklock::cli {
namespace {

using recipe = lock_kind::recipe;

participant one_of(participant_kind kind, const std::string& label, std::uint32_t permits = 0) {
  participant one;
  one.kind = kind;
  one.label = label;
  one.permits = permits;
  return one;
}

std::string labels(const std::vector<participant>& queue) {
  std::string all;
  for (const participant& one : queue) {
    all += one.label;
  }
  return all;
}

const std::vector<participant> readers_and_writers{
    one_of(participant_kind::read, "a"), one_of(participant_kind::write, "b"), one_of(participant_kind::read, "c"),
    one_of(participant_kind::write, "d")};
const std::vector<participant> users{one_of(participant_kind::permits, "a", 2),
                                     one_of(participant_kind::permits, "b", 1)};

TEST(in_the_way, of_a_reader_are_the_writers) {
  EXPECT_EQ(labels(blocking_participants(readers_and_writers, {.of = recipe::shared})), "bd");
  EXPECT_EQ(labels(blocking_participants({readers_and_writers.front()}, {.of = recipe::shared})), "");
}

TEST(in_the_way, of_a_writer_and_of_a_mutex_are_all) {
  EXPECT_EQ(labels(blocking_participants(readers_and_writers, {.of = recipe::exclusive})), "abcd");
  EXPECT_EQ(labels(blocking_participants({one_of(participant_kind::mutex, "a")}, {})), "a");
}

TEST(in_the_way, of_a_contender_for_permits_are_none_while_there_are_enough) {
  EXPECT_EQ(labels(blocking_participants(users, {.of = recipe::semaphore, .limit = 4, .permits = 1})), "");
  EXPECT_EQ(labels(blocking_participants(users, {.of = recipe::semaphore, .limit = 4, .permits = 2})), "ab");
  EXPECT_EQ(labels(blocking_participants(users, {.of = recipe::semaphore, .limit = 3, .permits = 1})), "ab");
}

}  // namespace
}  // namespace zklock::cli
