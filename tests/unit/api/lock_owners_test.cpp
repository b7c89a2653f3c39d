#include "src/api/lock_owners.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "tests/support/hold_of.hpp"

/// Counts of what threads hold of one lock object: no session, no server.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using verdict = lock_owners::verdict;
using remainder = lock_owners::remainder;

constexpr owner_number me = 1;  // threads, which own what they lock
constexpr owner_number other = 2;
constexpr caller without_owner{no_owner, me};
constexpr caller task_of_mine{3, me};
constexpr instant now = 100s;

class some_lock_owners : public ::testing::Test {
 protected:
  some_lock_owners() { session_->extend(200s); }

  [[nodiscard]] std::shared_ptr<hold> make_hold() {
    return std::make_shared<hold>(test_support::hold_of(session_, {77}, ++contenders_, "/l", "/l/node"));
  }
  std::shared_ptr<hold> enter(const asked& what) {
    auto taken = make_hold();
    EXPECT_TRUE(owners_.enter(what, taken));
    return taken;
  }
  std::shared_ptr<hold> enter(owner_number owner, side of, std::uint32_t permits = 1) {
    return enter(caller{owner, owner}, of, permits);
  }
  std::shared_ptr<hold> enter(const caller& by, side of, std::uint32_t permits = 1) {
    return enter({.by = by, .of = of, .permits = permits});
  }
  std::shared_ptr<hold> enter_locked(owner_number owner, side of) { return enter_locked(caller{owner, owner}, of); }
  std::shared_ptr<hold> enter_locked(const caller& by, side of, std::uint32_t permits = 1) {
    return enter({.by = by, .of = of, .permits = permits, .locks = true});
  }
  verdict reenter(owner_number owner, side of) { return reenter(caller{owner, owner}, of); }
  verdict reenter_locked(owner_number owner, side of) {
    return owners_.reenter({.by = {owner, owner}, .of = of, .again = owner_again::counts, .locks = true}, now).what;
  }
  verdict reenter(const caller& by, side of, owner_again again = owner_again::counts) {
    return owners_.reenter({.by = by, .of = of, .again = again}, now).what;
  }
  verdict as_part(const caller& by, side of, owner_again again = owner_again::counts) {
    return owners_.reenter({.by = by, .of = of, .again = again, .of_part = true}, now).what;
  }
  std::shared_ptr<hold> release_locked(const caller& by, side of, std::uint32_t permits = 1) {
    return owners_.release_locked(by, of, permits).held;
  }
  std::shared_ptr<hold> release_locked(owner_number owner, side of) { return release_locked(caller{owner, owner}, of); }

  const std::shared_ptr<session_deadline> session_ = std::make_shared<session_deadline>();
  std::uint64_t contenders_ = 0;
  lock_owners owners_;
};

// ---- re-entry

TEST_F(some_lock_owners, counts_for_each_owner_apart) {
  EXPECT_EQ(reenter(me, side::whole), verdict::contends);
  const auto mine = enter(me, side::whole);
  EXPECT_EQ(owners_.reenter({.by = {me, me}, .again = owner_again::counts}, now).held, mine);
  EXPECT_EQ(reenter(other, side::whole), verdict::contends);
  EXPECT_EQ(owners_.find(me), mine);
  EXPECT_EQ(owners_.find(other), nullptr);
  EXPECT_EQ(owners_.release_count(*mine, side::whole), remainder::held);
  EXPECT_EQ(owners_.release_count(*mine, side::whole), remainder::nothing);
  EXPECT_EQ(owners_.release_count(*mine, side::whole), remainder::held) << "nothing is given back twice";
  EXPECT_EQ(owners_.find(me), nullptr);
}

TEST_F(some_lock_owners, f54_a_reader_that_wants_to_write_would_wait_for_itself_and_keeps_its_read) {
  const auto mine = enter(me, side::read);
  EXPECT_EQ(reenter(me, side::write), verdict::would_deadlock);
  EXPECT_EQ(reenter(me, side::read), verdict::counted);
  EXPECT_EQ(owners_.release_count(*mine, side::read), remainder::held);
  EXPECT_EQ(owners_.release_count(*mine, side::read), remainder::nothing);
}

TEST_F(some_lock_owners, f53_a_writer_may_read_and_write_again) {
  enter(me, side::write);
  EXPECT_EQ(reenter(me, side::read), verdict::counted);
  EXPECT_EQ(reenter(me, side::write), verdict::counted);
}

TEST_F(some_lock_owners, f40_f56_a_lost_hold_is_not_reentered_from_either_side_until_all_is_given_back) {
  const auto mine = enter(me, side::write);
  mine->end_by_loss(loss_reason::node_removed);
  EXPECT_EQ(reenter(me, side::read), verdict::lost);
  EXPECT_EQ(reenter(me, side::write), verdict::lost);
  EXPECT_EQ(owners_.release_count(*mine, side::write), remainder::nothing) << "what was lost was not counted";
  EXPECT_EQ(reenter(me, side::read), verdict::contends);
}

// ---- both sides

TEST_F(some_lock_owners, f53_the_write_count_given_back_first_leaves_a_reader) {
  const auto mine = enter(me, side::write);
  reenter(me, side::read);
  EXPECT_EQ(owners_.release_count(*mine, side::write), remainder::read);
  EXPECT_EQ(reenter(me, side::write), verdict::would_deadlock) << "it reads alone now";
  EXPECT_EQ(owners_.release_count(*mine, side::write), remainder::held) << "there is no such count";
  EXPECT_EQ(owners_.release_count(*mine, side::read), remainder::nothing);
}

TEST_F(some_lock_owners, f53_the_read_count_given_back_first_leaves_the_writer) {
  const auto mine = enter(me, side::write);
  reenter(me, side::read);
  EXPECT_EQ(owners_.release_count(*mine, side::read), remainder::held);
  EXPECT_EQ(owners_.release_count(*mine, side::write), remainder::nothing);
}

TEST_F(some_lock_owners, a_read_count_less_of_a_hold_that_reads_already_is_no_second_downgrade) {
  const auto mine = enter(me, side::write);
  reenter(me, side::read);
  reenter(me, side::read);
  EXPECT_EQ(owners_.release_count(*mine, side::write), remainder::read);
  EXPECT_EQ(owners_.release_count(*mine, side::read), remainder::held);
  EXPECT_EQ(owners_.release_count(*mine, side::read), remainder::nothing);
}

TEST_F(some_lock_owners, f52_a_downgrade_makes_a_read_count_of_the_only_write_count) {
  const auto mine = enter(me, side::write);
  EXPECT_TRUE(owners_.downgrade(*mine));
  EXPECT_EQ(reenter(me, side::write), verdict::would_deadlock);
  EXPECT_FALSE(owners_.downgrade(*mine)) << "it reads already";
  EXPECT_EQ(owners_.release_count(*mine, side::read), remainder::nothing);
}

TEST_F(some_lock_owners, a_downgrade_with_more_than_one_write_count_changes_nothing) {
  const auto mine = enter(me, side::write);
  reenter(me, side::write);
  EXPECT_FALSE(owners_.downgrade(*mine));
  EXPECT_EQ(owners_.release_count(*mine, side::write), remainder::held);
  EXPECT_TRUE(owners_.downgrade(*mine));
  EXPECT_EQ(owners_.release_count(*mine, side::read), remainder::nothing);
  EXPECT_FALSE(owners_.downgrade(*mine)) << "it is not held";
}

TEST_F(some_lock_owners, read_counts_that_go_before_the_last_leave_it_as_it_is) {
  const auto mine = enter(me, side::read);
  reenter(me, side::read);
  EXPECT_EQ(owners_.release_count(*mine, side::write), remainder::held) << "of that side there is none";
  EXPECT_EQ(owners_.release_count(*mine, side::read), remainder::held);
  EXPECT_EQ(owners_.release_count(*mine, side::read), remainder::nothing);
}

TEST_F(some_lock_owners, the_last_of_several_write_counts_leaves_a_reader) {
  const auto mine = enter(me, side::write);
  reenter(me, side::write);
  reenter(me, side::read);
  EXPECT_EQ(owners_.release_count(*mine, side::write), remainder::held) << "it still writes";
  EXPECT_EQ(owners_.release_count(*mine, side::write), remainder::read);
  EXPECT_EQ(owners_.release_count(*mine, side::read), remainder::nothing);
}

// ---- another owner than the thread, and none

TEST_F(some_lock_owners, no_owner_never_reenters_whichever_thread_asks) {
  enter(without_owner, side::whole);
  EXPECT_EQ(reenter(without_owner, side::whole), verdict::contends);
  EXPECT_EQ(reenter(me, side::whole), verdict::contends) << "the grant may be given back elsewhere";
  EXPECT_TRUE(owners_.has_of_thread(me, now));
  EXPECT_FALSE(owners_.has_of_thread(other, now));
}

TEST_F(some_lock_owners, a_thread_without_owner_waits_in_vain_for_what_only_it_can_unlock) {
  const auto mine = enter_locked(me, side::whole);
  EXPECT_EQ(reenter(without_owner, side::whole), verdict::would_deadlock);
  EXPECT_EQ(reenter(task_of_mine, side::whole), verdict::would_deadlock);
  EXPECT_EQ(reenter({no_owner, other}, side::whole), verdict::contends) << "another thread may wait";
  EXPECT_EQ(reenter(without_owner, side::whole, owner_again::would_deadlock), verdict::contends)
      << "any thread unlocks it";
  mine->end_by_loss(loss_reason::node_removed);
  EXPECT_EQ(reenter(without_owner, side::whole), verdict::contends) << "nothing stands before it";
}

TEST_F(some_lock_owners, a_thread_waits_for_the_grant_of_its_own_owner_which_may_be_released_elsewhere) {
  const auto grants = enter(me, side::whole);
  EXPECT_EQ(reenter(without_owner, side::whole), verdict::contends);
  EXPECT_EQ(owners_.release_count(*grants, side::whole), remainder::nothing);
  const auto part = enter({.by = {me, me}, .of_part = true, .locks = true});
  EXPECT_EQ(reenter(me, side::whole), verdict::counted);
  EXPECT_EQ(reenter(without_owner, side::whole), verdict::would_deadlock) << "a multi-lock's lock() has taken it";
  EXPECT_EQ(owners_.release_count(*part, side::whole, true), remainder::held);
  EXPECT_EQ(reenter(without_owner, side::whole), verdict::contends);
}

TEST_F(some_lock_owners, a_thread_that_reads_may_read_without_owner_and_not_write) {
  enter_locked(me, side::read);
  EXPECT_EQ(reenter(without_owner, side::read), verdict::contends);
  EXPECT_EQ(reenter(without_owner, side::write), verdict::would_deadlock);
}

TEST_F(some_lock_owners, a_thread_that_writes_by_a_grant_and_reads_by_lock_may_wait_to_read) {
  enter(me, side::write);
  reenter_locked(me, side::read);
  EXPECT_EQ(reenter(without_owner, side::read), verdict::contends) << "the write grant may be given back elsewhere";
  EXPECT_EQ(reenter(without_owner, side::write), verdict::would_deadlock);
  EXPECT_TRUE(owners_.has_of_thread(me, now));
}

TEST_F(some_lock_owners, what_a_multi_lock_of_the_thread_has_locked_no_other_thread_unlocks) {
  enter({.by = {me, me}, .of_part = true, .locks = true});
  EXPECT_EQ(reenter(without_owner, side::whole, owner_again::would_deadlock), verdict::would_deadlock);
  EXPECT_EQ(as_part(without_owner, side::whole, owner_again::would_deadlock), verdict::would_deadlock);
  EXPECT_EQ(reenter(without_owner, side::whole, owner_again::contends), verdict::contends);
}

TEST_F(some_lock_owners, of_an_owners_permits_those_of_that_number_are_found) {
  const auto one = enter(task_of_mine, side::permits, 1);
  const auto three = enter(task_of_mine, side::permits, 3);
  EXPECT_EQ(owners_.find(task_of_mine.owner, 3), three);
  EXPECT_EQ(owners_.find(task_of_mine.owner, 1), one);
  EXPECT_EQ(owners_.find(task_of_mine.owner, 2), nullptr);
}

TEST_F(some_lock_owners, an_owner_reenters_from_any_thread_where_that_counts) {
  const auto its = enter(task_of_mine, side::whole);
  EXPECT_EQ(reenter({task_of_mine.owner, other}, side::whole), verdict::counted);
  EXPECT_EQ(reenter(task_of_mine, side::whole, owner_again::would_deadlock), verdict::would_deadlock);
  EXPECT_EQ(reenter(task_of_mine, side::whole, owner_again::contends), verdict::contends);
  EXPECT_EQ(owners_.find(task_of_mine.owner), its);
  EXPECT_FALSE(owners_.has_of_thread(me, now)) << "its grant may be given back elsewhere";
}

TEST_F(some_lock_owners, a_part_of_a_multi_lock_is_never_reentered) {
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

TEST_F(some_lock_owners, f44_unlock_gives_back_counts_of_lock_alone_and_of_that_side_alone) {
  const auto mine = enter(me, side::write);
  const caller by{me, me};
  EXPECT_FALSE(owners_.release_locked(by, side::write).found) << "that count is a grant's";
  reenter_locked(me, side::read);
  EXPECT_FALSE(owners_.release_locked(by, side::write).found);
  const lock_owners::unlocked once = owners_.release_locked(by, side::read);
  EXPECT_TRUE(once.found);
  EXPECT_EQ(once.held, nullptr) << "it is held as before";
  EXPECT_EQ(once.left, remainder::held);
  EXPECT_FALSE(owners_.release_locked(by, side::read).found) << "once";
  EXPECT_EQ(owners_.find(me), mine);
}

TEST_F(some_lock_owners, f44_unlock_gives_back_what_its_owner_has_locked_and_no_other) {
  const auto theirs = enter_locked(other, side::whole);
  EXPECT_EQ(release_locked(me, side::whole), nullptr);
  EXPECT_EQ(release_locked(without_owner, side::whole), nullptr);
  EXPECT_EQ(release_locked({other, me}, side::whole), theirs) << "on any thread";
}

TEST_F(some_lock_owners, without_owner_a_thread_unlocks_what_it_has_locked_before_anything_else) {
  const auto theirs = enter_locked({no_owner, other}, side::permits, 2);
  const auto mine = enter_locked(without_owner, side::permits, 2);
  const auto latest = enter_locked({no_owner, other}, side::permits, 2);
  EXPECT_EQ(owners_.find_locked_without_owner(me, 2), mine);
  EXPECT_EQ(release_locked(without_owner, side::permits, 2), mine);
  EXPECT_EQ(release_locked(without_owner, side::permits, 2), latest) << "then the latest";
  EXPECT_EQ(release_locked(without_owner, side::permits, 2), theirs);
}

TEST_F(some_lock_owners, nested_locks_of_one_thread_are_given_back_inside_out) {
  const auto outer = enter_locked(without_owner, side::whole);
  const auto inner = enter_locked(without_owner, side::whole);
  EXPECT_EQ(owners_.find_locked_without_owner(me, 1), inner) << "the outer one may have been lost";
  EXPECT_EQ(release_locked(without_owner, side::whole), inner);
  EXPECT_EQ(release_locked(without_owner, side::whole), outer);
}

TEST_F(some_lock_owners, f62_unlock_of_n_permits_gives_back_a_hold_of_n_permits) {
  const auto one = enter_locked(without_owner, side::permits, 1);
  const auto three = enter_locked(without_owner, side::permits, 3);
  EXPECT_EQ(release_locked(without_owner, side::permits, 2), nullptr);
  EXPECT_EQ(owners_.find_locked_without_owner(me, 2), nullptr);
  EXPECT_EQ(release_locked(without_owner, side::permits, 3), three);
  EXPECT_EQ(release_locked(without_owner, side::permits, 1), one);
}

TEST_F(some_lock_owners, the_hold_that_a_question_is_about_is_the_threads_and_the_latest) {
  enter_locked(without_owner, side::whole);
  const auto later = enter_locked(without_owner, side::whole);
  enter(without_owner, side::whole);
  enter_locked({no_owner, other}, side::whole);
  EXPECT_EQ(owners_.find_locked_without_owner(me, 1), later);
}

TEST_F(some_lock_owners, the_end_of_the_lock_object_gives_back_counts_of_lock_and_leaves_those_of_grants) {
  const auto read_kept = enter_locked(me, side::write);
  reenter(me, side::read);
  const auto all_gone = enter_locked(other, side::whole);
  const auto kept = enter(4, side::whole);
  const auto ended = owners_.abandon().locked;
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[0].held, all_gone);
  EXPECT_EQ(ended[0].left, remainder::nothing);
  EXPECT_EQ(ended[1].held, read_kept);
  EXPECT_EQ(ended[1].left, remainder::read);
  EXPECT_EQ(owners_.find(4), kept);
  EXPECT_TRUE(owners_.abandon().locked.empty());
}

// ---- calls

struct woken final : queued_call {
  void wake() noexcept override { ++times; }
  int times = 0;
};

class calls_of_lock_owners : public some_lock_owners {
 protected:
  using admission = lock_owners::admission;

  [[nodiscard]] static asked by(owner_number owner) { return {.by = {owner, me}, .again = owner_again::counts}; }
  admission admit(lock_owners::call& one, bool elsewhere = false) {
    return one.on().admit(one, nullptr, elsewhere, now);
  }
  /// It waits, if it is queued.
  admission admit(lock_owners::call& one, const std::shared_ptr<woken>& waits, bool elsewhere = false) {
    const admission is = admit(one, elsewhere);
    EXPECT_TRUE(is != admission::queued || owners_.await_turn(one, waits));
    return is;
  }

  const std::shared_ptr<woken> first_ = std::make_shared<woken>();
  const std::shared_ptr<woken> second_ = std::make_shared<woken>();
};

TEST_F(calls_of_lock_owners, of_one_owner_are_queued_behind_the_first_and_woken_by_its_end) {
  std::optional<lock_owners::call> first(std::in_place, owners_, by(3));
  lock_owners::call second(owners_, by(3));
  lock_owners::call stranger(owners_, by(4));
  EXPECT_EQ(admit(*first), admission::begins);
  EXPECT_TRUE(owners_.has_call_of(3));
  EXPECT_EQ(admit(second, second_), admission::queued);
  EXPECT_EQ(admit(second, second_), admission::queued) << "as often as it asks";
  EXPECT_EQ(admit(stranger), admission::begins);
  EXPECT_EQ(second_->times, 0);
  first.reset();
  EXPECT_EQ(second_->times, 1);
  EXPECT_FALSE(owners_.has_call_of(3));
  EXPECT_EQ(admit(second), admission::begins);
  EXPECT_EQ(first_->times, 0);
}

TEST_F(calls_of_lock_owners, that_are_woken_before_they_wait_do_not_wait) {
  std::optional<lock_owners::call> first(std::in_place, owners_, by(3));
  lock_owners::call second(owners_, by(3));
  EXPECT_EQ(admit(*first), admission::begins);
  EXPECT_EQ(admit(second), admission::queued);
  first.reset();
  EXPECT_FALSE(owners_.await_turn(second, second_));
  EXPECT_EQ(second_->times, 0);
  EXPECT_EQ(admit(second), admission::begins);
}

TEST_F(calls_of_lock_owners, are_all_woken_by_the_end_of_the_one_before) {
  std::optional<lock_owners::call> first(std::in_place, owners_, by(3));
  lock_owners::call second(owners_, by(3));
  lock_owners::call third(owners_, by(3));
  EXPECT_EQ(admit(*first), admission::begins);
  EXPECT_EQ(admit(second, second_), admission::queued);
  EXPECT_EQ(admit(third, first_), admission::queued);
  first.reset();
  EXPECT_EQ(second_->times, 1);
  EXPECT_EQ(first_->times, 1);
  EXPECT_EQ(admit(second), admission::begins);
  EXPECT_EQ(admit(third, first_), admission::queued);
}

TEST_F(calls_of_lock_owners, are_over_with_the_grant_that_the_next_one_re_enters) {
  lock_owners::call first(owners_, by(3));
  lock_owners::call second(owners_, by(3));
  EXPECT_EQ(admit(first), admission::begins);
  EXPECT_EQ(admit(second, second_), admission::queued);
  const auto held = make_hold();
  EXPECT_TRUE(owners_.granted(first, held));
  EXPECT_EQ(second_->times, 1);
  EXPECT_EQ(admit(second), admission::changed) << "never a second contender";
  EXPECT_EQ(owners_.reenter(second.what(), now).held, held);
}

TEST_F(calls_of_lock_owners, without_owner_or_of_permits_are_not_queued) {
  const asked permits{.by = {3, me}, .of = side::permits};
  lock_owners::call one(owners_, permits);
  lock_owners::call one_more(owners_, permits);
  lock_owners::call plain(owners_, by(no_owner));
  lock_owners::call another(owners_, by(no_owner));
  for (lock_owners::call* const each : {&one, &one_more, &plain, &another}) {
    EXPECT_EQ(admit(*each), admission::begins);
  }
  EXPECT_FALSE(owners_.has_call_of(3));
}

/// Else two calls that are queued on a third would wake each other for as long as it is under way.
TEST_F(calls_of_lock_owners, that_are_queued_elsewhere_are_woken_by_no_turn_that_is_given_back_here) {
  lock_owners::call first(owners_, by(3));
  lock_owners::call second(owners_, by(3));
  EXPECT_EQ(admit(first), admission::begins);
  EXPECT_EQ(admit(second, second_, true), admission::queued);
  owners_.queue_elsewhere(first);
  EXPECT_EQ(second_->times, 0);
  EXPECT_FALSE(owners_.has_call_of(3));
  EXPECT_EQ(admit(second), admission::begins);
  owners_.queue_elsewhere(second);
}

TEST_F(calls_of_lock_owners, end_with_the_lock_object_wherever_they_are_queued) {
  lock_owners::call begun(owners_, by(3));
  lock_owners::call queued(owners_, by(3));
  lock_owners::call elsewhere(owners_, by(4));
  EXPECT_EQ(admit(begun), admission::begins);
  EXPECT_EQ(admit(queued, second_), admission::queued);
  EXPECT_EQ(admit(elsewhere, second_, true), admission::queued);
  const lock_owners::leftover left = owners_.abandon();
  EXPECT_EQ(left.calls.size(), 3U) << "their operations; that of the first has its answer";
  EXPECT_EQ(left.queued, (std::vector<std::shared_ptr<queued_call>>{second_, second_}));
  EXPECT_EQ(admit(queued), admission::abandoned);
  EXPECT_EQ(owners_.reenter(by(5), now).what, verdict::abandoned);
  lock_owners::call late(owners_, by(5));
  EXPECT_EQ(admit(late), admission::abandoned);
}

/// It took its turn here, the object has gone, and only then it finds that it is queued elsewhere: no one else wakes it.
TEST_F(calls_of_lock_owners, that_come_to_be_queued_elsewhere_behind_the_end_of_the_object_are_woken) {
  lock_owners::call one(owners_, by(3));
  EXPECT_EQ(admit(one), admission::begins);
  static_cast<void>(owners_.abandon());
  owners_.queue_elsewhere(one);
  EXPECT_FALSE(owners_.await_turn(one, first_));
}

TEST_F(calls_of_lock_owners, by_lock_that_are_granted_behind_the_end_of_the_object_are_not_kept_for_unlock) {
  asked locking = by(me);
  locking.locks = true;
  lock_owners::call call(owners_, locking);
  EXPECT_EQ(admit(call), admission::begins);
  static_cast<void>(owners_.abandon());
  const auto held = make_hold();
  EXPECT_FALSE(owners_.granted(call, held)) << "the caller gives it back";
  EXPECT_EQ(release_locked(me, side::whole), nullptr);
  EXPECT_EQ(owners_.release_count(*held, side::whole), remainder::nothing);
}

}  // namespace
}  // namespace zklock::detail
