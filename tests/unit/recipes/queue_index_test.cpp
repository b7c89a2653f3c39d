#include "recipes/queue_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "recipes/effort.hpp"
#include "tests/unit/recipes/queue_policies.hpp"

namespace zklock::recipes {
namespace {

using names = std::vector<std::string>;

/// Names of all recipes and layouts, of strangers, and of what is no contender.
const std::vector<std::string> beginnings{"a-lock-",       "_c_6a0f5f1c-5d1c-4d5b-9a55-0c8a4c1f7b11-lock-",
                                          "b__lock__",     "read-a-",
                                          "read-b-",       "write-a-",
                                          "write-b-",      "_c_a-__READ__",
                                          "_c_a-__WRIT__", "_c_b-__WRIT__",
                                          "permit-a-1-",   "permit-b-3-",
                                          "_c_a-lease-",   "a__rlock__",
                                          "stray-"};

std::string numbered(const std::string& beginning, std::int32_t number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%010d", number);
  return beginning + digits;
}

TEST(queue_index, f190_says_of_any_list_what_the_walk_over_it_says) {
  std::mt19937 random(190);  // NOLINT: the same lists every time
  const auto one_of = [&random](int below) { return std::uniform_int_distribution<int>(0, below - 1)(random); };
  int compared = 0;
  for (int round = 0; round < 20'000; ++round) {
    const int kinds = round % 3 == 0 ? static_cast<int>(beginnings.size()) : 3;  // mostly of one recipe or two
    const int first = one_of(static_cast<int>(beginnings.size()) - kinds + 1);
    const std::int32_t base = one_of(20) == 0 ? sequence_limit - 2 : one_of(30) == 0 ? -3 : 5;
    std::set<std::string> different;
    for (int i = one_of(9); i >= 0; --i) {
      different.insert(numbered(beginnings[static_cast<std::size_t>(first + one_of(kinds))], base + one_of(12)));
    }
    names children(different.begin(), different.end());
    std::shuffle(children.begin(), children.end(), random);
    if (one_of(15) == 0) {
      children.emplace_back("leases");
    }
    const std::string stranger = numbered(beginnings[static_cast<std::size_t>(first)], base);
    const queue_index index(children);
    for (const std::string& own : children) {
      const std::uint32_t place = index.place_of_prefix(own.substr(0, own.size() - 2));
      ASSERT_NE(place, queue_index::none);
      EXPECT_TRUE(children[place].starts_with(own.substr(0, own.size() - 2)));
      EXPECT_EQ(index.place_of_prefix(own + "x"), queue_index::none);
      if (const auto mine = parse_contender_name(own); mine && mine->kind == contender_kind::foreign) {
        continue;  // none of ours has such a name
      }
      for (const contender_kind kind :
           {contender_kind::mutex, contender_kind::read, contender_kind::permit, contender_kind::lease}) {
        const std::string& marked = one_of(3) == 0 ? children[0] : one_of(2) == 0 ? stranger : "";
        queue_view seen{.children = children, .own = own, .marked = marked, .limit = {4, 4}, .newest = one_of(5) == 0};
        const verdict walked = policy_of(kind)(seen);
        const bool greater = has_greater_number(seen);
        seen.index = &index;
        ASSERT_EQ(policy_of(kind)(seen), walked) << own << " in round " << round;
        ASSERT_EQ(has_greater_number(seen), greater);
        ++compared;
      }
    }
    queue_view absent{.children = children, .own = "c-lock-0000000001", .index = &index};
    ASSERT_EQ(mutex_policy(absent).says, verdict::kind::absent);
  }
  EXPECT_GT(compared, 100'000);
}

TEST(queue_index, f190_of_a_shared_list_each_contender_parses_a_few_names) {
  for (const int size : {10, 1'000, 4'000}) {
    names children;
    for (int i = 0; i < size; ++i) {
      children.push_back(numbered(i % 100 == 0 ? "write-a-" : "read-a-", i));
    }
    std::uint64_t before = effort_of_thread.names;
    const queue_index index(children);
    EXPECT_EQ(effort_of_thread.names - before, children.size());
    for (const std::string& own : {children.front(), children[children.size() / 2 + 1], children.back()}) {
      before = effort_of_thread.names;
      static_cast<void>(read_policy({.children = children, .own = own, .marked = children[0], .index = &index}));
      EXPECT_LE(effort_of_thread.names - before, 3U);
    }
  }
}

}  // namespace
}  // namespace zklock::recipes
