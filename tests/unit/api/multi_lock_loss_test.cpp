// multi_lock: one part is lost, and so are all.
#include <zklock/multi_lock.hpp>

#include <mutex>
#include <stop_token>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

class multi_lock_losses : public on_a_fake {
 protected:
  session watchful_{zookeeper_.clients(2),
                    {.timeout = 2s}};  ///< its heartbeat comes soon, and the look at its own nodes
  recursive_mutex a_{watchful_, "/a"};
  shared_mutex b_{watchful_, "/b"};
  semaphore c_{watchful_, "/c", 3};
  multi_lock all_{a_, b_.write(), c_.permits(2)};
  recursive_mutex other_a_{two_, "/a"};
};

TEST_F(multi_lock_losses, f67_of_one_part_is_told_everywhere_once_and_the_others_are_given_back) {
  grant held = mine(all_).acquire();
  const grant again = mine(b_.read()).acquire();
  std::atomic<int> told = 0;
  std::atomic<int> told_part = 0;
  const std::stop_callback counting(held.lost(), [&] { ++told; });
  const std::stop_callback counting_part(again.lost(), [&] { ++told_part; });
  EXPECT_EQ(held.lost_part(), "");
  ASSERT_TRUE(zookeeper_.remove_node("/b/" + queue("/b").front()));
  EXPECT_TRUE(eventually([&] { return !held.held(); }));
  EXPECT_TRUE(eventually([&] { return !all_.held() && !a_.held() && !b_.held() && !again.held(); }));
  EXPECT_EQ(held.loss_reason(), loss_reason::node_removed);
  EXPECT_EQ(held.lost_part(), "/b");
  EXPECT_TRUE(eventually([&] { return queue("/a").empty() && queue("/c").empty(); })) << "at once";
  EXPECT_TRUE(eventually([&] { return told == 1 && told_part == 1; }));
  EXPECT_TRUE(eventually([&] { return mine(all_).lost().stop_requested() && a_.lost().stop_requested(); }));

  std::error_code ec;
  EXPECT_FALSE(mine(a_).acquire(ec));
  EXPECT_EQ(ec, errc::lost);
  EXPECT_FALSE(mine(all_).acquire(ec));
  EXPECT_EQ(ec, errc::lost) << "its counts are not given back yet";
  const fencing_token token = held.token();
  held.release(ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_FALSE(mine(all_).acquire(ec));
  EXPECT_EQ(ec, errc::lost) << "one count of a part is left";
  EXPECT_EQ(told, 1);
  const grant afresh = mine(a_).acquire();
  EXPECT_GT(afresh.token(), token);
}

TEST_F(multi_lock_losses, of_the_session_blame_no_part) {
  grant held = mine(all_).acquire();
  zookeeper_.expire_sessions(2);
  EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
  EXPECT_FALSE(held.held());
  EXPECT_EQ(held.loss_reason(), loss_reason::session_expired);
  EXPECT_EQ(held.lost_part(), "");
  EXPECT_TRUE(eventually([&] { return !a_.held() && !b_.held(); }));
  held = {};
  EXPECT_TRUE(mine(all_).try_acquire_for(patience).held()) << "in the new session";
}

TEST_F(multi_lock_losses, a_lost_multi_lock_is_unlocked_quietly_and_may_be_locked_again) {
  const contract_violations violations;
  all_.lock();
  const std::string node = "/a/" + queue("/a").front();
  ASSERT_TRUE(zookeeper_.remove_node(node));
  EXPECT_TRUE(eventually([&] { return !all_.held(); }));
  EXPECT_GT(all_.token().czxid, 0);
  all_.unlock();
  EXPECT_EQ(contract_violations::take(), 0);
  const std::scoped_lock guard(all_);
  EXPECT_TRUE(a_.held());
}

TEST_F(multi_lock_losses, the_removal_of_a_waiting_parts_node_costs_the_place_and_no_grant) {
  grant other = other_a_.acquire();
  auto waits = in_a_thread([&] { return mine(all_).acquire(); });
  ASSERT_TRUE(queue_is(2, "/a"));
  ASSERT_TRUE(queue_is(1, "/b"));
  const std::string removed = queue("/b").front();
  ASSERT_TRUE(zookeeper_.remove_node("/b/" + removed));
  EXPECT_TRUE(eventually([&] { return queue("/b").size() == 1 && queue("/b").front() != removed; })) << "all anew";
  EXPECT_TRUE(queue_is(2, "/a"));
  other.release();
  EXPECT_TRUE(waits.get().held());
}

TEST_F(multi_lock_losses, a_waiter_whose_session_expires_queues_again_in_the_next) {
  grant other = other_a_.acquire();
  auto waits = in_a_thread([&] { return mine(all_).acquire(); });
  ASSERT_TRUE(queue_is(2, "/a"));
  zookeeper_.expire_sessions(2);
  EXPECT_TRUE(
      eventually([&] { return queue("/a").size() == 2 && queue("/b").size() == 1 && queue("/c").size() == 1; }));
  other.release();
  const grant held = waits.get();
  EXPECT_TRUE(held.held());
  EXPECT_TRUE(a_.held() == false) << "another thread's";
}

TEST_F(multi_lock_losses, f01_a_lost_reply_of_the_transaction_leaves_each_part_once) {
  { const grant first = mine(all_).acquire(); }  // makes the lock nodes
  ASSERT_TRUE(queue_is(0, "/a") && queue_is(0, "/b") && queue_is(0, "/c"));
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(eventually([&] { return zookeeper_.quiet(); }));
    zookeeper_.lose_next_reply(2);
    const grant held = mine(all_).acquire();
    EXPECT_TRUE(held.held());
    EXPECT_TRUE(queue_is(1, "/a") && queue_is(1, "/b") && queue_is(1, "/c"));
  }
}

}  // namespace
}  // namespace zklock::test
