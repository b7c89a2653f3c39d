// semaphore_mutex: the table of its header.
#include <mutex>
#include <optional>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

class semaphore_mutex_calls : public on_a_fake {
 protected:
  session watchful_{zookeeper_.clients(2),
                    {.timeout = 2s}};  ///< its heartbeat comes soon, and the look at its own nodes
  semaphore_mutex lock_{watchful_, "/lock"};
  contract_violations violations_;
};

TEST_F(semaphore_mutex_calls, a_second_acquire_of_the_same_thread_waits_or_is_not_in_time) {
  grant held = lock_.acquire();
  std::error_code ec;
  EXPECT_FALSE(lock_.try_acquire(ec));
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_FALSE(lock_.try_acquire_for(briefly, ec));
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_FALSE(lock_.try_lock());
  EXPECT_FALSE(lock_.try_lock_for(briefly));
  auto giver = in_a_thread([&] {
    EXPECT_TRUE(queue_is(2));
    held.release();
  });
  const grant next = lock_.acquire();
  giver.get();
  EXPECT_TRUE(next.held());
}

TEST_F(semaphore_mutex_calls, any_thread_unlocks_what_lock_has_taken) {
  lock_.lock();
  EXPECT_TRUE(lock_.held());
  EXPECT_TRUE(elsewhere([&] { return lock_.held(); })) << "it has no owner: whichever thread asks";
  EXPECT_EQ(elsewhere([&] { return lock_.token(); }), lock_.token());
  elsewhere([&] { lock_.unlock(); });
  EXPECT_FALSE(lock_.held());
  EXPECT_EQ(violations_.take(), 0);
  EXPECT_TRUE(queue_is(0));
}

TEST_F(semaphore_mutex_calls, unlocking_what_is_not_locked_violates_the_contract) {
  lock_.unlock();
  EXPECT_EQ(violations_.take(), 1);
  const grant held = lock_.acquire();
  lock_.unlock();
  EXPECT_EQ(violations_.take(), 1) << "a grant's count is not unlock()'s";
  EXPECT_TRUE(held.held());
  EXPECT_FALSE(lock_.held()) << "of what lock() has taken";
  EXPECT_EQ(thrown_by([&] { return lock_.token(); }).ec, errc::not_owner);
  EXPECT_EQ(thrown_by([&] { return lock_.lost(); }).ec, errc::not_owner);
}

TEST_F(semaphore_mutex_calls, a_grant_is_given_back_by_any_thread) {
  grant held = lock_.acquire();
  elsewhere([moved = std::move(held)]() mutable { moved.release(); });
  EXPECT_TRUE(lock_.try_acquire().held());
}

TEST_F(semaphore_mutex_calls, it_and_a_recursive_mutex_exclude_each_other_on_one_path) {
  recursive_mutex recursive(one_, "/lock");
  {
    const grant held = lock_.acquire();
    EXPECT_FALSE(recursive.try_acquire());
  }
  const grant held = recursive.acquire();
  EXPECT_FALSE(lock_.try_acquire());
}

TEST_F(semaphore_mutex_calls, a_lost_hold_stands_in_nobodys_way_and_is_given_back_quietly) {
  grant held = lock_.acquire();
  ASSERT_TRUE(zookeeper_.remove_node(held.node()));
  ASSERT_TRUE(eventually([&] { return !held.held(); }));
  EXPECT_TRUE(lock_.acquire().held()) << "no thread owns it, so no count of it has to be given back before";
  std::error_code ec;
  held.release(ec);
  EXPECT_EQ(ec, errc::lost);
  lock_.lock();
  ASSERT_TRUE(zookeeper_.remove_node("/lock/" + queue().front()));
  ASSERT_TRUE(eventually([&] { return !lock_.held(); }));
  EXPECT_GT(lock_.token().czxid, 0);
  lock_.unlock();
  EXPECT_EQ(violations_.take(), 0);
}

TEST_F(semaphore_mutex_calls, a_lock_that_goes_gives_back_what_was_locked_and_ends_the_wait) {
  std::optional<semaphore_mutex> going;
  going.emplace(one_, "/lock");
  going->lock();
  std::error_code ec;
  auto waits = in_a_thread([&, raw = &*going] { return raw->acquire(ec); });
  ASSERT_TRUE(queue_is(2));
  going.reset();
  const grant got = waits.get();
  EXPECT_TRUE(!got ? ec == errc::abandoned : !ec) << ec.message();
}

}  // namespace
}  // namespace zklock::test
