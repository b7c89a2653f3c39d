#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "recipes/contender_name.hpp"

/// The names that Curator's recipes give their nodes, and read.
namespace zklock::recipes {
namespace {

using enum contender_kind;

const std::string javas = "_c_6a0f5f1c-5d1c-4d5b-9a55-0c8a4c1f7b11-";

std::string prefix_of(contender_kind kind, const contender_id& id = {0xabc, 1}) {
  return std::string(contender_prefix(kind, id, 1, layout::curator));
}

TEST(curator_name, a_prefix_is_curators_protection_and_the_marker_of_the_recipe) {
  const std::string owner = "_c_00000000-0000-4abc-8000-000000000001-";
  EXPECT_EQ(prefix_of(mutex), owner + "lock-");
  EXPECT_EQ(prefix_of(read), owner + "__READ__");
  EXPECT_EQ(prefix_of(write), owner + "__WRIT__");
  EXPECT_EQ(prefix_of(lease), owner + "lease-");
}

TEST(curator_name, its_id_is_a_random_uuid_as_java_writes_it) {
  std::mt19937_64 random(5);  // NOLINT: the same ids every time
  std::set<char> variants;
  std::set<std::string> all;
  for (int round = 0; round < 1'000; ++round) {
    const std::string name = prefix_of(mutex, contender_id(random(), random()));
    ASSERT_EQ(name.size(), 3U + 36 + 6);
    const std::string uuid = name.substr(3, 36);
    for (std::size_t place = 0; place < uuid.size(); ++place) {
      const bool dash = place == 8 || place == 13 || place == 18 || place == 23;
      ASSERT_TRUE(dash ? uuid[place] == '-' : std::string("0123456789abcdef").find(uuid[place]) != std::string::npos)
          << uuid;
    }
    ASSERT_EQ(uuid[14], '4') << uuid << ": the version";
    variants.insert(uuid[19]);
    all.insert(uuid);
  }
  EXPECT_EQ(variants, (std::set<char>{'8', '9', 'a', 'b'}));
  EXPECT_EQ(all.size(), 1'000U);
}

TEST(curator_name, an_own_name_is_read_as_what_it_was_made_for) {
  for (const contender_kind kind : {mutex, read, write, lease}) {
    const auto parsed = parse_contender_name(prefix_of(kind) + "0000000042");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->kind, kind);
    EXPECT_EQ(parsed->sequence.value, 42);
    EXPECT_EQ(parsed->layout, kind == mutex ? layout::native : layout::curator) << "mutexes go together";
    EXPECT_EQ(parsed->permits, kind == lease ? 1U : 0U);
  }
}

TEST(curator_name, a_marker_that_is_wrong_by_a_character_is_no_contender) {
  for (const std::string marker :
       {"__READ_", "_READ__", "__read__", "__WRITE__", "__WRIT_", "lease", "leases-", "lck-"}) {
    EXPECT_FALSE(parse_contender_name(javas + marker + "0000000001")) << marker;
  }
}

TEST(curator_name, f52_the_reader_of_a_writer_has_its_id_and_its_number) {
  EXPECT_EQ(curator_reader_of(javas + "__WRIT__0000000007"), javas + "__READ__0000000007");
  EXPECT_EQ(curator_reader_of("_c___WRIT__-__WRIT__0000000007"), "_c___WRIT__-__READ__0000000007")
      << "the marker alone";
  const auto parsed = parse_contender_name(curator_reader_of(prefix_of(write) + "0000000007"));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->kind, read);
  EXPECT_EQ(parsed->sequence.value, 7);
}

TEST(curator_name, the_parent_of_leases_is_foreign_before_all_and_its_neighbour_is_no_contender) {
  const auto leases = parse_contender_name("leases");
  ASSERT_TRUE(leases);
  EXPECT_EQ(leases->kind, foreign);
  EXPECT_EQ(leases->sequence.value, INT32_MIN);
  for (const char* const name : {"locks", "lease", "leases-", "Leases", "leases-0000000001", "my leases"}) {
    EXPECT_FALSE(parse_contender_name(name)) << name;
  }
}

TEST(curator_name, the_participants_of_a_leader_latch_are_a_recipe_of_their_own) {
  const auto latch = parse_contender_name(javas + "latch-0000000001");
  ASSERT_TRUE(latch);
  EXPECT_EQ(latch->kind, contender_kind::latch);
  EXPECT_EQ(latch->layout, layout::curator);
  EXPECT_TRUE(of_one_recipe(*latch, *latch));
  EXPECT_FALSE(of_one_recipe(*latch, *parse_contender_name(javas + "lock-0000000001")));
  EXPECT_EQ(std::string(contender_prefix(contender_kind::latch, contender_id(1, 2), 1, layout::curator)),
            "_c_00000000-0000-4001-8000-000000000002-latch-");
}

TEST(curator_name, sides_go_together_within_their_layout_alone_and_mutexes_whosever_they_are) {
  const auto parsed = [](const std::string& prefix) { return *parse_contender_name(prefix + "0000000001"); };
  const std::string id(32, 'a');
  EXPECT_TRUE(of_one_recipe(parsed(javas + "__READ__"), parsed(javas + "__WRIT__")));
  EXPECT_TRUE(of_one_recipe(parsed("read-" + id + "-"), parsed("write-" + id + "-")));
  EXPECT_FALSE(of_one_recipe(parsed("read-" + id + "-"), parsed(javas + "__WRIT__")));
  EXPECT_FALSE(of_one_recipe(parsed(javas + "__READ__"), parsed("write-" + id + "-")));
  EXPECT_FALSE(of_one_recipe(parsed(javas + "__READ__"), parsed("read-" + id + "-")));
  EXPECT_TRUE(of_one_recipe(parsed(javas + "lock-"), parsed(id + "-lock-")));
  EXPECT_TRUE(of_one_recipe(parsed(javas + "lock-"), parsed(id + "__lock__"))) << "kazoo's";
  EXPECT_FALSE(of_one_recipe(parsed(javas + "lease-"), parsed("permit-" + id + "-1-")));
  EXPECT_FALSE(of_one_recipe(parsed(javas + "lock-"), parsed(javas + "__WRIT__")));
  EXPECT_FALSE(of_one_recipe(*parse_contender_name("leases"), parsed(javas + "lease-")));
}

TEST(curator_name, f47_numbers_are_signed_there_as_well) {
  EXPECT_EQ(parse_contender_name(javas + "__WRIT__-2147483648")->sequence.value, INT32_MIN);
  EXPECT_EQ(parse_contender_name(javas + "lease--000000005")->sequence.value, -5);
}

}  // namespace
}  // namespace zklock::recipes
