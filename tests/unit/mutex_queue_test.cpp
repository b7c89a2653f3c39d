#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "recipes/contender_name.hpp"
#include "recipes/queue.hpp"

namespace zklock::recipes {
namespace {

using names = std::vector<std::string>;

TEST(mutex_queue, f51_comes_in_the_order_of_the_numbers_whatever_the_prefixes) {
  const std::string ours = "0fd3c0ffee0fd3c0ffee0fd3c0ffee00-lock-0000000012";
  const std::string curators = "_c_1b4e28ba-2fa1-11d2-883f-0016d3cca427-lock-0000000009";
  const std::string kazoos = "ffd3c0ffee0fd3c0ffee0fd3c0ffee00__lock__0000000010";
  const std::string go_zks = "_c_0fd3c0ffee0fd3c0ffee0fd3c0ffee00-lock-0000000011";
  EXPECT_EQ(mutex_queue({ours, go_zks, kazoos, curators}), (names{curators, kazoos, go_zks, ours}));
}

TEST(mutex_queue, f49_f51_leaves_out_what_is_no_contender_for_a_mutex) {
  EXPECT_EQ(mutex_queue({}), names{});
  EXPECT_EQ(
      mutex_queue({"0", "-", "zzz", "lock", "", "a-lock-", "a-lock-12", "read-x-0000000001", "write-x-0000000002",
                   "permit-x-1-0000000003", "x-__READ__0000000004", "x-latch-0000000005", "x__rlock__0000000006"}),
      names{});
}

TEST(mutex_queue, f47_numbers_are_signed_and_tied_ones_stand_by_name) {
  EXPECT_EQ(mutex_queue({"b-lock-2147483647", "a-lock-2147483647", "c-lock--2147483648", "d-lock-0000000000"}),
            (names{"c-lock--2147483648", "d-lock-0000000000", "a-lock-2147483647", "b-lock-2147483647"}));
}

TEST(mutex_queue, f46_f51_agrees_with_the_policy_on_who_is_first_and_who_stands_before_whom) {
  std::mt19937 chance(46);
  for (int run = 0; run < 300; ++run) {
    names children{"stray", "0"};
    for (int number = 0; number < 20; ++number) {
      char digits[16];
      std::snprintf(digits, sizeof digits, "%010d", number * 3);
      children.push_back(std::to_string(chance()) + (chance() % 2 == 0 ? "-lock-" : "__lock__") + digits);
    }
    std::shuffle(children.begin(), children.end(), chance);
    const names queue = mutex_queue(children);
    ASSERT_EQ(queue.size(), 20U);
    EXPECT_EQ(mutex_policy({children, queue[0]}).says, verdict::kind::first);
    for (std::size_t place = 1; place < queue.size(); ++place) {
      const verdict seen = mutex_policy({children, queue[place]});
      ASSERT_EQ(seen.says, verdict::kind::behind);
      ASSERT_EQ(seen.predecessor, queue[place - 1]);
    }
  }
}

TEST(mutex_queue, f51_takes_any_bytes_for_names) {
  std::mt19937 chance(51);
  for (int run = 0; run < 2'000; ++run) {
    names children;
    for (int child = 0; child < 5; ++child) {
      std::string name;
      for (auto size = chance() % 20; size > 0; --size) {
        name += static_cast<char>(chance() % 256);
      }
      children.push_back(name + (chance() % 2 == 0 ? "-lock-0000000001" : ""));
    }
    const names queue = mutex_queue(children);
    ASSERT_EQ(queue.size(),
              static_cast<std::size_t>(std::count_if(children.begin(), children.end(), [](const std::string& name) {
                const auto parsed = parse_contender_name(name);
                return parsed && parsed->kind == contender_kind::mutex;
              })));
  }
}

}  // namespace
}  // namespace zklock::recipes
