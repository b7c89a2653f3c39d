// grant::downgrade(): what it leaves, which waiters it lets in, and when it is refused.
#include <mutex>

#include "tests/unit/api/shared_mutex_calls.hpp"

namespace zklock::test {
namespace {

TEST_P(shared_mutex_calls, a_downgraded_grant_reads_with_its_token_and_its_place) {
  grant held = mine(lock_).acquire();
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
  const grant again = mine(lock_.read()).acquire();
  EXPECT_EQ(again.node(), held.node());
  std::error_code ec;
  held.downgrade(ec);
  EXPECT_EQ(ec, errc::not_a_write_grant);
}

TEST_P(shared_mutex_calls, f52_a_queued_writer_stays_out_at_a_downgrade_and_readers_behind_it_wait_for_it) {
  grant held = mine(lock_).acquire();
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
  grant held = mine(lock_).acquire();
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
  grant held = mine(lock_).acquire();
  {
    const std::scoped_lock again(lock_);
    EXPECT_EQ(thrown_by([&] { held.downgrade(); }).ec, errc::would_deadlock);
  }
  std::error_code ec;
  {
    const grant again = mine(lock_).acquire();
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
  grant reading = mine(lock_.read()).acquire();
  EXPECT_EQ(thrown_by([&] { reading.downgrade(); }).path, "/lock");
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

TEST_P(shared_mutex_calls, a_downgraded_hold_is_lost_as_any_other) {
  grant held = mine(lock_).acquire();
  held.downgrade();
  ASSERT_TRUE(eventually([&] { return others_may_read(); }));
  ASSERT_TRUE(loses(held));
  EXPECT_EQ(held.loss_reason(), loss_reason::node_removed);
  EXPECT_TRUE(eventually([&] { return others_may_write(); }));
}

}  // namespace
}  // namespace zklock::test
