#include "src/locks/owner_book.hpp"

#include <gtest/gtest.h>

#include <chrono>

/// Counts of what threads hold of one lock object: no session, no server.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using reentry = owner_book::reentry;
using remainder = owner_book::remainder;

constexpr owner_number me = 1;
constexpr owner_number other = 2;
constexpr instant now = 100s;

class an_owner_book : public ::testing::Test {
 protected:
  an_owner_book() { session_->extend(200s); }

  std::shared_ptr<hold> enter(owner_number owner, side of, std::uint32_t permits = 1) {
    auto proof = std::make_shared<hold>(session_, nullptr, ++contenders_, fencing_token{77}, "/l", "/l/node", true);
    book_.enter(owner, of, proof, permits);
    return proof;
  }
  std::shared_ptr<hold> enter_locked(owner_number owner, side of, std::uint32_t permits = 1) {
    auto proof = enter(owner, of, permits);
    book_.mark_locked(*proof, of);
    return proof;
  }
  reentry reenter(owner_number owner, side of) { return book_.reenter(owner, of, now).what; }

  const std::shared_ptr<lease> session_ = std::make_shared<lease>();
  std::uint64_t contenders_ = 0;
  owner_book book_;
};

// ---- re-entry

TEST_F(an_owner_book, counts_for_each_owner_apart) {
  EXPECT_EQ(reenter(me, side::whole), reentry::holds_nothing);
  const auto mine = enter(me, side::whole);
  EXPECT_EQ(book_.reenter(me, side::whole, now).proof, mine);
  EXPECT_EQ(reenter(other, side::whole), reentry::holds_nothing);
  EXPECT_EQ(book_.find(me), mine);
  EXPECT_EQ(book_.find(other), nullptr);
  EXPECT_EQ(book_.give_back(*mine, side::whole), remainder::held);
  EXPECT_EQ(book_.give_back(*mine, side::whole), remainder::nothing);
  EXPECT_EQ(book_.give_back(*mine, side::whole), remainder::held) << "nothing is given back twice";
  EXPECT_EQ(book_.find(me), nullptr);
}

TEST_F(an_owner_book, f54_a_reader_that_wants_to_write_would_wait_for_itself_and_keeps_its_read) {
  const auto mine = enter(me, side::read);
  EXPECT_EQ(reenter(me, side::write), reentry::would_deadlock);
  EXPECT_EQ(reenter(me, side::read), reentry::counted);
  EXPECT_EQ(book_.give_back(*mine, side::read), remainder::held);
  EXPECT_EQ(book_.give_back(*mine, side::read), remainder::nothing);
}

TEST_F(an_owner_book, f53_a_writer_may_read_and_write_again) {
  enter(me, side::write);
  EXPECT_EQ(reenter(me, side::read), reentry::counted);
  EXPECT_EQ(reenter(me, side::write), reentry::counted);
}

TEST_F(an_owner_book, f40_f56_a_lost_hold_is_not_entered_again_from_either_side_until_all_is_given_back) {
  const auto mine = enter(me, side::write);
  mine->end_by_loss(loss_reason::node_removed);
  EXPECT_EQ(reenter(me, side::read), reentry::lost);
  EXPECT_EQ(reenter(me, side::write), reentry::lost);
  EXPECT_EQ(book_.give_back(*mine, side::write), remainder::nothing) << "what was lost was not counted";
  EXPECT_EQ(reenter(me, side::read), reentry::holds_nothing);
}

// ---- both sides

TEST_F(an_owner_book, f53_the_write_count_given_back_first_leaves_a_reader) {
  const auto mine = enter(me, side::write);
  reenter(me, side::read);
  EXPECT_EQ(book_.give_back(*mine, side::write), remainder::read);
  EXPECT_EQ(reenter(me, side::write), reentry::would_deadlock) << "it reads alone now";
  EXPECT_EQ(book_.give_back(*mine, side::write), remainder::held) << "there is no such count";
  EXPECT_EQ(book_.give_back(*mine, side::read), remainder::nothing);
}

TEST_F(an_owner_book, f53_the_read_count_given_back_first_leaves_the_writer) {
  const auto mine = enter(me, side::write);
  reenter(me, side::read);
  EXPECT_EQ(book_.give_back(*mine, side::read), remainder::held);
  EXPECT_EQ(book_.give_back(*mine, side::write), remainder::nothing);
}

TEST_F(an_owner_book, a_read_count_less_of_a_hold_that_reads_already_is_no_second_downgrade) {
  const auto mine = enter(me, side::write);
  reenter(me, side::read);
  reenter(me, side::read);
  EXPECT_EQ(book_.give_back(*mine, side::write), remainder::read);
  EXPECT_EQ(book_.give_back(*mine, side::read), remainder::held);
  EXPECT_EQ(book_.give_back(*mine, side::read), remainder::nothing);
}

TEST_F(an_owner_book, f52_a_downgrade_makes_a_read_count_of_the_only_write_count) {
  const auto mine = enter(me, side::write);
  EXPECT_TRUE(book_.downgrade(*mine));
  EXPECT_EQ(reenter(me, side::write), reentry::would_deadlock);
  EXPECT_FALSE(book_.downgrade(*mine)) << "it reads already";
  EXPECT_EQ(book_.give_back(*mine, side::read), remainder::nothing);
}

TEST_F(an_owner_book, a_downgrade_with_more_than_one_write_count_changes_nothing) {
  const auto mine = enter(me, side::write);
  reenter(me, side::write);
  EXPECT_FALSE(book_.downgrade(*mine));
  EXPECT_EQ(book_.give_back(*mine, side::write), remainder::held);
  EXPECT_TRUE(book_.downgrade(*mine));
  EXPECT_EQ(book_.give_back(*mine, side::read), remainder::nothing);
  EXPECT_FALSE(book_.downgrade(*mine)) << "it is not held";
}

// ---- unlock

TEST_F(an_owner_book, f44_unlock_gives_back_counts_of_lock_alone_and_of_that_side_alone) {
  const auto mine = enter(me, side::write);
  EXPECT_EQ(book_.give_back_locked(me, side::write, true).proof, nullptr) << "that count is a grant's";
  reenter(me, side::read);
  book_.mark_locked(*mine, side::read);
  EXPECT_EQ(book_.give_back_locked(me, side::write, true).proof, nullptr);
  EXPECT_EQ(book_.give_back_locked(me, side::read, true).proof, mine);
  EXPECT_EQ(book_.give_back_locked(me, side::read, true).proof, nullptr) << "once";
  EXPECT_EQ(book_.find(me), mine);
}

TEST_F(an_owner_book, f44_of_a_reentrant_lock_nobody_unlocks_what_another_thread_holds) {
  const auto theirs = enter_locked(other, side::whole);
  EXPECT_EQ(book_.give_back_locked(me, side::whole, true).proof, nullptr);
  const auto given = book_.give_back_locked(me, side::whole, false);
  EXPECT_EQ(given.proof, theirs) << "of a lock that no thread owns it may";
  EXPECT_EQ(given.left, remainder::nothing);
}

TEST_F(an_owner_book, unlock_gives_back_what_the_thread_itself_has_taken_before_anything_else) {
  const auto theirs = enter_locked(other, side::permits, 2);
  const auto mine = enter_locked(me, side::permits, 2);
  const auto latest = enter_locked(other, side::permits, 2);
  EXPECT_EQ(book_.find_locked(me), mine);
  EXPECT_EQ(book_.give_back_locked(me, side::permits, false, 2).proof, mine);
  EXPECT_EQ(book_.give_back_locked(me, side::permits, false, 2).proof, latest) << "then the latest";
  EXPECT_EQ(book_.give_back_locked(me, side::permits, false, 2).proof, theirs);
}

TEST_F(an_owner_book, nested_locks_of_one_thread_are_given_back_inside_out) {
  const auto outer = enter_locked(me, side::whole);
  const auto inner = enter_locked(me, side::whole);
  EXPECT_EQ(book_.find_locked(me), inner) << "the outer one may have been lost";
  EXPECT_EQ(book_.give_back_locked(me, side::whole, false).proof, inner);
  EXPECT_EQ(book_.give_back_locked(me, side::whole, false).proof, outer);
}

TEST_F(an_owner_book, f62_unlock_of_n_permits_gives_back_a_hold_of_n_permits) {
  const auto one = enter_locked(me, side::permits, 1);
  const auto three = enter_locked(me, side::permits, 3);
  EXPECT_EQ(book_.give_back_locked(me, side::permits, false, 2).proof, nullptr);
  EXPECT_EQ(book_.give_back_locked(me, side::permits, false, 3).proof, three);
  EXPECT_EQ(book_.give_back_locked(me, side::permits, false, 1).proof, one);
}

TEST_F(an_owner_book, the_hold_that_a_question_is_about_is_the_owners_and_the_latest) {
  enter_locked(me, side::whole);
  const auto later = enter_locked(me, side::whole);
  enter(me, side::whole);
  enter_locked(other, side::whole);
  EXPECT_EQ(book_.find_locked(me), later);
}

TEST_F(an_owner_book, an_end_of_the_lock_object_gives_back_all_counts_of_lock_and_leaves_those_of_grants) {
  const auto read_kept = enter_locked(me, side::write);
  reenter(me, side::read);
  const auto all_gone = enter_locked(other, side::whole);
  const auto kept = enter(3, side::whole);
  const auto ended = book_.give_back_all_locked();
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[0].proof, all_gone);
  EXPECT_EQ(ended[0].left, remainder::nothing);
  EXPECT_EQ(ended[1].proof, read_kept);
  EXPECT_EQ(ended[1].left, remainder::read);
  EXPECT_EQ(book_.find(3), kept);
  EXPECT_TRUE(book_.give_back_all_locked().empty());
}

}  // namespace
}  // namespace zklock::detail
