#include "src/zookeeper/multi_flights.hpp"

#include <gtest/gtest.h>

namespace zklock::client {
namespace {

request::multi some_multi() { return {{request::remove{"/a"}, request::set{"/b", "data"}}}; }

TEST(multi_flights, each_is_kept_until_its_answer) {
  multi_flights flights;
  const multi_flight* const first = &flights.add(1, some_multi());
  const multi_flight* const second = &flights.add(2, some_multi());
  EXPECT_EQ(flights.take(2).get(), second);
  EXPECT_EQ(flights.take(2), nullptr) << "once";
  const auto taken = flights.take(1);
  ASSERT_EQ(taken.get(), first);
  EXPECT_EQ(taken->parts().size(), 2U);
  EXPECT_EQ(flights.take(3), nullptr);
}

TEST(multi_flights, they_are_over_when_none_is_left_and_none_is_added) {
  multi_flights flights;
  EXPECT_FALSE(flights.over()) << "more may be sent";
  flights.add(1, some_multi());
  flights.retire();
  EXPECT_FALSE(flights.over());
  EXPECT_NE(flights.take(1), nullptr);
  EXPECT_TRUE(flights.over());
}

}  // namespace
}  // namespace zklock::client
