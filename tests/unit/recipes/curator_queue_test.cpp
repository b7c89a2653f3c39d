#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "recipes/contender_name.hpp"
#include "tests/unit/recipes/queue_policies.hpp"

/// Which contenders a contender waits for in Curator's layout.
namespace zklock::recipes {
namespace {

using kind = verdict::kind;
using names = std::vector<std::string>;

std::string name_of(contender_kind what, std::int32_t number, std::uint64_t owner = 0) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%010d", number);
  const contender_id id(owner == 0 ? static_cast<std::uint64_t>(number) : owner, 1);
  return std::string(contender_prefix(what, id, 1, layout::curator)) + digits;
}
std::string reader(std::int32_t number, std::uint64_t owner = 0) {
  return name_of(contender_kind::read, number, owner);
}
std::string writer(std::int32_t number, std::uint64_t owner = 0) {
  return name_of(contender_kind::write, number, owner);
}
std::string lease(std::int32_t number) { return name_of(contender_kind::lease, number); }

// ---- readers and writers

TEST(curator_sides, f55_f57_a_reader_waits_for_the_nearest_writer_and_a_writer_for_its_predecessor) {
  const names children{reader(1), writer(2), writer(3), reader(4), reader(5), writer(6)};
  EXPECT_EQ(read_policy({children, reader(1)}).says, kind::first);
  EXPECT_EQ(read_policy({children, reader(5)}).predecessor, writer(3));
  EXPECT_EQ(write_policy({children, writer(2)}).predecessor, reader(1));
  EXPECT_EQ(write_policy({children, writer(6)}).predecessor, reader(5));
  const names readers{reader(1), reader(2), reader(3)};
  EXPECT_EQ(read_policy({readers, reader(3)}).says, kind::first);
}

/// As 5.5.0 and later downgrade: the reader is made with the writer's number, and the writer goes afterwards.
TEST(curator_sides, f52_a_reader_with_the_number_of_its_writer_is_no_tie_to_those_behind_the_pair) {
  const names children{writer(1, 7), reader(1, 8), reader(2), writer(3)};
  EXPECT_EQ(read_policy({children, reader(2)}).says, kind::behind) << "the writer has not gone yet";
  EXPECT_EQ(read_policy({children, reader(2)}).predecessor, writer(1, 7));
  EXPECT_EQ(write_policy({children, writer(3)}).predecessor, reader(2));
  const names pair{writer(1, 7), reader(1, 8), writer(3)};
  const verdict waits = write_policy({pair, writer(3)});
  EXPECT_EQ(waits.says, kind::behind);
  EXPECT_FALSE(waits.sole) << "both have to go";
  const names after{reader(1, 8), reader(2), writer(3)};
  EXPECT_EQ(read_policy({after, reader(2)}).says, kind::first);
  EXPECT_EQ(write_policy({after, writer(3)}).says, kind::behind);
}

TEST(curator_sides, f47_a_tie_with_the_own_number_is_refused) {
  const names children{writer(1, 7), writer(1, 8)};
  EXPECT_EQ(write_policy({children, writer(1, 7)}).says, kind::exhausted);
}

TEST(curator_sides, those_of_the_other_layout_before_the_own_are_wrong_and_those_behind_it_are_not) {
  const std::string id(32, 'a');
  const names children{"write-" + id + "-0000000002", reader(1), reader(3)};
  EXPECT_EQ(read_policy({children, reader(3)}).says, kind::wrong_recipe);
  EXPECT_EQ(read_policy({children, reader(1)}).says, kind::first);
  EXPECT_TRUE(read_policy({children, reader(1)}).mixed);
  const std::string native = "read-" + id + "-0000000004";
  const names theirs{writer(2), native};
  EXPECT_EQ(read_policy({theirs, native}).says, kind::wrong_recipe);
}

TEST(curator_sides, agree_with_a_naive_model) {
  std::mt19937 random(57);  // NOLINT: the same queues every time
  std::uniform_int_distribution<int> size(1, 8), coin(0, 1);
  for (int round = 0; round < 5'000; ++round) {
    names queue;
    std::vector<bool> writes;
    for (int number = 1, count = size(random); number <= count; ++number) {
      writes.push_back(coin(random) == 0);
      queue.push_back(writes.back() ? writer(number) : reader(number));
    }
    names children = queue;
    children.emplace_back("a stray child");
    std::shuffle(children.begin(), children.end(), random);
    for (std::size_t own = 0; own < queue.size(); ++own) {
      std::string nearest;
      for (std::size_t other = 0; other < own; ++other) {
        nearest = writes[own] || writes[other] ? queue[other] : nearest;
      }
      const verdict seen =
          policy_of(writes[own] ? contender_kind::write : contender_kind::read)({children, queue[own]});
      ASSERT_EQ(seen.predecessor, nearest) << round;
      ASSERT_EQ(seen.says, nearest.empty() ? kind::first : kind::behind) << round;
    }
  }
}

// ---- leases

TEST(lease_policy, a_lease_counts_when_it_is_in_the_list_and_there_are_no_more_than_the_limit) {
  const names children{lease(1), lease(2), lease(3)};
  for (const std::string& own : children) {
    EXPECT_EQ(lease_policy({children, own, {}, {3, 3}}).says, kind::first) << own << ": whatever its place";
    EXPECT_EQ(lease_policy({children, own, {}, {2, 2}}).says, kind::next) << own;
  }
  EXPECT_EQ(lease_policy({children, lease(4), {}, {9, 9}}).says, kind::absent) << "F12";
  EXPECT_EQ(lease_policy({names{}, lease(1), {}, {9, 9}}).says, kind::absent);
}

TEST(lease_policy, whatever_stands_among_the_leases_counts_as_one_as_it_does_for_java) {
  const names children{lease(1), "a stray child"};
  EXPECT_EQ(lease_policy({children, lease(1), {}, {1, 1}}).says, kind::next);
  EXPECT_EQ(lease_policy({children, lease(1), {}, {2, 2}}).says, kind::first);
}

// ---- a contender that comes to a semaphore of Curator's with a lock of another recipe

TEST(queue_policies, the_parent_of_leases_is_in_the_way_of_every_contender) {
  const std::string id(32, 'a');
  const std::string mutex = id + "-lock-0000000000";
  const std::string permit = "permit-" + id + "-1-0000000000";
  const std::string native_writer = "write-" + id + "-0000000000";
  const auto beside = [](const std::string& own) { return names{"locks", "leases", own}; };
  EXPECT_EQ(mutex_policy({beside(mutex), mutex}).says, kind::wrong_recipe);
  EXPECT_EQ(write_policy({beside(native_writer), native_writer}).says, kind::wrong_recipe);
  EXPECT_EQ(read_policy({beside(reader(0)), reader(0)}).says, kind::wrong_recipe);
  EXPECT_EQ(permit_policy({beside(permit), permit, {}, {4, 4}}).says, kind::wrong_recipe);
  const names locks{"locks", mutex};
  EXPECT_EQ(mutex_policy({locks, mutex}).says, kind::first) << "the place of the mutex alone says nothing";
}

}  // namespace
}  // namespace zklock::recipes
