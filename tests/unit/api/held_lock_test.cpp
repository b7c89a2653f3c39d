// What a session's locks hold, and giving all of an owner's back.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

class what_is_held : public on_a_fake {
 protected:
  /// By path.
  [[nodiscard]] std::vector<held_lock> grants() const {
    std::vector<held_lock> all = one_.grants();
    std::sort(all.begin(), all.end(), [](const held_lock& a, const held_lock& b) { return a.path < b.path; });
    return all;
  }
};

TEST_F(what_is_held, is_shown_with_side_token_owner_counts_and_times) {
  recursive_mutex a(one_, "/a");
  shared_mutex b(one_, "/b");
  semaphore c(one_, "/c", 5);
  EXPECT_TRUE(one_.grants().empty());
  const owner job;
  const auto before = boot_clock::now();
  const grant whole = a.as(job).acquire(), again = a.as(job).acquire();
  const grant reads = b.read().acquire();
  const grant three = c.permits(3).acquire();
  const std::vector<held_lock> all = grants();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].path, "/a");
  EXPECT_EQ(all[0].node, whole.node());
  EXPECT_EQ(all[0].kind, participant_kind::mutex);
  EXPECT_EQ(all[0].token, whole.token());
  EXPECT_EQ(all[0].owner, job.number());
  EXPECT_EQ(all[0].counts, 2U);
  EXPECT_GE(all[0].since, before);
  EXPECT_LE(all[0].since, boot_clock::now());
  EXPECT_GT(all[0].valid_until, all[0].since);
  EXPECT_EQ(all[0].lost, loss_reason::none);
  EXPECT_EQ(all[1].kind, participant_kind::read);
  EXPECT_EQ(all[1].owner, std::nullopt);
  EXPECT_EQ(all[2].kind, participant_kind::permits);
  EXPECT_EQ(all[2].permits, 3U);
}

TEST_F(what_is_held, of_a_multi_lock_are_its_parts_and_of_a_lost_one_why) {
  recursive_mutex a(one_, "/a"), b(one_, "/b");
  multi_lock both({a, b});
  const grant held = both.acquire();
  ASSERT_EQ(grants().size(), 2U);
  EXPECT_EQ(grants()[1].path, "/b");
  zookeeper_.expire_sessions(0);
  EXPECT_TRUE(eventually([&] { return !held.held(); }));
  EXPECT_TRUE(eventually([&] { return grants()[0].lost == loss_reason::session_expired; }));
}

TEST_F(what_is_held, is_shown_no_more_when_it_is_given_back_or_its_lock_has_gone) {
  auto lock = std::make_unique<recursive_mutex>(one_, "/lock");
  grant held = lock->acquire();
  lock.reset();
  EXPECT_EQ(one_.grants().size(), 1U) << "the grant has outlived it";
  held.release();
  EXPECT_TRUE(one_.grants().empty());
  for (int i = 0; i < 100; ++i) {
    const recursive_mutex many(one_, "/lock");
  }
  EXPECT_TRUE(one_.grants().empty());
}

TEST_F(what_is_held, by_an_owner_is_given_back_at_once_on_all_locks_whatever_the_thread) {
  recursive_mutex a(one_, "/a"), b(one_, "/b");
  shared_mutex c(one_, "/c");
  const owner job, other;
  grant first = a.as(job).acquire(), again = a.as(job).acquire();
  elsewhere([&] { b.as(job).lock(); });
  grant writes = c.write().as(job).acquire(), reads = c.read().as(job).acquire();
  recursive_mutex kept(one_, "/lock");
  grant of_other = kept.as(other).acquire();
  EXPECT_TRUE(one_.release_all(job).empty()) << "nothing was lost";
  EXPECT_FALSE(first.held() || again.held() || writes.held() || reads.held() || b.as(job).held());
  EXPECT_TRUE(of_other.held());
  for (const char* path : {"/a", "/b", "/c"}) {
    EXPECT_TRUE(queue_is(0, path)) << path;
  }
  std::error_code ec;
  first.release(ec);
  EXPECT_EQ(ec, errc::lost);
  again = {};
  EXPECT_EQ(one_.grants().size(), 1U);
  EXPECT_TRUE(a.as(job).try_acquire().held()) << "the owner may come again";
  EXPECT_TRUE(one_.release_all(owner()).empty()) << "one that has nothing";
}

TEST_F(what_is_held, by_an_owner_of_a_multi_lock_is_given_back_with_its_parts) {
  recursive_mutex a(one_, "/a"), b(one_, "/b");
  multi_lock both({a, b});
  const owner job;
  const grant whole = both.as(job).acquire();
  const grant part = a.as(job).acquire();
  EXPECT_TRUE(one_.release_all(job).empty());
  EXPECT_FALSE(whole.held() || part.held());
  EXPECT_TRUE(queue_is(0, "/a") && queue_is(0, "/b"));
}

TEST_F(what_is_held, and_was_lost_is_returned_by_release_all) {
  recursive_mutex a(one_, "/a"), b(one_, "/b");
  const owner job;
  const grant lost = a.as(job).acquire();
  zookeeper_.expire_sessions(0);
  EXPECT_TRUE(eventually([&] { return !lost.held(); }));
  const grant held = b.as(job).acquire();
  const std::vector<held_lock> told = one_.release_all(job);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].path, "/a");
  EXPECT_EQ(told[0].lost, loss_reason::session_expired);
  EXPECT_TRUE(queue_is(0, "/b"));
}

TEST_F(what_is_held, an_owners_call_that_is_under_way_goes_on) {
  recursive_mutex lock(one_, "/lock"), others(two_, "/lock");
  grant first = others.acquire();
  const owner job;
  auto waits = in_a_thread([&] { return lock.as(job).acquire(); });
  EXPECT_TRUE(queue_is(2));
  EXPECT_TRUE(one_.release_all(job).empty());
  EXPECT_TRUE(queue_is(2));
  first.release();
  EXPECT_TRUE(waits.get().held());
}

TEST_F(what_is_held, may_be_given_back_while_its_owners_threads_acquire_and_release) {
  recursive_mutex lock(one_, "/lock");
  const owner job;
  std::atomic<bool> enough = false;
  auto works = in_a_thread([&] {
    while (!enough) {
      std::error_code ec;
      grant held = lock.as(job).acquire(ec);
      held.release(ec);
    }
  });
  for (int i = 0; i < 300; ++i) {
    static_cast<void>(one_.release_all(job));
    static_cast<void>(one_.grants());
  }
  enough = true;
  works.get();
  static_cast<void>(one_.release_all(job));
  EXPECT_TRUE(queue_is(0));
}

}  // namespace
}  // namespace zklock::test
