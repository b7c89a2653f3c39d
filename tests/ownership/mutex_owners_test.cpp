#include "tests/ownership/owners.hpp"

namespace zklock::test {
namespace {

/// Of a recursive_mutex.
class mutex_owners : public owners {
 protected:
  void SetUp() override {
    owners::SetUp();
    lock_ = std::make_unique<recursive_mutex>(*session_, "/lock");
  }
  /// What T has taken without owner, to be released by any thread.
  [[nodiscard]] grant taken_by_t() {
    return t_.does([this] { return lock_->acquire(); });
  }
  void t_locks() {
    t_.does([this] { lock_->lock(); });
  }
  void t_unlocks() {
    t_.does([this] { lock_->unlock(); });
  }
  [[nodiscard]] lock_view as_job() { return lock_->as(job_); }

  std::unique_ptr<recursive_mutex> lock_;
};
INSTANTIATE_TEST_SUITE_P(, mutex_owners, both_servers, name_of);

// ---- lock()

TEST_P(mutex_owners, lock_counts_where_the_thread_holds_by_lock) {
  t_locks();
  EXPECT_TRUE(expect_counts([this] { return (lock_->lock(), true); }));
  EXPECT_TRUE(expect_counts([this] { return lock_->try_lock() && lock_->try_lock_for(1ms); }));
  for (int count = 0; count < 4; ++count) {
    EXPECT_EQ(contenders(), 1U);
    t_unlocks();
  }
}

TEST_P(mutex_owners, lock_queues_behind_the_threads_own_grant) {
  grant held = taken_by_t();
  EXPECT_FALSE(t_.does([this] { return lock_->try_lock(); }));
  EXPECT_TRUE(expect_queues([this] { return (lock_->lock(), true); }, [&held] { held.release(); }));
  t_unlocks();
}

TEST_P(mutex_owners, lock_counts_where_the_thread_is_the_owner_and_queues_behind_any_other) {
  grant held = t_.does([this] { return lock_->as(owner::this_thread()).acquire(); });
  EXPECT_TRUE(expect_counts([this] { return (lock_->lock(), true); }));
  held.release();
  t_unlocks();
  held = as_job().acquire();
  EXPECT_TRUE(expect_queues([this] { return (lock_->lock(), true); }, [&held] { held.release(); }));
  t_unlocks();
}

// ---- acquire()

TEST_P(mutex_owners, acquire_would_deadlock_where_the_thread_holds_by_lock) {
  t_locks();
  expect_refused(errc::would_deadlock, *lock_);
  t_unlocks();
}

TEST_P(mutex_owners, acquire_queues_behind_the_threads_own_grant) {
  grant held = taken_by_t();
  EXPECT_FALSE(t_.does([this] { return lock_->try_acquire(); }));
  EXPECT_TRUE(expect_queues([this] { return lock_->acquire(); }, [&held] { held.release(); }));
}

TEST_P(mutex_owners, acquire_queues_behind_an_owner_also_the_thread_itself) {
  grant held = as_job().acquire();
  EXPECT_TRUE(expect_queues([this] { return lock_->acquire(); }, [&held] { held.release(); }));
  held = t_.does([this] { return lock_->as(owner::this_thread()).acquire(); });
  EXPECT_TRUE(expect_queues([this] { return lock_->acquire(); }, [&held] { held.release(); }));
}

// ---- as(o)

TEST_P(mutex_owners, an_owner_counts_if_it_is_the_thread_that_holds_by_lock) {
  t_locks();
  EXPECT_TRUE(expect_counts([this] { return lock_->as(owner::this_thread()).acquire().held(); }));
  t_unlocks();
}

TEST_P(mutex_owners, an_owner_would_deadlock_on_another_that_the_thread_has_locked) {
  t_locks();
  lock_view job = as_job();
  expect_refused(errc::would_deadlock, job);
  EXPECT_EQ(t_.does([&job] { return error_of([&job] { return (job.lock(), 0); }); }), errc::would_deadlock);
  t_unlocks();
}

TEST_P(mutex_owners, an_owner_queues_behind_the_threads_own_grant) {
  grant held = taken_by_t();
  EXPECT_TRUE(expect_queues([this] { return as_job().acquire(); }, [&held] { held.release(); }));
}

TEST_P(mutex_owners, an_owner_counts_from_any_thread_where_it_holds) {
  grant held = as_job().acquire();
  grant again = expect_counts([this] { return as_job().acquire(); });
  EXPECT_EQ(again.token(), held.token());
  EXPECT_TRUE(expect_counts([this] { return as_job().try_lock(); }));
  as_job().unlock();
  held.release();
  EXPECT_EQ(contenders(), 1U);
  EXPECT_TRUE(again.held());
  again.release();
}

// ---- unlock()

TEST_P(mutex_owners, unlock_gives_back_a_count_of_lock_and_no_grant) {
  t_locks();
  grant held = t_.does([this] { return lock_->as(owner::this_thread()).acquire(); });
  t_unlocks();
  t_unlocks();
  EXPECT_EQ(violations(), 1);
  EXPECT_TRUE(held.held());
  held.release();
}

TEST_P(mutex_owners, unlock_of_a_grant_without_owner_violates_the_contract) {
  grant held = taken_by_t();
  t_unlocks();
  t_.does([this] { as_job().unlock(); });
  EXPECT_EQ(violations(), 2);
  EXPECT_TRUE(held.held());
  held.release();
}

TEST_P(mutex_owners, unlock_gives_back_what_the_thread_as_owner_has_locked) {
  t_.does([this] { lock_->as(owner::this_thread()).lock(); });
  t_unlocks();
  EXPECT_EQ(violations(), 0);
  t_.does([this] { as_job().lock(); });
  t_unlocks();
  EXPECT_EQ(violations(), 1);
  as_job().unlock();
}

TEST_P(mutex_owners, an_owners_unlock_of_what_the_thread_has_locked_violates_the_contract) {
  t_locks();
  t_.does([this] { as_job().unlock(); });
  EXPECT_EQ(violations(), 1);
  EXPECT_TRUE(t_.does([this] { return lock_->held(); }));
  t_unlocks();
}

TEST_P(mutex_owners, an_owners_unlock_gives_back_one_count_of_its_lock_on_any_thread) {
  t_.does([this] {
    as_job().lock();
    as_job().lock();
  });
  as_job().unlock();
  EXPECT_TRUE(as_job().held());
  as_job().unlock();
  EXPECT_FALSE(as_job().held());
  as_job().unlock();
  EXPECT_EQ(violations(), 1);
}

// ---- held(), token(), lost()

TEST_P(mutex_owners, held_and_token_are_of_what_the_thread_has_locked) {
  t_locks();
  EXPECT_TRUE(t_.does([this] { return lock_->held() && lock_->token().czxid > 0 && !lock_->lost().stop_requested(); }));
  EXPECT_FALSE(lock_->held());
  EXPECT_EQ(error_of([this] { return lock_->token(); }), errc::not_owner);
  t_unlocks();
}

TEST_P(mutex_owners, held_says_no_of_a_grant_without_owner_and_token_not_owner) {
  grant held = taken_by_t();
  EXPECT_FALSE(t_.does([this] { return lock_->held(); }));
  EXPECT_EQ(t_.does([this] { return error_of([this] { return lock_->token(); }); }), errc::not_owner);
  EXPECT_EQ(t_.does([this] { return error_of([this] { return lock_->lost(); }); }), errc::not_owner);
  EXPECT_TRUE(held.held());
  held.release();
}

TEST_P(mutex_owners, held_and_token_of_an_owner_are_asked_of_its_view) {
  grant held = t_.does([this] { return as_job().acquire(); });
  EXPECT_TRUE(as_job().held());
  EXPECT_EQ(as_job().token(), held.token());
  EXPECT_FALSE(as_job().lost().stop_requested());
  EXPECT_FALSE(t_.does([this] { return lock_->held(); }));
  EXPECT_EQ(error_of([this] { return lock_->as(owner()).token(); }), errc::not_owner);
  held.release();
  held = t_.does([this] { return lock_->as(owner::this_thread()).acquire(); });
  EXPECT_TRUE(t_.does([this] { return lock_->held(); })) << "the thread is the owner";
  held.release();
}

// ---- after a loss

TEST_P(mutex_owners, a_lost_lock_is_lost_for_the_thread_until_its_counts_are_back) {
  t_locks();
  t_locks();
  lose([this] { return t_.does([this] { return lock_->held(); }); });
  EXPECT_EQ(t_.does([this] { return error_of([this] { return (lock_->lock(), 0); }); }), errc::lost);
  t_unlocks();
  EXPECT_EQ(t_.does([this] { return error_of([this] { return lock_->try_lock(); }); }), errc::lost);
  t_unlocks();
  t_locks();
  t_unlocks();
  EXPECT_EQ(violations(), 0);
}

TEST_P(mutex_owners, a_lost_grant_without_owner_stands_in_no_way) {
  grant held = taken_by_t();
  lose(held);
  EXPECT_TRUE(t_.does([this] { return lock_->acquire(); }).held());
  EXPECT_FALSE(held.held());
}

TEST_P(mutex_owners, a_lost_hold_is_lost_for_its_owner_and_no_other) {
  grant held = as_job().acquire();
  lose(held);
  lock_view job = as_job();
  expect_refused(errc::lost, job);
  EXPECT_TRUE(t_.does([this] { return lock_->acquire(); }).held());
  std::error_code ec;
  held.release(ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_TRUE(as_job().acquire().held());
}

// ---- a grant on another thread

TEST_P(mutex_owners, a_grant_without_owner_frees_the_lock_on_another_thread) {
  grant held = taken_by_t();
  held.release();
  EXPECT_EQ(contenders(), 0U);
  held = taken_by_t();
  held = grant();
  EXPECT_TRUE(t_.does([this] { return lock_->acquire(); }).held());
}

TEST_P(mutex_owners, an_owners_grant_gives_back_one_count_on_another_thread) {
  grant first = t_.does([this] { return as_job().acquire(); });
  grant second = t_.does([this] { return as_job().acquire(); });
  first.release();
  EXPECT_TRUE(second.held());
  EXPECT_TRUE(as_job().held());
  t_.does([&second] { second.release(); });
  EXPECT_EQ(contenders(), 0U);
}

// ---- a second call of one owner

TEST_P(mutex_owners, a_second_call_of_an_owner_waits_for_the_first_and_counts) {
  grant other = lock_->acquire();
  auto first = t_.begins([this] { return as_job().acquire(); });
  ASSERT_TRUE(eventually([this] { return contenders() == 2; }));
  actor second_thread;
  auto second = second_thread.begins([this] { return as_job().acquire(); });
  EXPECT_EQ(second.wait_for(20ms), std::future_status::timeout);
  EXPECT_EQ(contenders(), 2U) << "never two contenders of one owner";
  other.release();
  const grant one = first.get();
  const grant two = second.get();
  EXPECT_EQ(one.token(), two.token());
}

TEST_P(mutex_owners, a_second_call_of_an_owner_queues_when_the_first_was_in_vain) {
  grant other = lock_->acquire();
  std::stop_source stop;
  std::error_code ec;
  auto first = t_.begins([&] { return as_job().acquire(stop.get_token(), ec); });
  ASSERT_TRUE(eventually([this] { return contenders() == 2; }));
  actor second_thread;
  auto second = second_thread.begins([this] { return as_job().acquire(); });
  EXPECT_EQ(second.wait_for(20ms), std::future_status::timeout);
  stop.request_stop();
  EXPECT_FALSE(first.get());
  EXPECT_EQ(ec, errc::abandoned);
  EXPECT_TRUE(eventually([this] { return contenders() == 2; }));
  other.release();
  EXPECT_TRUE(second.get().held());
}

TEST_P(mutex_owners, a_second_call_of_an_owner_ends_at_its_own_limit_or_stop) {
  grant other = lock_->acquire();
  auto first = t_.begins([this] { return as_job().acquire(); });
  ASSERT_TRUE(eventually([this] { return contenders() == 2; }));
  std::error_code ec;
  EXPECT_FALSE(as_job().try_acquire_for(20ms, ec));
  EXPECT_FALSE(ec) << ec.message();
  std::stop_source stop;
  actor second_thread;
  auto second = second_thread.begins([&] { return as_job().acquire(stop.get_token(), ec); });
  EXPECT_EQ(second.wait_for(20ms), std::future_status::timeout);
  stop.request_stop();
  EXPECT_FALSE(second.get());
  EXPECT_EQ(ec, errc::abandoned);
  other.release();
  EXPECT_TRUE(first.get().held());
}

TEST_P(mutex_owners, a_second_call_of_an_owner_would_deadlock_on_what_its_thread_has_locked) {
  t_locks();
  actor first_thread;
  auto first = first_thread.begins([this] { return as_job().acquire(); });
  ASSERT_TRUE(eventually([this] { return contenders() == 2; }));
  lock_view job = as_job();
  expect_refused(errc::would_deadlock, job);
  t_unlocks();
  EXPECT_TRUE(first.get().held());
}

TEST_P(mutex_owners, a_second_call_of_an_owner_ends_when_the_lock_object_goes) {
  const grant other = lock_->acquire();
  std::error_code ec_of_first;
  std::error_code ec;
  auto first = t_.begins([&, view = as_job()]() mutable { return view.acquire(ec_of_first); });
  ASSERT_TRUE(eventually([this] { return contenders() == 2; }));
  actor second_thread;
  auto second = second_thread.begins([&, view = as_job()]() mutable { return view.acquire(ec); });
  EXPECT_EQ(second.wait_for(20ms), std::future_status::timeout);
  lock_.reset();
  EXPECT_FALSE(first.get());
  EXPECT_FALSE(second.get());
  EXPECT_EQ(ec_of_first, errc::abandoned);
  EXPECT_EQ(ec, errc::abandoned);
}

}  // namespace
}  // namespace zklock::test
