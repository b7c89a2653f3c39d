// shared_mutex: the table of its header, cell by cell.
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "tests/unit/api/shared_mutex_calls.hpp"

namespace zklock::test {
namespace {

// ---- nothing is held

TEST_P(shared_mutex_calls, with_nothing_held_each_side_is_a_contender) {
  {
    const grant reading = mine(lock_.read()).acquire();
    EXPECT_NE(queue().front().find(of_curator() ? "-__READ__" : "read-"), std::string::npos) << queue().front();
    EXPECT_TRUE(others_may_read());
    EXPECT_FALSE(others_may_write());
  }
  EXPECT_TRUE(queue_is(0));
  const grant writing = mine(lock_).acquire();
  EXPECT_NE(queue().front().find(of_curator() ? "-__WRIT__" : "write-"), std::string::npos) << queue().front();
  EXPECT_FALSE(others_may_read());
  EXPECT_FALSE(others_may_write());
}

TEST_P(shared_mutex_calls, with_nothing_held_unlocking_violates_the_contract_and_asks_is_refused) {
  lock_.unlock();
  EXPECT_EQ(violations_.take(), 1);
  lock_.unlock_shared();
  EXPECT_EQ(violations_.take(), 1);
  lock_.read().unlock();
  lock_.write().unlock();
  EXPECT_EQ(violations_.take(), 2);
  EXPECT_FALSE(lock_.held());
  EXPECT_EQ(thrown_by([&] { return lock_.token(); }).ec, errc::not_owner);
  EXPECT_EQ(thrown_by([&] { return lock_.lost(); }).ec, errc::not_owner);
}

// ---- reads

TEST_P(shared_mutex_calls, a_reader_reads_again_without_a_request) {
  const grant first = mine(lock_.read()).acquire();
  std::optional<grant> again;
  again = mine(lock_.read()).acquire();
  EXPECT_EQ(queue().size(), 1U);
  EXPECT_EQ(again->token(), first.token());
  EXPECT_EQ(again->node(), first.node());
  EXPECT_TRUE(lock_.held());
  EXPECT_EQ(lock_.token(), first.token());
  again.reset();
  EXPECT_TRUE(first.held());
  EXPECT_EQ(queue().size(), 1U);
}

TEST_P(shared_mutex_calls, f54_a_reader_that_wants_to_write_is_refused_at_once_and_keeps_reading) {
  const grant reading = mine(lock_.read()).acquire();
  std::error_code ec;
  EXPECT_FALSE(mine(lock_).acquire(ec));
  EXPECT_EQ(ec, errc::would_deadlock);
  EXPECT_FALSE(mine(lock_.write()).try_acquire(ec));
  EXPECT_EQ(ec, errc::would_deadlock);
  EXPECT_EQ(thrown_by([&] { return lock_.try_lock_for(patience); }).ec, errc::would_deadlock);
  EXPECT_TRUE(reading.held());
  EXPECT_EQ(queue().size(), 1U);
}

TEST_P(shared_mutex_calls, another_thread_of_a_reader_is_another_owner) {
  const grant reading = mine(lock_.read()).acquire();
  elsewhere([&] {
    std::error_code ec;
    EXPECT_FALSE(mine(lock_.write()).try_acquire(ec));
    EXPECT_FALSE(ec) << "it is not in time: " << ec.message();
    EXPECT_FALSE(lock_.held());
    const grant too = mine(lock_.read()).acquire();
    EXPECT_NE(too.node(), reading.node());
    EXPECT_TRUE(lock_.held());
  });
  EXPECT_TRUE(reading.held());
}

TEST_P(shared_mutex_calls, a_reader_unlocks_what_it_has_locked_and_not_the_other_side) {
  lock_.lock_shared();
  lock_.lock_shared();
  lock_.unlock();
  EXPECT_EQ(violations_.take(), 1) << "it does not write";
  lock_.unlock_shared();
  EXPECT_TRUE(lock_.held());
  lock_.unlock_shared();
  EXPECT_FALSE(lock_.held());
  lock_.unlock_shared();
  EXPECT_EQ(violations_.take(), 1);
}

TEST_P(shared_mutex_calls, unlock_gives_back_no_count_that_a_grant_has) {
  const grant reading = mine(lock_.read()).acquire();
  lock_.unlock_shared();
  EXPECT_EQ(violations_.take(), 1);
  EXPECT_TRUE(reading.held());
}

// ---- writes

TEST_P(shared_mutex_calls, a_writer_writes_and_reads_again_without_a_request) {
  const grant writing = mine(lock_).acquire();
  const grant again = mine(lock_.write()).acquire();
  const grant reading = mine(lock_.read()).acquire();
  EXPECT_EQ(queue().size(), 1U);
  EXPECT_EQ(again.token(), writing.token());
  EXPECT_EQ(reading.token(), writing.token());
  EXPECT_EQ(reading.node(), writing.node());
}

TEST_P(shared_mutex_calls, f53_a_writer_that_gives_its_read_count_back_goes_on_writing) {
  lock_.lock();
  lock_.lock_shared();
  lock_.unlock_shared();
  EXPECT_TRUE(lock_.held());
  EXPECT_FALSE(others_may_read());
  lock_.unlock();
  EXPECT_TRUE(eventually([&] { return others_may_write(); }));
}

TEST_P(shared_mutex_calls, f53_unlocking_the_write_side_while_it_reads_is_a_downgrade) {
  lock_.lock();
  const fencing_token token = lock_.token();
  lock_.lock();
  lock_.lock_shared();
  lock_.unlock();
  EXPECT_FALSE(others_may_read()) << "one write count is left";
  lock_.unlock();
  EXPECT_TRUE(lock_.held());
  EXPECT_EQ(lock_.token(), token);
  EXPECT_TRUE(eventually([&] { return others_may_read(); }));
  EXPECT_FALSE(others_may_write());
  EXPECT_EQ(thrown_by([&] { return lock_.try_lock(); }).ec, errc::would_deadlock) << "it is a reader now";
  lock_.unlock();
  EXPECT_EQ(violations_.take(), 1);
  lock_.unlock_shared();
  EXPECT_TRUE(eventually([&] { return others_may_write(); }));
}

TEST_P(shared_mutex_calls, a_write_grant_that_goes_before_its_read_grant_is_a_downgrade) {
  std::optional<grant> writing;
  writing = mine(lock_).acquire();
  const grant reading = mine(lock_.read()).acquire();
  writing.reset();
  EXPECT_TRUE(reading.held());
  EXPECT_TRUE(eventually([&] { return others_may_read(); }));
  EXPECT_FALSE(others_may_write());
}

TEST_P(shared_mutex_calls, a_lock_that_goes_gives_back_what_was_locked_and_leaves_what_grants_have) {
  std::optional<shared_mutex> going;
  going.emplace(two_, "/lock", in_layout());
  grant reading;
  going->lock();
  reading = mine(going->read()).acquire();
  lock_view view = going->read();
  going.reset();
  EXPECT_TRUE(reading.held());
  EXPECT_TRUE(eventually([&] { return static_cast<bool>(mine(lock_.read()).try_acquire()); }))
      << "that was a downgrade";
  EXPECT_EQ(thrown_by([&] { return mine(view).try_acquire(); }).ec, errc::abandoned) << "it does not re-enter either";
}

// ---- on other threads

TEST_P(shared_mutex_calls, grants_are_downgraded_and_given_back_on_other_threads) {
  grant writing = mine(lock_).acquire();
  grant reading = mine(lock_.read()).acquire();
  elsewhere([&] { writing.release(); });
  EXPECT_TRUE(reading.held());
  EXPECT_TRUE(eventually([&] { return others_may_read(); })) << "a downgrade";
  EXPECT_TRUE(lock_.held()) << "the thread that acquired it still has the other";
  elsewhere([&] { reading.release(); });
  EXPECT_FALSE(lock_.held());
  grant again = mine(lock_).acquire();
  elsewhere([moved = std::move(again)]() mutable { moved.downgrade(); });
  EXPECT_FALSE(lock_.held());
  EXPECT_TRUE(others_may_write() || eventually([&] { return others_may_write(); }));
}

// ---- a lost hold

TEST_P(shared_mutex_calls, f56_on_a_lost_write_hold_both_sides_are_refused_until_each_count_is_given_back) {
  grant writing = mine(lock_).acquire();
  lock_.lock_shared();
  ASSERT_TRUE(loses(writing));
  EXPECT_FALSE(lock_.held());
  EXPECT_EQ(lock_.token(), writing.token()) << "the token still tells";
  EXPECT_TRUE(eventually([&] { return lock_.lost().stop_requested(); }));
  std::error_code ec;
  EXPECT_FALSE(mine(lock_.read()).acquire(ec));
  EXPECT_EQ(ec, errc::lost);
  EXPECT_FALSE(mine(lock_).acquire(ec));
  EXPECT_EQ(ec, errc::lost);
  EXPECT_EQ(thrown_by([&] { return lock_.try_lock_shared(); }).ec, errc::lost);
  writing.downgrade(ec);
  EXPECT_EQ(ec, errc::lost);
  lock_.unlock_shared();
  EXPECT_FALSE(mine(lock_.read()).acquire(ec));
  EXPECT_EQ(ec, errc::lost) << "the grant's count is left";
  writing.release(ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_EQ(violations_.take(), 0);
  EXPECT_TRUE(mine(lock_.read()).acquire().held()) << "afresh";
}

TEST_P(shared_mutex_calls, a_lost_hold_is_unlocked_quietly_in_any_order) {
  lock_.lock();
  lock_.lock_shared();
  ASSERT_TRUE(zookeeper_.remove_node("/lock/" + queue().front()));
  ASSERT_TRUE(eventually([&] { return !lock_.held(); }));
  lock_.unlock();  // would be a downgrade
  lock_.unlock_shared();
  EXPECT_EQ(violations_.take(), 0);
  EXPECT_TRUE(queue().empty());
  lock_.lock();
  EXPECT_TRUE(lock_.held());
  lock_.unlock();
}

TEST_P(shared_mutex_calls, a_lost_read_hold_says_lost_and_not_would_deadlock) {
  const grant reading = mine(lock_.read()).acquire();
  ASSERT_TRUE(loses(reading));
  std::error_code ec;
  EXPECT_FALSE(mine(lock_).acquire(ec));
  EXPECT_EQ(ec, errc::lost);
}

INSTANTIATE_TEST_SUITE_P(in, shared_mutex_calls, ::testing::Values(layout::native, layout::curator),
                         [](const auto& each) { return each.param == layout::native ? "native" : "curator"; });

}  // namespace
}  // namespace zklock::test
