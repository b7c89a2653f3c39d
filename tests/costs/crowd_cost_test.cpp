#include <gtest/gtest.h>

#include "tests/costs/crowd.hpp"

namespace zklock::costs {
namespace {

/// What each member of a crowd may cost, however large it is, and what all of them together may cost besides.
struct bounds {
  std::uint64_t requests_each;
  std::uint64_t lists;
  std::uint64_t names_each;
  std::uint64_t calls_each;
};

constexpr std::uint64_t together = 100;
/// A slice is of 64 contenders, of each of which a few operations are called: its call, the watch on its node, the lists.
constexpr std::uint64_t calls_of_a_task = 64 * 6;

bounds bounds_of(crowd_does what) {
  switch (what) {
    case crowd_does::readers_are_freed:
    case crowd_does::readers_pass_mark: return {0, 4, 7, 7};
    case crowd_does::permits_are_freed: return {1, 4, 9, 8};
    case crowd_does::readers_join:
    case crowd_does::readers_wait: return {1, 4, 9, 9};
    case crowd_does::permits_join:
    case crowd_does::permits_wait: return {3, 4, 9, 11};
    case crowd_does::readers_cancel:
    case crowd_does::mutexes_cancel:
    case crowd_does::permits_cancel: return {1, 4, 7, 5};
    case crowd_does::joiners_reconnect: return {5, 8, 9, 16};
    case crowd_does::waiters_reconnect: break;
  }
  return {0, 0, 2, 5};
}

class a_crowd : public ::testing::TestWithParam<crowd_does> {};

TEST_P(a_crowd, f190_f191_costs_each_of_its_members_the_same_however_large_it_is) {
  const bounds most = bounds_of(GetParam());
  for (const std::size_t members : {std::size_t{10}, std::size_t{1'000}, std::size_t{4'000}}) {
    const meter found = measure_crowd(GetParam(), members);
    std::uint64_t requests = 0;
    for (const std::uint64_t each : found.requests) {
      requests += each;
    }
    EXPECT_LE(requests, most.requests_each * members + together) << members;
    EXPECT_LE(found.sent<client::request::list>(), most.lists) << members;
    EXPECT_LE(found.effort.names, most.names_each * members + together) << members;
    EXPECT_LE(found.effort.calls, most.calls_each * members + together) << members;
  }
}

TEST_P(a_crowd, f190_of_10000_takes_no_task_of_the_strand_for_more_than_a_slice) {
  constexpr std::size_t members = 10'000;
  const meter found = measure_crowd(GetParam(), members);
  EXPECT_LE(found.task_max.calls, calls_of_a_task);
  EXPECT_LE(found.task_max.names, 2 * (members + 1) + 10 * 64) << "a list is walked once, and sorted once";
}

INSTANTIATE_TEST_SUITE_P(of_one_session, a_crowd, ::testing::ValuesIn(all_crowds()),
                         [](const auto& one) { return std::string(name_of(one.param)); });

}  // namespace
}  // namespace zklock::costs
