// queue() of locks in Curator's layout.
#include <algorithm>
#include <stop_token>
#include <string>
#include <vector>

#include "src/api/participants_list.hpp"
#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

constexpr lock_options curators{.label = {}, .acl = {}, .layout = layout::curator};
using lines = std::vector<std::string>;

lock_options labelled(const std::string& label) { return {.label = label, .acl = {}, .layout = layout::curator}; }

/// "held permits 1 /lock/leases label", with "+" where there is a token.
lines summary_of(const std::vector<participant>& queue) {
  lines all;
  for (const participant& one : queue) {
    all.push_back(std::string(to_string(one.state)) + " " + std::string(to_string(one.kind)) + " " +
                  std::to_string(one.permits) + " " + one.node.substr(0, one.node.rfind('/')) + " " + one.label +
                  (one.token.czxid == 0 ? "" : "+"));
  }
  return all;
}

class curator_lock_queue : public on_a_fake {
 protected:
  curator_lock_queue() { paths_ = {"/lock/leases", "/lock/locks"}; }
  /// Waits for permits of it, until the future goes.
  [[nodiscard]] auto waiting_for(lock_view what) {
    return in_a_thread([this, what]() mutable {
      std::error_code abandoned;
      return what.acquire(stop_.get_token(), abandoned);
    });
  }
  [[nodiscard]] bool stand(std::size_t leases, std::size_t in_line) const {
    return queue_is(leases, "/lock/leases") && queue_is(in_line, "/lock/locks");
  }

  session three_{zookeeper_.clients(2), {.timeout = 60s}};
  std::stop_source stop_;
};

TEST_F(curator_lock_queue, of_a_semaphore_tells_leases_then_waiters_and_each_participant_once) {
  semaphore pool(one_, "/lock", 2, labelled("a"));
  semaphore other(two_, "/lock", 2, labelled("b"));
  semaphore third(three_, "/lock", 2, labelled("c"));
  EXPECT_TRUE(pool.queue().empty());
  grant first = pool.permits().acquire();
  const grant second = pool.permits().acquire();
  auto waiting = waiting_for(other.permits());
  ASSERT_TRUE(stand(3, 1)) << "it has the mutex, and its lease";
  auto last = waiting_for(third.permits());
  ASSERT_TRUE(stand(3, 2));

  const lines expected{"held permits 1 /lock/leases a+", "held permits 1 /lock/leases a+",
                       "waiting permits 1 /lock/leases b+", "waiting permits 0 /lock/locks c"};
  const std::vector<participant> queue = third.queue();
  EXPECT_EQ(summary_of(queue), expected);
  EXPECT_EQ(pool.queue(), queue) << "whichever session asks";
  EXPECT_EQ(queue[0].node, first.node());
  EXPECT_EQ(queue[0].token, first.token());
  for (const participant& one : queue) {
    EXPECT_EQ(one.layout, layout::curator);
    EXPECT_EQ(one.position, static_cast<std::size_t>(&one - queue.data()));
  }
  EXPECT_EQ(summary_of(semaphore(one_, "/lock", curators).queue()), expected)
      << "without a limit, by the session of the first in line";
  EXPECT_EQ(summary_of(detail::list_lock(one_, "/lock", {}).queue), expected) << "without any hint";

  first.release();
  const grant got = waiting.get();
  ASSERT_TRUE(stand(3, 1));
  EXPECT_EQ(summary_of(pool.queue()), (lines{"held permits 1 /lock/leases a+", "held permits 1 /lock/leases b+",
                                             "waiting permits 1 /lock/leases c+"}));
  EXPECT_EQ(pool.queue()[1].token, got.token()) << "the token was known before";
  EXPECT_EQ(pool.queue()[1].node, queue[2].node);
  stop_.request_stop();
}

TEST_F(curator_lock_queue, of_a_semaphore_shows_what_is_beyond_the_limit_as_waiting) {
  semaphore pool(one_, "/lock", 3, labelled("a"));
  semaphore other(two_, "/lock", 3, labelled("b"));
  const grant held = pool.permits(2).acquire();
  auto waiting = waiting_for(other.permits(3));
  ASSERT_TRUE(stand(5, 1));
  EXPECT_EQ(summary_of(pool.queue()),
            (lines{"held permits 1 /lock/leases a+", "held permits 1 /lock/leases a+", "held permits 1 /lock/leases b+",
                   "waiting permits 1 /lock/leases b+", "waiting permits 1 /lock/leases b+"}))
      << "of its three the first would have room";
  stop_.request_stop();
}

TEST_F(curator_lock_queue, of_a_semaphore_mutex_tells_one_holder) {
  semaphore_mutex mine(one_, "/lock", labelled("a"));
  semaphore_mutex theirs(two_, "/lock", labelled("b"));
  const grant held = mine.acquire();
  auto waiting = in_a_thread([&] {
    std::error_code abandoned;
    return theirs.acquire(stop_.get_token(), abandoned);
  });
  ASSERT_TRUE(stand(2, 1));
  EXPECT_EQ(summary_of(theirs.queue()), (lines{"held permits 1 /lock/leases a+", "waiting permits 1 /lock/leases b+"}));
  EXPECT_EQ(theirs.queue()[0].node, held.node());
  EXPECT_TRUE(semaphore_mutex(one_, "/lock").queue().empty()) << "a native one contends with none of them";
  stop_.request_stop();
}

TEST_F(curator_lock_queue, in_one_session_a_waiter_is_distinguished_from_the_one_that_came_in_before_it) {
  semaphore pool(one_, "/lock", 1, curators);
  grant held = pool.permits().acquire();
  auto second = waiting_for(pool.permits());
  ASSERT_TRUE(stand(2, 1));
  auto third = waiting_for(pool.permits());
  ASSERT_TRUE(stand(2, 2));
  for (const std::vector<participant>& queue :
       {pool.queue(), semaphore(two_, "/lock", curators).queue(), detail::list_lock(two_, "/lock", {}).queue}) {
    ASSERT_EQ(queue.size(), 3U);
    EXPECT_EQ(queue[0].state, participant_state::held);
    EXPECT_EQ(queue[1].state, participant_state::waiting);
    EXPECT_EQ(queue[2].state, participant_state::waiting);
    EXPECT_TRUE(queue[1].node.starts_with("/lock/leases/"));
    EXPECT_TRUE(queue[2].node.starts_with("/lock/locks/"));
  }
  stop_.request_stop();
}

TEST_F(curator_lock_queue, f52_of_a_shared_mutex_tells_both_nodes_of_a_downgrading_holder_as_held) {
  ASSERT_TRUE(zookeeper_.create_node("/rw"));
  for (const char* name : {"/rw/_c_1b4e28ba-2fa1-4ad2-883f-0016d3cca427-__WRIT__0000000000",
                           "/rw/_c_2b4e28ba-2fa1-4ad2-883f-0016d3cca427-__READ__0000000000",
                           "/rw/_c_3b4e28ba-2fa1-4ad2-883f-0016d3cca427-__WRIT__0000000001",
                           "/rw/_c_4b4e28ba-2fa1-4ad2-883f-0016d3cca427-__READ__0000000002"}) {
    ASSERT_TRUE(zookeeper_.create_node(name, "10.0.0.9"));
  }
  const lines expected{"held write 0 /rw 10.0.0.9+", "held read 0 /rw 10.0.0.9+", "waiting write 0 /rw 10.0.0.9+",
                       "waiting read 0 /rw 10.0.0.9+"};
  EXPECT_EQ(summary_of(shared_mutex(one_, "/rw", curators).queue()), expected);
  EXPECT_EQ(summary_of(detail::list_lock(one_, "/rw", {}).queue), expected);
  EXPECT_TRUE(shared_mutex(one_, "/rw").queue().empty());
  EXPECT_EQ(shared_mutex(one_, "/rw", curators).queue()[0].layout, layout::curator);
}

TEST_F(curator_lock_queue, of_a_mutex_is_the_same_in_both_layouts) {
  recursive_mutex mine(one_, "/m", labelled("mode=read"));
  const grant held = mine.acquire();
  ASSERT_EQ(mine.queue().size(), 1U);
  EXPECT_EQ(mine.queue(), recursive_mutex(two_, "/m").queue());
  EXPECT_EQ(mine.queue()[0].layout, std::nullopt);
  EXPECT_EQ(mine.queue()[0].label, "mode=read") << "a label is a label";
}

// ---- what is not a semaphore of Curator's

TEST_F(curator_lock_queue, f51_of_a_path_lists_no_locks_without_leases_nor_what_is_neither) {
  for (const char* path : {"/app", "/app/locks", "/pool", "/pool/leases", "/pool/locks"}) {
    ASSERT_TRUE(zookeeper_.create_node(path));
  }
  ASSERT_TRUE(zookeeper_.create_node("/app/locks/_c_1b4e28ba-2fa1-4ad2-883f-0016d3cca427-lock-0000000000"));
  EXPECT_TRUE(detail::list_lock(one_, "/app", {}).queue.empty()) << "a mutex at /app/locks";
  EXPECT_EQ(detail::list_lock(one_, "/app/locks", {}).queue.size(), 1U);
  for (const char* stray : {"/pool/leases/x", "/pool/leases/y-lock-0000000000", "/pool/locks/z-lease-0000000000"}) {
    ASSERT_TRUE(zookeeper_.create_node(stray));
  }
  EXPECT_TRUE(detail::list_lock(one_, "/pool", {}).queue.empty());
  EXPECT_TRUE(semaphore(one_, "/pool", 1, curators).queue().empty());
}

TEST_F(curator_lock_queue, of_a_path_with_contenders_of_both_layouts_has_them_all) {
  for (const char* path : {"/both", "/both/leases", "/both/locks"}) {
    ASSERT_TRUE(zookeeper_.create_node(path, "limit=1\n"));
  }
  ASSERT_TRUE(zookeeper_.create_node("/both/permit-x-1-0000000003"));
  ASSERT_TRUE(zookeeper_.create_node("/both/permit-x-1-0000000004"));
  ASSERT_TRUE(zookeeper_.create_node("/both/leases/x-lease-0000000000"));
  ASSERT_TRUE(zookeeper_.create_node("/both/leases/x-lease-0000000001"));
  const detail::participants_list seen = detail::list_lock(one_, "/both", {});
  EXPECT_EQ(seen.limit, 1U);
  EXPECT_EQ(summary_of(seen.queue), (lines{"held permits 1 /both +", "waiting permits 1 /both +",
                                           "held permits 1 /both/leases +", "held permits 1 /both/leases +"}))
      << "the limit is for the native ones";
}

TEST_F(curator_lock_queue, says_how_many_stand_before_the_first_of_this_session) {
  semaphore pool(one_, "/lock", 1, curators);
  semaphore other(two_, "/lock", 1, curators);
  const grant held = pool.permits().acquire();
  auto waiting = waiting_for(other.permits());
  ASSERT_TRUE(stand(2, 1));
  EXPECT_EQ(detail::list_queue(pool.permits(), patience).before_us, 0U);
  EXPECT_EQ(detail::list_queue(other.permits(), patience).before_us, 1U);
  semaphore third(three_, "/lock", 1, curators);
  EXPECT_EQ(detail::list_queue(third.permits(), patience).before_us, 2U) << "it is not there";
  stop_.request_stop();
}

}  // namespace
}  // namespace zklock::test
