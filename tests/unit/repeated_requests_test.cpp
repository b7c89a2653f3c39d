#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "src/session/repeated_requests.hpp"

namespace zklock::detail {
namespace {

using namespace std::chrono_literals;

struct request {
  const instant until = 10s;
  std::uint64_t number = 0;
  std::optional<instant> retry_at;
};

class requests_under_way : public testing::Test {
 protected:
  std::shared_ptr<request> begin(std::optional<instant> retry_at = std::nullopt, instant until = 10s) {
    auto one = std::make_shared<request>(request{until, 0, {}});
    requests.renumber(one, retry_at);
    return one;
  }

  repeated_requests<request> requests;
};

TEST_F(requests_under_way, are_found_by_the_number_of_their_latest_try_alone) {
  const auto one = begin();
  const std::uint64_t first = one->number;
  requests.renumber(one);
  EXPECT_EQ(requests.find(first), nullptr);
  EXPECT_EQ(requests.find(one->number), one);
  const std::uint64_t second = one->number;
  requests.end(*one);
  EXPECT_EQ(one->number, 0U);
  EXPECT_EQ(requests.find(second), nullptr);
}

TEST_F(requests_under_way, are_left_out_once_another_ones_turn_has_ended_or_renumbered_or_begun_them) {
  const auto first = begin(), ended = begin(), renumbered = begin();
  std::shared_ptr<request> begun;
  int turns = 0;
  requests.for_each([&](const std::shared_ptr<request>& one) {
    ++turns;
    EXPECT_EQ(one, first);
    requests.end(*ended);
    requests.renumber(renumbered);
    begun = begin();
    requests.end(*one);
  });
  EXPECT_EQ(turns, 1);
  turns = 0;
  requests.for_each([&](const std::shared_ptr<request>& one) {
    ++turns;
    EXPECT_TRUE(one == renumbered || one == begun);
  });
  EXPECT_EQ(turns, 2);
}

TEST_F(requests_under_way, are_due_at_their_next_try_if_there_is_a_connection_and_at_their_limit_in_any_case) {
  EXPECT_EQ(requests.due(true), std::nullopt);
  const auto later = begin(5s);
  EXPECT_EQ(requests.due(true), 5s);
  EXPECT_EQ(requests.due(false), 10s);
  const auto sooner = begin(7s, 4s);
  EXPECT_EQ(requests.due(true), 4s);
  requests.renumber(later, 3s);
  EXPECT_EQ(requests.due(true), 3s);
  requests.end(*later);
  requests.end(*sooner);
  EXPECT_EQ(requests.due(true), std::nullopt);
}

}  // namespace
}  // namespace zklock::detail
