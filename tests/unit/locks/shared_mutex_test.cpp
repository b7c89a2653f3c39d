// shared_mutex: the table of its header, cell by cell, and what a downgrade is.
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "tests/unit/locks/on_a_fake.hpp"

namespace zklock::test {
namespace {

/// In either layout.
class shared_mutex_calls : public on_a_fake, public ::testing::WithParamInterface<layout> {
 protected:
  [[nodiscard]] static lock_options in_layout() { return {.layout = GetParam()}; }
  [[nodiscard]] static bool of_curator() { return GetParam() == layout::curator; }
  [[nodiscard]] bool others_may_read() { return static_cast<bool>(others_.read().try_acquire()); }
  [[nodiscard]] bool others_may_write() { return static_cast<bool>(others_.write().try_acquire()); }
  /// The hold goes by somebody's hand; returns when that is known.
  [[nodiscard]] bool loses(const grant& held) {
    return zookeeper_.remove_node(held.node()) && eventually([&] { return !held.held(); });
  }

  session watchful_{zookeeper_.clients(2),
                    {.timeout = 2s}};  ///< its heartbeat comes soon, and the look at its own nodes
  shared_mutex lock_{watchful_, "/lock", in_layout()};
  shared_mutex others_{two_, "/lock", in_layout()};
  contract_violations violations_;
};

// ---- nothing is held

TEST_P(shared_mutex_calls, with_nothing_held_each_side_is_a_contender) {
  {
    const grant reading = lock_.read().acquire();
    EXPECT_NE(queue().front().find(of_curator() ? "-__READ__" : "read-"), std::string::npos) << queue().front();
    EXPECT_TRUE(others_may_read());
    EXPECT_FALSE(others_may_write());
  }
  EXPECT_TRUE(queue_is(0));
  const grant writing = lock_.acquire();
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
  const grant first = lock_.read().acquire();
  std::optional<grant> again;
  again = lock_.read().acquire();
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
  const grant reading = lock_.read().acquire();
  std::error_code ec;
  EXPECT_FALSE(lock_.acquire(ec));
  EXPECT_EQ(ec, errc::would_deadlock);
  EXPECT_FALSE(lock_.write().try_acquire(ec));
  EXPECT_EQ(ec, errc::would_deadlock);
  EXPECT_EQ(thrown_by([&] { return lock_.try_lock_for(patience); }).ec, errc::would_deadlock);
  EXPECT_TRUE(reading.held());
  EXPECT_EQ(queue().size(), 1U);
}

TEST_P(shared_mutex_calls, another_thread_of_a_reader_is_another_owner) {
  const grant reading = lock_.read().acquire();
  elsewhere([&] {
    std::error_code ec;
    EXPECT_FALSE(lock_.write().try_acquire(ec));
    EXPECT_FALSE(ec) << "it is not in time: " << ec.message();
    EXPECT_FALSE(lock_.held());
    const grant too = lock_.read().acquire();
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
  const grant reading = lock_.read().acquire();
  lock_.unlock_shared();
  EXPECT_EQ(violations_.take(), 1);
  EXPECT_TRUE(reading.held());
}

// ---- writes

TEST_P(shared_mutex_calls, a_writer_writes_and_reads_again_without_a_request) {
  const grant writing = lock_.acquire();
  const grant again = lock_.write().acquire();
  const grant reading = lock_.read().acquire();
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
  writing = lock_.acquire();
  const grant reading = lock_.read().acquire();
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
  reading = going->read().acquire();
  lock_view view = going->read();
  going.reset();
  EXPECT_TRUE(reading.held());
  EXPECT_TRUE(eventually([&] { return static_cast<bool>(lock_.read().try_acquire()); })) << "that was a downgrade";
  EXPECT_EQ(thrown_by([&] { return view.try_acquire(); }).ec, errc::abandoned) << "it does not re-enter either";
}

// ---- downgrade()

TEST_P(shared_mutex_calls, a_downgraded_grant_reads_with_its_token_and_its_place) {
  grant held = lock_.acquire();
  const fencing_token token = held.token();
  const std::string node = held.node();
  held.downgrade();
  EXPECT_TRUE(held.held());
  EXPECT_EQ(held.token(), token);
  EXPECT_TRUE(eventually([&] { return others_may_read(); }));
  EXPECT_FALSE(others_may_write());
  EXPECT_EQ(held.node() == node, !of_curator()) << "there another node with the same number stands for it";
  EXPECT_EQ(held.node().substr(held.node().size() - 10), node.substr(node.size() - 10));
  EXPECT_TRUE(zookeeper_.exists(held.node()));
  const grant again = lock_.read().acquire();
  EXPECT_EQ(again.node(), held.node());
  std::error_code ec;
  held.downgrade(ec);
  EXPECT_EQ(ec, errc::not_a_write_grant);
}

TEST_P(shared_mutex_calls, f52_a_queued_writer_does_not_get_in_at_a_downgrade_and_readers_behind_it_wait_for_it) {
  grant held = lock_.acquire();
  auto writer = in_a_thread([&] { return others_.acquire(); });
  ASSERT_TRUE(queue_is(2));
  shared_mutex third(one_, "/lock", in_layout());
  auto reader = in_a_thread([&] { return third.read().acquire(); });
  ASSERT_TRUE(queue_is(3));
  held.downgrade();
  EXPECT_EQ(writer.wait_for(briefly), std::future_status::timeout);
  EXPECT_EQ(reader.wait_for(briefly), std::future_status::timeout) << "first come, first served";
  held.release();
  grant wrote = writer.get();
  EXPECT_TRUE(wrote.held());
  EXPECT_EQ(reader.wait_for(briefly), std::future_status::timeout);
  wrote.release();
  EXPECT_TRUE(reader.get().held());
}

TEST_P(shared_mutex_calls, a_downgrade_lets_in_the_readers_right_behind_it) {
  grant held = lock_.acquire();
  shared_mutex third(one_, "/lock", in_layout());
  auto first = in_a_thread([&] { return others_.read().acquire(); });
  auto second = in_a_thread([&] { return third.read().acquire(); });
  ASSERT_TRUE(queue_is(3));
  held.downgrade();
  EXPECT_TRUE(first.get().held());
  EXPECT_TRUE(second.get().held());
  EXPECT_TRUE(held.held());
}

TEST_P(shared_mutex_calls, a_downgrade_beside_another_write_count_would_deadlock_and_changes_nothing) {
  grant held = lock_.acquire();
  {
    const std::scoped_lock again(lock_);
    EXPECT_EQ(thrown_by([&] {
                held.downgrade();
                return 0;
              }).ec,
              errc::would_deadlock);
  }
  std::error_code ec;
  {
    const grant again = lock_.acquire();
    held.downgrade(ec);
    EXPECT_EQ(ec, errc::would_deadlock);
    EXPECT_FALSE(others_may_read());
  }
  held.downgrade(ec);
  EXPECT_FALSE(ec) << ec.message();
}

TEST_P(shared_mutex_calls, only_a_write_grant_that_stands_is_downgraded) {
  std::error_code ec;
  grant none;
  none.downgrade(ec);
  EXPECT_EQ(ec, errc::not_owner);
  grant reading = lock_.read().acquire();
  EXPECT_EQ(thrown_by([&] {
              reading.downgrade();
              return 0;
            }).path,
            "/lock");
  reading.downgrade(ec);
  EXPECT_EQ(ec, errc::not_a_write_grant);
  EXPECT_TRUE(reading.held());
  recursive_mutex whole(one_, "/a");
  grant mutexed = whole.acquire();
  mutexed.downgrade(ec);
  EXPECT_EQ(ec, errc::not_a_write_grant);
  semaphore pool(one_, "/b", 1);
  grant permit = pool.permits().acquire();
  permit.downgrade(ec);
  EXPECT_EQ(ec, errc::not_a_write_grant);
}

// ---- on other threads

TEST_P(shared_mutex_calls, grants_are_downgraded_and_given_back_on_other_threads) {
  grant writing = lock_.acquire();
  grant reading = lock_.read().acquire();
  elsewhere([&] { writing.release(); });
  EXPECT_TRUE(reading.held());
  EXPECT_TRUE(eventually([&] { return others_may_read(); })) << "a downgrade";
  EXPECT_TRUE(lock_.held()) << "the thread that acquired it still has the other";
  elsewhere([&] { reading.release(); });
  EXPECT_FALSE(lock_.held());
  grant again = lock_.acquire();
  elsewhere([moved = std::move(again)]() mutable { moved.downgrade(); });
  EXPECT_FALSE(lock_.held());
  EXPECT_TRUE(others_may_write() || eventually([&] { return others_may_write(); }));
}

// ---- a lost hold

TEST_P(shared_mutex_calls, f56_on_a_lost_write_hold_both_sides_are_refused_until_each_count_is_given_back) {
  grant writing = lock_.acquire();
  lock_.lock_shared();
  ASSERT_TRUE(loses(writing));
  EXPECT_FALSE(lock_.held());
  EXPECT_EQ(lock_.token(), writing.token()) << "the token still tells";
  EXPECT_TRUE(eventually([&] { return lock_.lost().stop_requested(); }));
  std::error_code ec;
  EXPECT_FALSE(lock_.read().acquire(ec));
  EXPECT_EQ(ec, errc::lost);
  EXPECT_FALSE(lock_.acquire(ec));
  EXPECT_EQ(ec, errc::lost);
  EXPECT_EQ(thrown_by([&] { return lock_.try_lock_shared(); }).ec, errc::lost);
  writing.downgrade(ec);
  EXPECT_EQ(ec, errc::lost);
  lock_.unlock_shared();
  EXPECT_FALSE(lock_.read().acquire(ec));
  EXPECT_EQ(ec, errc::lost) << "the grant's count is left";
  writing.release(ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_EQ(violations_.take(), 0);
  EXPECT_TRUE(lock_.read().acquire().held()) << "afresh";
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
  const grant reading = lock_.read().acquire();
  ASSERT_TRUE(loses(reading));
  std::error_code ec;
  EXPECT_FALSE(lock_.acquire(ec));
  EXPECT_EQ(ec, errc::lost);
}

TEST_P(shared_mutex_calls, a_downgraded_hold_is_lost_as_any_other) {
  grant held = lock_.acquire();
  held.downgrade();
  ASSERT_TRUE(eventually([&] { return others_may_read(); }));
  ASSERT_TRUE(loses(held));
  EXPECT_EQ(held.loss_reason(), loss_reason::node_removed);
  EXPECT_TRUE(eventually([&] { return others_may_write(); }));
}

INSTANTIATE_TEST_SUITE_P(in, shared_mutex_calls, ::testing::Values(layout::native, layout::curator),
                         [](const auto& each) { return each.param == layout::native ? "native" : "curator"; });

}  // namespace
}  // namespace zklock::test
