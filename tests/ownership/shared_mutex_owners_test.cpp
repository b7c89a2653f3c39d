#include "tests/ownership/owners.hpp"

namespace zklock::test {
namespace {

/// Of a shared_mutex, for an explicit owner; what holds of it holds of a thread, whose lock() and lock_shared() are its own.
class shared_mutex_owners : public owners {
 protected:
  void SetUp() override {
    owners::SetUp();
    lock_ = std::make_unique<shared_mutex>(*session_, "/lock");
  }
  [[nodiscard]] lock_view reading() { return lock_->read().as(job_); }
  [[nodiscard]] lock_view writing() { return lock_->as(job_); }
  /// Of a stranger, without owner.
  [[nodiscard]] bool others_may_read() { return static_cast<bool>(lock_->read().try_acquire()); }
  [[nodiscard]] bool others_may_write() { return static_cast<bool>(lock_->write().try_acquire()); }

  std::unique_ptr<shared_mutex> lock_;
};
INSTANTIATE_TEST_SUITE_P(, shared_mutex_owners, both_servers, name_of);

// ---- the read side

TEST_P(shared_mutex_owners, reading_is_a_contender_of_an_owner_that_has_nothing) {
  grant held = reading().acquire();
  EXPECT_EQ(contenders(), 1U);
  EXPECT_TRUE(others_may_read());
  EXPECT_FALSE(others_may_write());
  held.release();
}

TEST_P(shared_mutex_owners, reading_counts_where_it_reads_also_while_a_writer_waits) {
  grant held = reading().acquire();
  actor writer;
  auto waits = writer.begins([this] { return lock_->acquire(); });
  ASSERT_TRUE(eventually([this] { return contenders() == 2; }));
  grant again = expect_counts([this] { return reading().acquire(); });
  EXPECT_EQ(again.token(), held.token());
  held.release();
  again.release();
  EXPECT_TRUE(waits.get().held());
}

TEST_P(shared_mutex_owners, reading_counts_as_one_read_where_it_writes) {
  grant wrote = writing().acquire();
  grant reads = expect_counts([this] { return reading().acquire(); });
  EXPECT_EQ(reads.token(), wrote.token());
  reads.release();
  EXPECT_FALSE(others_may_read()) << "it writes still";
  wrote.release();
}

TEST_P(shared_mutex_owners, reading_on_a_lost_hold_is_lost) {
  grant held = reading().acquire();
  lose(held);
  lock_view job = reading();
  expect_refused(errc::lost, job);
}

// ---- the write side

TEST_P(shared_mutex_owners, writing_is_a_contender_of_an_owner_that_has_nothing) {
  grant held = writing().acquire();
  EXPECT_EQ(contenders(), 1U);
  EXPECT_FALSE(others_may_read());
  held.release();
}

TEST_P(shared_mutex_owners, writing_would_deadlock_where_it_reads) {
  grant held = reading().acquire();
  lock_view job = writing();
  expect_refused(errc::would_deadlock, job);
  EXPECT_TRUE(held.held());
  held.release();
}

TEST_P(shared_mutex_owners, writing_counts_where_it_writes) {
  grant held = writing().acquire();
  grant again = expect_counts([this] { return writing().acquire(); });
  held.release();
  EXPECT_TRUE(again.held());
  EXPECT_FALSE(others_may_read());
  again.release();
}

TEST_P(shared_mutex_owners, writing_on_a_lost_hold_is_lost) {
  grant held = writing().acquire();
  lose(held);
  lock_view job = writing();
  expect_refused(errc::lost, job);
}

// ---- the last write count

TEST_P(shared_mutex_owners, the_last_write_count_that_goes_while_it_reads_is_a_downgrade) {
  grant wrote = writing().acquire();
  const grant reads = reading().acquire();
  wrote.release();
  EXPECT_TRUE(eventually([this] { return others_may_read(); }));
  EXPECT_FALSE(others_may_write());
  EXPECT_TRUE(reads.held());
}

TEST_P(shared_mutex_owners, the_last_write_count_of_a_lost_hold_goes_quietly) {
  writing().lock();
  reading().lock();
  lose([this] { return writing().held(); });
  writing().unlock();
  reading().unlock();
  EXPECT_EQ(violations(), 0);
  EXPECT_TRUE(others_may_write());
}

// ---- downgrade()

TEST_P(shared_mutex_owners, downgrade_of_an_empty_grant_is_not_owner) {
  std::error_code ec;
  grant().downgrade(ec);
  EXPECT_EQ(ec, errc::not_owner);
}

TEST_P(shared_mutex_owners, downgrade_of_a_read_grant_is_not_a_write_grant) {
  grant held = reading().acquire();
  std::error_code ec;
  held.downgrade(ec);
  EXPECT_EQ(ec, errc::not_a_write_grant);
}

TEST_P(shared_mutex_owners, downgrade_takes_one_write_count_and_no_more) {
  grant held = writing().acquire();
  grant again = writing().acquire();
  std::error_code ec;
  held.downgrade(ec);
  EXPECT_EQ(ec, errc::would_deadlock);
  again.release();
  held.downgrade(ec);
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_TRUE(eventually([this] { return others_may_read(); }));
}

TEST_P(shared_mutex_owners, downgrade_of_a_lost_hold_is_lost) {
  grant held = writing().acquire();
  lose(held);
  std::error_code ec;
  held.downgrade(ec);
  EXPECT_EQ(ec, errc::lost);
}

// ---- without owner

TEST_P(shared_mutex_owners, without_owner_releasing_a_write_grant_is_never_a_downgrade) {
  grant wrote = t_.does([this] { return lock_->acquire(); });
  auto reads = t_.begins([this] { return lock_->read().acquire(); });
  ASSERT_TRUE(eventually([this] { return contenders() == 2; })) << "a contender of its own";
  actor writer;
  auto writes = writer.begins([this] { return lock_->acquire(); });
  ASSERT_TRUE(eventually([this] { return contenders() == 3; }));
  const fencing_token token = wrote.token();
  wrote.release();
  grant read = reads.get();
  EXPECT_GT(read.token(), token);
  read.release();
  EXPECT_TRUE(writes.get().held());
}

TEST_P(shared_mutex_owners, without_owner_downgrade_makes_a_write_grant_a_read_grant) {
  grant held = lock_->acquire();
  held.downgrade();
  EXPECT_TRUE(eventually([this] { return others_may_read(); }));
  EXPECT_FALSE(others_may_write());
}

TEST_P(shared_mutex_owners, without_owner_a_read_waits_for_its_own_tasks_write_grant) {
  grant wrote = t_.does([this] { return lock_->acquire(); });
  EXPECT_TRUE(expect_queues([this] { return lock_->read().acquire(); }, [&wrote] { wrote.release(); }));
}

TEST_P(shared_mutex_owners, without_owner_two_reads_with_a_writer_between_wait_for_each_other) {
  grant first = t_.does([this] { return lock_->read().acquire(); });
  actor writer;
  auto writes = writer.begins([this] { return lock_->acquire(); });
  ASSERT_TRUE(eventually([this] { return contenders() == 2; }));
  const grant second = expect_queues([this] { return lock_->read().acquire(); },
                                     [&] {
                                       first.release();
                                       writes.get().release();
                                     },
                                     2);
  EXPECT_TRUE(second.held());
}

TEST_P(shared_mutex_owners, without_owner_both_sides_would_deadlock_where_the_thread_writes_by_lock) {
  t_.does([this] { lock_->lock(); });
  lock_view read = lock_->read();
  expect_refused(errc::would_deadlock, read);
  expect_refused(errc::would_deadlock, *lock_);
  t_.does([this] { lock_->unlock(); });
}

TEST_P(shared_mutex_owners, without_owner_writing_would_deadlock_where_the_thread_reads_by_lock_shared) {
  t_.does([this] { lock_->lock_shared(); });
  expect_refused(errc::would_deadlock, *lock_);
  EXPECT_TRUE(t_.does([this] { return lock_->read().acquire(); }).held()) << "it may read";
  t_.does([this] { lock_->unlock_shared(); });
}

}  // namespace
}  // namespace zklock::test
