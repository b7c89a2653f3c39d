#include "src/engine/watch_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace zklock::engine {
namespace {

const client::watch_budget ample;

/// Room for so many watches of the path "/a".
client::watch_budget room_for(std::size_t watches) {
  client::watch_budget budget;
  budget.bytes = watches * budget.cost_of("/a");
  return budget;
}

TEST(watch_table, gives_back_what_was_added_when_it_fires_and_once) {
  watch_table watches;
  const client::watch_id of_data = watches.add(1, 70, "/a", watch_table::kind::data, ample);
  const client::watch_id of_children = watches.add(2, 70, "/b", watch_table::kind::children, ample);
  ASSERT_NE(of_data, client::no_watch);
  ASSERT_NE(of_children, client::no_watch);
  EXPECT_NE(of_data, of_children);
  EXPECT_EQ(watches.size(), 2U);
  const auto fired = watches.take(of_children);
  ASSERT_TRUE(fired);
  EXPECT_EQ(fired->id, of_children);
  EXPECT_EQ(fired->owner, 2U);
  EXPECT_EQ(fired->as, 70U);
  EXPECT_EQ(fired->path, "/b");
  EXPECT_EQ(fired->on, watch_table::kind::children);
  EXPECT_FALSE(watches.take(of_children));
  EXPECT_FALSE(watches.stands(2, 70));
  EXPECT_TRUE(watches.stands(1, 70));
  EXPECT_EQ(watches.take(of_data)->on, watch_table::kind::data);
  EXPECT_EQ(watches.size(), 0U);
}

TEST(watch_table, finds_a_watch_by_its_owner_and_its_tag) {
  watch_table watches;
  static_cast<void>(watches.add(1, 70, "/a", watch_table::kind::data, ample));
  const client::watch_id sought = watches.add(1, 71, "/b", watch_table::kind::data, ample);
  static_cast<void>(watches.add(2, 71, "/c", watch_table::kind::data, ample));
  EXPECT_FALSE(watches.take_of(2, 70));
  EXPECT_FALSE(watches.stands(2, 70));
  const auto taken = watches.take_of(1, 71);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->id, sought);
  EXPECT_FALSE(watches.take_of(1, 71));
  EXPECT_FALSE(watches.take(sought)) << "an event that comes late is of no watch";
  EXPECT_TRUE(watches.stands(1, 70) && watches.stands(2, 71));
}

TEST(watch_table, replaces_the_watch_under_a_tag) {
  watch_table watches;
  const client::watch_id before = watches.add(1, 70, "/a", watch_table::kind::data, ample);
  const client::watch_id since = watches.add(1, 70, "/b", watch_table::kind::children, ample);
  EXPECT_NE(before, since);
  EXPECT_EQ(watches.size(), 1U);
  EXPECT_FALSE(watches.take(before));
  EXPECT_EQ(watches.take_of(1, 70)->path, "/b");
}

TEST(watch_table, has_no_room_beyond_its_budget) {
  watch_table watches;
  const client::watch_budget two = room_for(2);
  EXPECT_EQ(watches.share(), 0.0);
  EXPECT_NE(watches.add(1, 70, "/a", watch_table::kind::data, two), client::no_watch);
  EXPECT_EQ(watches.share(), 0.5);
  EXPECT_NE(watches.add(2, 70, "/a", watch_table::kind::data, two), client::no_watch) << "to the last byte";
  EXPECT_EQ(watches.add(3, 70, "/a", watch_table::kind::data, two), client::no_watch);
  EXPECT_EQ(watches.size(), 2U);
  EXPECT_EQ(watches.share(), 1.0);
  EXPECT_FALSE(watches.stands(3, 70));
  EXPECT_FALSE(watches.take(client::no_watch));
}

TEST(watch_table, counts_the_bytes_of_the_path_and_of_the_handles_own_chroot) {
  for (const std::size_t chroot : {std::size_t{0}, std::size_t{5}}) {
    watch_table watches;
    client::watch_budget budget;
    budget.chroot = chroot;
    budget.bytes = budget.cost_of("/longer") - 1;
    EXPECT_EQ(watches.add(1, 70, "/longer", watch_table::kind::data, budget), client::no_watch);
    EXPECT_NE(watches.add(1, 70, "/longe", watch_table::kind::data, budget), client::no_watch);
  }
}

TEST(watch_table, has_the_room_again_of_a_watch_that_is_gone) {
  const client::watch_budget one = room_for(1);
  watch_table watches;
  const auto add = [&](tag as) { return watches.add(1, as, "/a", watch_table::kind::data, one); };
  client::watch_id last = add(70);
  ASSERT_EQ(add(71), client::no_watch);
  EXPECT_TRUE(watches.take(last));
  EXPECT_NE(last = add(72), client::no_watch) << "it has fired";
  EXPECT_TRUE(watches.take_of(1, 72));
  EXPECT_NE(last = add(73), client::no_watch) << "it was forgotten";
  EXPECT_TRUE(watches.take_any_of(1));
  EXPECT_NE(last = add(74), client::no_watch) << "its owner has ended";
  EXPECT_NE(last = add(74), client::no_watch) << "it was replaced";
  EXPECT_EQ(add(75), client::no_watch);
  watches.clear();
  EXPECT_NE(add(76), client::no_watch) << "the session is over";
}

TEST(watch_table, keeps_no_watch_under_a_tag_whose_next_one_has_no_room) {
  watch_table watches;
  const client::watch_budget one = room_for(1);
  const client::watch_id before = watches.add(1, 70, "/a", watch_table::kind::data, one);
  EXPECT_EQ(watches.add(1, 70, "/longer", watch_table::kind::data, one), client::no_watch);
  EXPECT_FALSE(watches.stands(1, 70));
  EXPECT_FALSE(watches.take(before));
}

TEST(watch_table, gives_all_watches_of_an_owner_one_by_one_and_none_of_others) {
  watch_table watches;
  static_cast<void>(watches.add(1, UINT32_MAX, "/a", watch_table::kind::data, ample));
  for (const tag as : {tag{0}, tag{7}, tag{UINT32_MAX}}) {
    static_cast<void>(watches.add(2, as, "/" + std::to_string(as), watch_table::kind::data, ample));
  }
  static_cast<void>(watches.add(3, 0, "/c", watch_table::kind::data, ample));
  std::vector<tag> taken;
  while (const auto one = watches.take_any_of(2)) {
    EXPECT_EQ(one->owner, 2U);
    EXPECT_EQ(one->path, "/" + std::to_string(one->as));
    taken.push_back(one->as);
  }
  std::sort(taken.begin(), taken.end());
  EXPECT_EQ(taken, (std::vector<tag>{0, 7, UINT32_MAX}));
  EXPECT_FALSE(watches.take_any_of(4));
  EXPECT_EQ(watches.size(), 2U);
  EXPECT_TRUE(watches.stands(1, UINT32_MAX) && watches.stands(3, 0));
}

TEST(watch_table, knows_no_watch_of_a_session_that_is_over) {
  watch_table watches;
  const client::watch_id before = watches.add(1, 70, "/a", watch_table::kind::data, ample);
  watches.clear();
  EXPECT_EQ(watches.size(), 0U);
  EXPECT_FALSE(watches.stands(1, 70));
  EXPECT_NE(watches.add(1, 70, "/a", watch_table::kind::data, ample), before)
      << "a late event must not be taken for one of this session";
  EXPECT_FALSE(watches.take(before));
}

}  // namespace
}  // namespace zklock::engine
