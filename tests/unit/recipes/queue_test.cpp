#include "tests/unit/recipes/queue_policies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <set>

#include "recipes/contender_name.hpp"

namespace zklock::recipes {
namespace {

using kind = verdict::kind;
using names = std::vector<std::string>;

std::string lock(const std::string& prefix, std::int32_t number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%010d", number);
  return prefix + "-lock-" + digits;
}

TEST(mutex_policy, the_lowest_number_is_first) {
  const names children{lock("b", 7), lock("a", 8)};
  EXPECT_EQ(mutex_policy({children, children[0]}).says, kind::first);
}

TEST(mutex_policy, the_predecessor_is_the_nearest_lower_number) {
  const names children{lock("z", 3), lock("m", 9), lock("a", 7), lock("y", 1), lock("b", 12)};
  const verdict seen = mutex_policy({children, children[1]});
  EXPECT_EQ(seen.says, kind::behind);
  EXPECT_EQ(seen.predecessor, lock("a", 7));
  EXPECT_FALSE(seen.sole);
}

TEST(mutex_policy, a_sole_predecessor_is_said_to_be_so) {
  const names children{lock("z", 3), lock("m", 9), lock("b", 12), "a stray child"};
  EXPECT_TRUE(mutex_policy({children, children[1]}).sole);
  EXPECT_FALSE(mutex_policy({children, children[2]}).sole);
}

TEST(mutex_policy, f49_numbers_may_have_gaps_and_strangers_stand_in_nobodys_way) {
  const names children{"0", "-", "zzz", lock("m", 900), "member-0000000001", lock("a", 20)};
  const verdict seen = mutex_policy({children, children[3]});
  EXPECT_EQ(seen.predecessor, lock("a", 20));
  EXPECT_TRUE(seen.sole);
  EXPECT_EQ(mutex_policy({children, children[5]}).says, kind::first);
}

TEST(mutex_policy, f12_the_own_name_has_to_be_in_the_list) {
  EXPECT_EQ(mutex_policy({names{}, lock("a", 1)}).says, kind::absent);
  EXPECT_EQ(mutex_policy({names{lock("b", 2)}, lock("a", 1)}).says, kind::absent);
}

/// A server whose own count did not go back with the leader's leaves the pzxid as it was: it is less than the own czxid.
TEST(mutex_policy, f178_a_greater_number_is_older_if_no_child_came_or_went_since_the_own_create) {
  const names children{lock("a", 7), lock("b", 3)};
  const own_node own{.name = children[1], .czxid = 100};
  const auto seen_at = [&](std::int64_t pzxid) {
    return mutex_policy(view_of({.children = children, .changed = pzxid}, own)).says;
  };
  EXPECT_EQ(seen_at(100), kind::exhausted);
  EXPECT_EQ(seen_at(36), kind::exhausted);
  EXPECT_EQ(seen_at(101), kind::first) << "the greater number may be a later contender's";
  EXPECT_EQ(seen_at(0), kind::first) << "the server does not tell";
}

TEST(mutex_policy, f178_a_greater_number_is_one_of_a_contender) {
  const names children{lock("a", 7), lock("b", 3), "z-0000000009"};
  EXPECT_TRUE(has_greater_number({children, children[1]}));
  EXPECT_FALSE(has_greater_number({children, children[0]}));
  EXPECT_FALSE(has_greater_number({children, "no contender"}));
}

TEST(mutex_policy, f178_two_numbers_are_of_one_leader_if_their_czxids_have_one_epoch) {
  EXPECT_TRUE(numbered_by_one_leader({0x500000001}, {0x5ffffffff}));
  EXPECT_FALSE(numbered_by_one_leader({0x5ffffffff}, {0x600000001}));
  EXPECT_FALSE(numbered_by_one_leader({}, {0x600000001}));
  EXPECT_FALSE(numbered_by_one_leader({}, {}));
}

TEST(mutex_policy, names_of_curator_and_kazoo_stand_in_the_same_queue) {
  const names children{"_c_6a0f5f1c-5d1c-4d5b-9a55-0c8a4c1f7b11-lock-0000000003",
                       "6a0f5f1c5d1c4d5b9a550c8a4c1f7b11__lock__0000000004", lock("m", 5)};
  EXPECT_EQ(mutex_policy({children, children[2]}).predecessor, children[1]);
  EXPECT_EQ(mutex_policy({children, children[1]}).predecessor, children[0]);
}

TEST(mutex_policy, a_contender_of_another_recipe_counts_only_before_the_own) {
  const names before{lock("m", 5), "write-0123456789abcdeffedcba9876543210-0000000004"};
  EXPECT_EQ(mutex_policy({before, before[0]}).says, kind::wrong_recipe);
  const names behind{lock("m", 5), "write-0123456789abcdeffedcba9876543210-0000000006"};
  EXPECT_EQ(mutex_policy({behind, behind[0]}).says, kind::first);
}

TEST(mutex_policy, f47_a_tie_a_negative_number_and_a_counter_near_its_end_are_refused) {
  const names tied{lock("m", 5), lock("a", 5)};
  EXPECT_EQ(mutex_policy({tied, tied[0]}).says, kind::exhausted);
  EXPECT_EQ(mutex_policy({tied, tied[1]}).says, kind::exhausted) << "both of them";
  const names negative{lock("m", 5), lock("a", -2'147'483'648)};
  EXPECT_EQ(mutex_policy({negative, negative[0]}).says, kind::exhausted);
  EXPECT_EQ(mutex_policy({negative, negative[1]}).says, kind::exhausted);
  const names late{lock("m", sequence_limit)};
  EXPECT_EQ(mutex_policy({late, late[0]}).says, kind::exhausted);
  const names last{lock("m", sequence_limit - 1)};
  EXPECT_EQ(mutex_policy({last, last[0]}).says, kind::first);
}

TEST(mutex_policy, f46_order_is_by_number_alone_whatever_the_prefix_and_the_order_of_the_list) {
  std::mt19937 random(46);  // NOLINT: the same lists every time
  std::uniform_int_distribution<std::int32_t> pick(0, sequence_limit - 1);
  std::uniform_int_distribution<int> letter('a', 'z');
  for (int round = 0; round < 2000; ++round) {
    std::set<std::int32_t> numbers;
    while (numbers.size() < 8) {
      numbers.insert(pick(random) >> (round % 28));
      if (round % 28 > 24) {
        numbers.insert(static_cast<std::int32_t>(numbers.size()) * 3);
      }
    }
    names children;
    for (const std::int32_t number : numbers) {
      children.push_back(lock(std::string(1, static_cast<char>(letter(random))) + std::to_string(number % 7), number));
    }
    const names in_order = children;
    std::shuffle(children.begin(), children.end(), random);
    for (std::size_t place = 0; place < in_order.size(); ++place) {
      const verdict seen = mutex_policy({children, in_order[place]});
      ASSERT_EQ(seen.says, place == 0 ? kind::first : kind::behind);
      ASSERT_EQ(seen.predecessor, place == 0 ? "" : in_order[place - 1]);
      ASSERT_EQ(seen.sole, place == 1);
    }
  }
}

}  // namespace
}  // namespace zklock::recipes
