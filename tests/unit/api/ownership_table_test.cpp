#include "src/api/ownership_table.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/hold_of.hpp"

/// Counts of what threads hold of one lock object: no session, no server.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using verdict = ownership_table::verdict;
using remainder = ownership_table::remainder;

constexpr owner_number me = 1;  // threads, which own what they lock
constexpr owner_number other = 2;
constexpr caller without_owner{no_owner, me};
constexpr caller task_of_mine{3, me};
constexpr instant now = 100s;

class an_ownership_table : public ::testing::Test {
 protected:
  an_ownership_table() { session_->extend(200s); }

  std::shared_ptr<hold> enter(owner_number owner, side of, std::uint32_t permits = 1) {
    return enter(caller{owner, owner}, of, permits);
  }
  std::shared_ptr<hold> enter(const caller& by, side of, std::uint32_t permits = 1) {
    auto taken = std::make_shared<hold>(test_support::hold_of(session_, {77}, ++contenders_, "/l", "/l/node"));
    table_.enter(by, of, taken, permits);
    return taken;
  }
  std::shared_ptr<hold> enter_locked(owner_number owner, side of) { return enter_locked(caller{owner, owner}, of); }
  std::shared_ptr<hold> enter_locked(const caller& by, side of, std::uint32_t permits = 1) {
    auto taken = enter(by, of, permits);
    table_.mark_locked(*taken, of);
    return taken;
  }
  verdict reenter(owner_number owner, side of) { return reenter(caller{owner, owner}, of); }
  verdict reenter(const caller& by, side of, owner_again again = owner_again::counts) {
    return table_.reenter(by, of, again, now).what;
  }
  verdict as_part(const caller& by, side of, owner_again again = owner_again::counts) {
    return table_.contend_as_part(by, of, again, now);
  }
  std::shared_ptr<hold> release_locked(const caller& by, side of, std::uint32_t permits = 1) {
    return table_.release_locked(by, of, permits).held;
  }
  std::shared_ptr<hold> release_locked(owner_number owner, side of) { return release_locked(caller{owner, owner}, of); }

  const std::shared_ptr<session_deadline> session_ = std::make_shared<session_deadline>();
  std::uint64_t contenders_ = 0;
  ownership_table table_;
};

// ---- re-entry

TEST_F(an_ownership_table, counts_for_each_owner_apart) {
  EXPECT_EQ(reenter(me, side::whole), verdict::contends);
  const auto mine = enter(me, side::whole);
  EXPECT_EQ(table_.reenter({me, me}, side::whole, owner_again::counts, now).held, mine);
  EXPECT_EQ(reenter(other, side::whole), verdict::contends);
  EXPECT_EQ(table_.find(me), mine);
  EXPECT_EQ(table_.find(other), nullptr);
  EXPECT_EQ(table_.release_count(*mine, side::whole), remainder::held);
  EXPECT_EQ(table_.release_count(*mine, side::whole), remainder::nothing);
  EXPECT_EQ(table_.release_count(*mine, side::whole), remainder::held) << "nothing is given back twice";
  EXPECT_EQ(table_.find(me), nullptr);
}

TEST_F(an_ownership_table, f54_a_reader_that_wants_to_write_would_wait_for_itself_and_keeps_its_read) {
  const auto mine = enter(me, side::read);
  EXPECT_EQ(reenter(me, side::write), verdict::would_deadlock);
  EXPECT_EQ(reenter(me, side::read), verdict::counted);
  EXPECT_EQ(table_.release_count(*mine, side::read), remainder::held);
  EXPECT_EQ(table_.release_count(*mine, side::read), remainder::nothing);
}

TEST_F(an_ownership_table, f53_a_writer_may_read_and_write_again) {
  enter(me, side::write);
  EXPECT_EQ(reenter(me, side::read), verdict::counted);
  EXPECT_EQ(reenter(me, side::write), verdict::counted);
}

TEST_F(an_ownership_table, f40_f56_a_lost_hold_is_not_reentered_from_either_side_until_all_is_given_back) {
  const auto mine = enter(me, side::write);
  mine->end_by_loss(loss_reason::node_removed);
  EXPECT_EQ(reenter(me, side::read), verdict::lost);
  EXPECT_EQ(reenter(me, side::write), verdict::lost);
  EXPECT_EQ(table_.release_count(*mine, side::write), remainder::nothing) << "what was lost was not counted";
  EXPECT_EQ(reenter(me, side::read), verdict::contends);
}

// ---- both sides

TEST_F(an_ownership_table, f53_the_write_count_given_back_first_leaves_a_reader) {
  const auto mine = enter(me, side::write);
  reenter(me, side::read);
  EXPECT_EQ(table_.release_count(*mine, side::write), remainder::read);
  EXPECT_EQ(reenter(me, side::write), verdict::would_deadlock) << "it reads alone now";
  EXPECT_EQ(table_.release_count(*mine, side::write), remainder::held) << "there is no such count";
  EXPECT_EQ(table_.release_count(*mine, side::read), remainder::nothing);
}

TEST_F(an_ownership_table, f53_the_read_count_given_back_first_leaves_the_writer) {
  const auto mine = enter(me, side::write);
  reenter(me, side::read);
  EXPECT_EQ(table_.release_count(*mine, side::read), remainder::held);
  EXPECT_EQ(table_.release_count(*mine, side::write), remainder::nothing);
}

TEST_F(an_ownership_table, a_read_count_less_of_a_hold_that_reads_already_is_no_second_downgrade) {
  const auto mine = enter(me, side::write);
  reenter(me, side::read);
  reenter(me, side::read);
  EXPECT_EQ(table_.release_count(*mine, side::write), remainder::read);
  EXPECT_EQ(table_.release_count(*mine, side::read), remainder::held);
  EXPECT_EQ(table_.release_count(*mine, side::read), remainder::nothing);
}

TEST_F(an_ownership_table, f52_a_downgrade_makes_a_read_count_of_the_only_write_count) {
  const auto mine = enter(me, side::write);
  EXPECT_TRUE(table_.downgrade(*mine));
  EXPECT_EQ(reenter(me, side::write), verdict::would_deadlock);
  EXPECT_FALSE(table_.downgrade(*mine)) << "it reads already";
  EXPECT_EQ(table_.release_count(*mine, side::read), remainder::nothing);
}

TEST_F(an_ownership_table, a_downgrade_with_more_than_one_write_count_changes_nothing) {
  const auto mine = enter(me, side::write);
  reenter(me, side::write);
  EXPECT_FALSE(table_.downgrade(*mine));
  EXPECT_EQ(table_.release_count(*mine, side::write), remainder::held);
  EXPECT_TRUE(table_.downgrade(*mine));
  EXPECT_EQ(table_.release_count(*mine, side::read), remainder::nothing);
  EXPECT_FALSE(table_.downgrade(*mine)) << "it is not held";
}

// ---- another owner than the thread, and none

TEST_F(an_ownership_table, no_owner_never_reenters_whichever_thread_asks) {
  enter(without_owner, side::whole);
  EXPECT_EQ(reenter(without_owner, side::whole), verdict::contends);
  EXPECT_EQ(reenter(me, side::whole), verdict::contends) << "the grant may be given back elsewhere";
  EXPECT_TRUE(table_.has_of_thread(me, now));
  EXPECT_FALSE(table_.has_of_thread(other, now));
}

TEST_F(an_ownership_table, a_thread_without_owner_waits_in_vain_for_what_only_it_can_unlock) {
  const auto mine = enter_locked(me, side::whole);
  EXPECT_EQ(reenter(without_owner, side::whole), verdict::would_deadlock);
  EXPECT_EQ(reenter(task_of_mine, side::whole), verdict::would_deadlock);
  EXPECT_EQ(reenter({no_owner, other}, side::whole), verdict::contends) << "another thread may wait";
  EXPECT_EQ(reenter(without_owner, side::whole, owner_again::would_deadlock), verdict::contends)
      << "any thread unlocks it";
  mine->end_by_loss(loss_reason::node_removed);
  EXPECT_EQ(reenter(without_owner, side::whole), verdict::contends) << "nothing stands before it";
}

TEST_F(an_ownership_table, a_thread_waits_for_the_grant_of_its_own_owner_which_may_be_released_elsewhere) {
  const auto mine = enter(me, side::whole);
  EXPECT_EQ(reenter(without_owner, side::whole), verdict::contends);
  table_.mark_whole_locked(*mine, true);
  EXPECT_EQ(reenter(without_owner, side::whole), verdict::would_deadlock) << "a multi-lock's lock() has taken it";
  table_.mark_whole_locked(*mine, false);
  EXPECT_EQ(reenter(without_owner, side::whole), verdict::contends);
}

TEST_F(an_ownership_table, a_thread_that_reads_may_read_without_owner_and_not_write) {
  enter_locked(me, side::read);
  EXPECT_EQ(reenter(without_owner, side::read), verdict::contends);
  EXPECT_EQ(reenter(without_owner, side::write), verdict::would_deadlock);
}

TEST_F(an_ownership_table, a_thread_that_writes_by_a_grant_and_reads_by_lock_may_wait_to_read) {
  const auto mine = enter(me, side::write);
  reenter(me, side::read);
  table_.mark_locked(*mine, side::read);
  EXPECT_EQ(reenter(without_owner, side::read), verdict::contends) << "the write grant may be given back elsewhere";
  EXPECT_EQ(reenter(without_owner, side::write), verdict::would_deadlock);
  EXPECT_TRUE(table_.would_wait_for_its_thread(without_owner, side::write, owner_again::counts, now));
  EXPECT_FALSE(table_.would_wait_for_its_thread(without_owner, side::read, owner_again::counts, now));
  EXPECT_TRUE(table_.has_of_thread(me, now));
}

TEST_F(an_ownership_table, what_a_multi_lock_of_the_thread_has_locked_no_other_thread_unlocks) {
  const auto mine = enter(me, side::whole);
  table_.mark_whole_locked(*mine, true);
  EXPECT_EQ(reenter(without_owner, side::whole, owner_again::would_deadlock), verdict::would_deadlock);
  EXPECT_EQ(as_part(without_owner, side::whole, owner_again::would_deadlock), verdict::would_deadlock);
  EXPECT_EQ(reenter(without_owner, side::whole, owner_again::contends), verdict::contends);
}

TEST_F(an_ownership_table, of_an_owners_permits_those_of_that_number_are_found) {
  const auto one = enter(task_of_mine, side::permits, 1);
  const auto three = enter(task_of_mine, side::permits, 3);
  EXPECT_EQ(table_.find(task_of_mine.owner, 3), three);
  EXPECT_EQ(table_.find(task_of_mine.owner, 1), one);
  EXPECT_EQ(table_.find(task_of_mine.owner, 2), nullptr);
}

TEST_F(an_ownership_table, an_owner_reenters_from_any_thread_where_that_counts) {
  const auto its = enter(task_of_mine, side::whole);
  EXPECT_EQ(reenter({task_of_mine.owner, other}, side::whole), verdict::counted);
  EXPECT_EQ(reenter(task_of_mine, side::whole, owner_again::would_deadlock), verdict::would_deadlock);
  EXPECT_EQ(reenter(task_of_mine, side::whole, owner_again::contends), verdict::contends);
  EXPECT_EQ(table_.find(task_of_mine.owner), its);
  EXPECT_FALSE(table_.has_of_thread(me, now)) << "its grant may be given back elsewhere";
}

TEST_F(an_ownership_table, a_part_of_a_multi_lock_is_never_reentered) {
  const auto its = enter(task_of_mine, side::whole);
  EXPECT_EQ(as_part(task_of_mine, side::whole), verdict::would_deadlock);
  EXPECT_EQ(as_part(task_of_mine, side::whole, owner_again::would_deadlock), verdict::would_deadlock);
  EXPECT_EQ(as_part(task_of_mine, side::whole, owner_again::contends), verdict::contends);
  EXPECT_EQ(as_part({4, other}, side::whole), verdict::contends);
  enter_locked(other, side::whole);
  EXPECT_EQ(as_part({4, other}, side::whole), verdict::would_deadlock);
  its->end_by_loss(loss_reason::node_removed);
  EXPECT_EQ(as_part(task_of_mine, side::whole), verdict::lost);
}

// ---- unlock

TEST_F(an_ownership_table, f44_unlock_gives_back_counts_of_lock_alone_and_of_that_side_alone) {
  const auto mine = enter(me, side::write);
  EXPECT_EQ(release_locked(me, side::write), nullptr) << "that count is a grant's";
  reenter(me, side::read);
  table_.mark_locked(*mine, side::read);
  EXPECT_EQ(release_locked(me, side::write), nullptr);
  EXPECT_EQ(release_locked(me, side::read), mine);
  EXPECT_EQ(release_locked(me, side::read), nullptr) << "once";
  EXPECT_EQ(table_.find(me), mine);
}

TEST_F(an_ownership_table, f44_unlock_gives_back_what_its_owner_has_locked_and_no_other) {
  const auto theirs = enter_locked(other, side::whole);
  EXPECT_EQ(release_locked(me, side::whole), nullptr);
  EXPECT_EQ(release_locked(without_owner, side::whole), nullptr);
  EXPECT_EQ(release_locked({other, me}, side::whole), theirs) << "on any thread";
}

TEST_F(an_ownership_table, without_owner_a_thread_unlocks_what_it_has_locked_before_anything_else) {
  const auto theirs = enter_locked({no_owner, other}, side::permits, 2);
  const auto mine = enter_locked(without_owner, side::permits, 2);
  const auto latest = enter_locked({no_owner, other}, side::permits, 2);
  EXPECT_EQ(table_.find_locked_without_owner(me, 2), mine);
  EXPECT_EQ(release_locked(without_owner, side::permits, 2), mine);
  EXPECT_EQ(release_locked(without_owner, side::permits, 2), latest) << "then the latest";
  EXPECT_EQ(release_locked(without_owner, side::permits, 2), theirs);
}

TEST_F(an_ownership_table, nested_locks_of_one_thread_are_given_back_inside_out) {
  const auto outer = enter_locked(without_owner, side::whole);
  const auto inner = enter_locked(without_owner, side::whole);
  EXPECT_EQ(table_.find_locked_without_owner(me, 1), inner) << "the outer one may have been lost";
  EXPECT_EQ(release_locked(without_owner, side::whole), inner);
  EXPECT_EQ(release_locked(without_owner, side::whole), outer);
}

TEST_F(an_ownership_table, f62_unlock_of_n_permits_gives_back_a_hold_of_n_permits) {
  const auto one = enter_locked(without_owner, side::permits, 1);
  const auto three = enter_locked(without_owner, side::permits, 3);
  EXPECT_EQ(release_locked(without_owner, side::permits, 2), nullptr);
  EXPECT_EQ(table_.find_locked_without_owner(me, 2), nullptr);
  EXPECT_EQ(release_locked(without_owner, side::permits, 3), three);
  EXPECT_EQ(release_locked(without_owner, side::permits, 1), one);
}

TEST_F(an_ownership_table, the_hold_that_a_question_is_about_is_the_threads_and_the_latest) {
  enter_locked(without_owner, side::whole);
  const auto later = enter_locked(without_owner, side::whole);
  enter(without_owner, side::whole);
  enter_locked({no_owner, other}, side::whole);
  EXPECT_EQ(table_.find_locked_without_owner(me, 1), later);
}

TEST_F(an_ownership_table, the_end_of_the_lock_object_gives_back_counts_of_lock_and_leaves_those_of_grants) {
  const auto read_kept = enter_locked(me, side::write);
  reenter(me, side::read);
  const auto all_gone = enter_locked(other, side::whole);
  const auto kept = enter(4, side::whole);
  const auto ended = table_.release_all_locked();
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[0].held, all_gone);
  EXPECT_EQ(ended[0].left, remainder::nothing);
  EXPECT_EQ(ended[1].held, read_kept);
  EXPECT_EQ(ended[1].left, remainder::read);
  EXPECT_EQ(table_.find(4), kept);
  EXPECT_TRUE(table_.release_all_locked().empty());
}

}  // namespace
}  // namespace zklock::detail
