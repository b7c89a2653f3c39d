#include "src/api/hold_counts.hpp"

#include <gtest/gtest.h>

namespace zklock::detail {
namespace {

using remainder = hold_counts::remainder;

TEST(hold_counts, a_hold_is_left_until_each_count_is_given_back) {
  hold_counts counts(side::whole);
  counts.take(side::whole);
  EXPECT_EQ(counts.release_count(side::whole), remainder::held);
  EXPECT_EQ(counts.release_count(side::whole), remainder::nothing);
  EXPECT_EQ(counts.release_count(side::whole), remainder::held) << "there was none to give back";
}

TEST(hold_counts, the_last_write_count_leaves_a_read_hold_if_read_counts_are_left) {
  hold_counts counts(side::write);
  counts.take(side::write);
  counts.take(side::read);
  counts.take(side::read);
  EXPECT_EQ(counts.release_count(side::read), remainder::held) << "it still writes";
  EXPECT_EQ(counts.release_count(side::write), remainder::held);
  EXPECT_FALSE(counts.reads_only());
  EXPECT_EQ(counts.release_count(side::write), remainder::read);
  EXPECT_TRUE(counts.reads_only());
  EXPECT_EQ(counts.release_count(side::read), remainder::nothing);
}

TEST(hold_counts, read_counts_that_go_before_the_last_leave_it_as_it_is) {
  hold_counts counts(side::read);
  counts.take(side::read);
  EXPECT_EQ(counts.release_count(side::write), remainder::held) << "of that side there is none";
  EXPECT_EQ(counts.release_count(side::read), remainder::held);
  EXPECT_EQ(counts.release_count(side::read), remainder::nothing);
}

TEST(hold_counts, counts_of_lock_are_known_by_their_side) {
  hold_counts counts(side::write);
  counts.take(side::read);
  EXPECT_FALSE(counts.locked());
  counts.mark_locked(side::read);
  EXPECT_TRUE(counts.locked());
  EXPECT_TRUE(counts.locked(side::read));
  EXPECT_FALSE(counts.locked(side::write));
  EXPECT_EQ(counts.release_locked(side::read), remainder::held);
  EXPECT_FALSE(counts.locked());
  EXPECT_EQ(counts.release_count(side::write), remainder::nothing);
}

TEST(hold_counts, all_counts_of_lock_go_at_once) {
  hold_counts counts(side::write);
  counts.mark_locked(side::write);
  counts.take(side::read);
  counts.mark_locked(side::read);
  counts.take(side::read);
  EXPECT_EQ(counts.release_all_locked(), remainder::read) << "one read count is not lock()'s";
  EXPECT_EQ(counts.release_all_locked(), remainder::held) << "there was none";
  EXPECT_EQ(counts.release_count(side::read), remainder::nothing);

  hold_counts all(side::permits);
  all.mark_locked(side::permits);
  EXPECT_EQ(all.release_all_locked(), remainder::nothing);
}

TEST(hold_counts, one_write_count_can_become_a_read_count) {
  hold_counts counts(side::write);
  counts.take(side::write);
  EXPECT_FALSE(counts.downgrade()) << "another write count is left";
  EXPECT_EQ(counts.release_count(side::write), remainder::held);
  EXPECT_TRUE(counts.downgrade());
  EXPECT_TRUE(counts.reads_only());
  EXPECT_FALSE(counts.downgrade());
  EXPECT_EQ(counts.release_count(side::read), remainder::nothing);
}

}  // namespace
}  // namespace zklock::detail
