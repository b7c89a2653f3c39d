#include "tests/ownership/owners.hpp"

#include <atomic>
#include <deque>
#include <future>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace zklock::test {
namespace {

/// Of the multi-lock, the semaphore_mutex and the semaphore, and what nodes say of their owners.
class other_owners : public owners {
 protected:
  void SetUp() override {
    owners::SetUp();
    a_ = std::make_unique<recursive_mutex>(*session_, "/lock");
    b_ = std::make_unique<semaphore_mutex>(*session_, "/other");
    both_ = std::make_unique<multi_lock>(std::initializer_list<lock_view>{*a_, *b_});
  }
  /// What the first contender's node says of its owner.
  [[nodiscard]] std::optional<std::uint64_t> owner_on_the_server() const { return a_->queue().at(0).owner; }

  std::unique_ptr<recursive_mutex> a_;
  std::unique_ptr<semaphore_mutex> b_;
  std::unique_ptr<multi_lock> both_;
};
INSTANTIATE_TEST_SUITE_P(, other_owners, both_servers, name_of);

// ---- multi_lock

TEST_P(other_owners, a_multi_locks_lock_counts_for_the_thread_so_that_a_part_reenters) {
  t_.does([this] { both_->lock(); });
  EXPECT_TRUE(expect_counts([this] { return a_->try_lock(); }));
  EXPECT_TRUE(t_.does([this] { return a_->held() && both_->held(); }));
  expect_refused(errc::would_deadlock, *a_);
  t_.does([this] {
    both_->unlock();
    EXPECT_TRUE(a_->held()) << "what was re-entered stays";
    a_->unlock();
  });
}

TEST_P(other_owners, a_multi_locks_grant_belongs_to_no_owner) {
  grant held = t_.does([this] { return both_->acquire(); });
  EXPECT_FALSE(t_.does([this] { return a_->held() || both_->held(); }));
  EXPECT_TRUE(expect_queues([this] { return a_->acquire(); }, [&held] { held.release(); }));
}

TEST_P(other_owners, a_multi_lock_for_an_owner_is_the_owners_with_its_parts) {
  lock_view job = both_->as(job_);
  grant held = t_.does([&job] { return job.acquire(); });
  EXPECT_TRUE(job.held());
  EXPECT_EQ(job.token(), held.token());
  EXPECT_TRUE(a_->as(job_).held());
  EXPECT_TRUE(expect_counts([this] { return a_->as(job_).try_acquire(); }));
  held.release();
  EXPECT_FALSE(job.held());
  t_.does([&job] { job.lock(); });
  job.unlock();
  EXPECT_EQ(violations(), 0);
}

TEST_P(other_owners, a_multi_lock_would_deadlock_on_a_part_that_its_owner_holds) {
  grant part = a_->as(job_).acquire();
  lock_view job = both_->as(job_);
  expect_refused(errc::would_deadlock, job);
  part.release();
  part = b_->as(job_).acquire();
  expect_refused(errc::would_deadlock, job);
  part.release();
  grant all = job.acquire();
  expect_refused(errc::would_deadlock, job);
}

TEST_P(other_owners, a_multi_lock_would_deadlock_on_a_part_that_its_thread_has_locked) {
  t_.does([this] { a_->lock(); });
  expect_refused(errc::would_deadlock, *both_);
  t_.does([this] {
    EXPECT_EQ(error_of([this] { return (both_->lock(), 0); }), errc::would_deadlock);
    a_->unlock();
  });
}

TEST_P(other_owners, a_multi_lock_refuses_a_part_with_an_owner_of_its_own) {
  EXPECT_EQ(error_of([this] { return (multi_lock{a_->as(job_), *b_}, 0); }), errc::invalid_parts);
  EXPECT_EQ(error_of([this] { return (multi_lock{both_->as(job_)}, 0); }), errc::invalid_parts);
}

TEST_P(other_owners, a_multi_locks_call_waits_for_its_owners_call_on_a_part) {
  grant other = a_->acquire();
  auto first = t_.begins([this] { return a_->as(job_).acquire(); });
  ASSERT_TRUE(eventually([this] { return contenders() == 2; }));
  actor second_thread;
  std::error_code ec;
  auto second = second_thread.begins([&] { return both_->as(job_).acquire(ec); });
  EXPECT_EQ(second.wait_for(20ms), std::future_status::timeout);
  EXPECT_EQ(contenders("/other"), 0U);
  other.release();
  const grant part = first.get();
  EXPECT_TRUE(part.held());
  EXPECT_FALSE(second.get());
  EXPECT_EQ(ec, errc::would_deadlock);
}

TEST_P(other_owners, a_multi_locks_call_that_waits_for_its_turn_ends_when_the_multi_lock_goes) {
  grant other = a_->acquire();
  auto first = t_.begins([this] { return a_->as(job_).acquire(); });
  ASSERT_TRUE(eventually([this] { return contenders() == 2; }));
  actor second_thread;
  std::error_code ec;
  auto second = second_thread.begins([&ec, all = both_->as(job_)]() mutable { return all.acquire(ec); });
  EXPECT_EQ(second.wait_for(20ms), std::future_status::timeout);
  both_.reset();
  EXPECT_FALSE(second.get());
  EXPECT_EQ(ec, errc::abandoned);
  other.release();
  EXPECT_TRUE(first.get().held());
}

TEST_P(other_owners, what_a_multi_lock_has_locked_would_deadlock_for_its_thread) {
  t_.does([this] { both_->lock(); });
  expect_refused(errc::would_deadlock, *b_);
  expect_refused(errc::would_deadlock, *both_);
  EXPECT_EQ(t_.does([this] { return error_of([this] { return (both_->lock(), 0); }); }), errc::would_deadlock);
  t_.does([this] { both_->unlock(); });
}

TEST_P(other_owners, many_calls_of_one_owner_exclude_other_owners_and_end) {
  const owner other;
  std::atomic<int> inside = 0;
  std::atomic<int> granted = 0;
  const auto calls = [&](lock_view view, int sign) {
    for (int round = 0; round < 8; ++round) {
      std::error_code ec;
      const grant got = round % 3 == 2 ? view.acquire(ec) : view.try_acquire_for(50ms * (round + 1), ec);
      if (got) {
        EXPECT_GE((inside += sign) * sign, 1) << "another owner holds as well";
        const auto queue = a_->queue(ec);  // and it is held for a round trip
        EXPECT_TRUE(ec || (!queue.empty() && queue.front().owner == (sign > 0 ? job_ : other).number()));
        EXPECT_GE(inside * sign, 1);
        ++granted;
        inside -= sign;
      }
    }
  };
  multi_lock back{*b_, *a_};
  std::vector<std::future<void>> running;
  for (const auto& [one, sign] : {std::pair(job_, 1), std::pair(other, -1)}) {
    running.push_back(std::async(std::launch::async, calls, a_->as(one), sign));
    running.push_back(std::async(std::launch::async, calls, both_->as(one), sign));
    running.push_back(std::async(std::launch::async, calls, back.as(one), sign));
  }
  for (std::future<void>& one : running) {
    one.get();
  }
  EXPECT_GT(granted, 0);
}

/// A call of the owner may be answered between a multi-lock's first look at its parts and its turn: many parts make that
/// time long. Whichever is first, the other finds it: a count more, or would_deadlock. Both keep what they have.
TEST_P(other_owners, a_multi_lock_never_contends_beside_a_hold_of_its_own_owner) {
  std::deque<recursive_mutex> more;
  std::vector<lock_view> parts{*a_};
  for (int i = 0; i < 30; ++i) {
    parts.emplace_back(more.emplace_back(*session_, "/more/" + std::to_string(i)));
  }
  multi_lock many(parts);
  for (int round = 0; round < 30; ++round) {
    std::error_code of_part, of_all;
    auto one = t_.begins([&] { return a_->as(job_).acquire(of_part); });
    const grant all = many.as(job_).try_acquire_for(30s, of_all);
    const grant part = one.get();
    ASSERT_TRUE(part) << of_part.message();
    ASSERT_TRUE(all || of_all == errc::would_deadlock) << "round " << round << ": " << of_all.message();
  }
}

// ---- semaphore_mutex

TEST_P(other_owners, a_semaphore_mutex_is_unlocked_by_any_thread) {
  t_.does([this] { b_->lock(); });
  EXPECT_TRUE(b_->held());
  b_->unlock();
  EXPECT_EQ(violations(), 0);
}

TEST_P(other_owners, a_semaphore_mutex_would_deadlock_for_the_same_explicit_owner) {
  lock_view job = b_->as(job_);
  job.lock();
  expect_refused(errc::would_deadlock, job);
  b_->unlock();
  EXPECT_EQ(violations(), 1) << "what an owner has locked it alone unlocks";
  std::error_code ec;
  EXPECT_FALSE(b_->as(owner()).try_acquire(ec));
  EXPECT_FALSE(ec) << "another owner waits: " << ec.message();
  job.unlock();
}

// ---- semaphore

TEST_P(other_owners, a_semaphores_permits_never_reenter) {
  semaphore pool(*session_, "/pool", 2);
  lock_view one = pool.permits(1).as(job_);
  const grant first = one.acquire();
  const grant second = one.acquire();
  EXPECT_LT(first.token(), second.token());
  EXPECT_FALSE(one.try_acquire());
  EXPECT_EQ(pool.queue().size(), 2U);
  EXPECT_EQ(pool.queue().at(0).owner, job_.number());
}

// ---- what nodes say

TEST_P(other_owners, a_node_says_the_owner_of_the_acquisition_that_made_it) {
  grant held = a_->as(job_).acquire();
  EXPECT_EQ(owner_on_the_server(), job_.number());
  held.release();
  t_.does([this] { a_->lock(); });
  EXPECT_EQ(owner_on_the_server(), t_.does([] { return owner::this_thread().number(); }));
  t_.does([this] { a_->unlock(); });
}

TEST_P(other_owners, a_node_without_owner_says_none) {
  const grant held = a_->acquire();
  EXPECT_EQ(owner_on_the_server(), std::nullopt);
}

TEST_P(other_owners, a_node_of_curators_layout_says_no_owner) {
  recursive_mutex lock(*session_, "/lock", {.label = "its data is the label", .layout = layout::curator});
  const grant held = lock.as(job_).acquire();
  const participant first = lock.queue().at(0);
  EXPECT_EQ(first.owner, std::nullopt);
  EXPECT_EQ(first.label, "its data is the label");
}

}  // namespace
}  // namespace zklock::test
