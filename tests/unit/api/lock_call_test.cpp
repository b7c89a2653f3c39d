// How often a call takes the mutex of its lock object: this program has a pthread_mutex_lock in front of the C library's.
#include "src/api/lock_call.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "src/api/mutex_terms.hpp"
#include "src/api/semaphore_limit.hpp"
#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

/// That lock object's; null: none is looked at.
std::atomic<const detail::lock_owners*> counted_object = nullptr;
std::atomic<int> times_locked = 0;

[[maybe_unused]] void note_locked(const void* mutex) {
  const detail::lock_owners* const object = counted_object;
  const std::less<> before;
  if (object != nullptr && !before(mutex, object) && before(mutex, object + 1)) {
    ++times_locked;
  }
}

}  // namespace
}  // namespace zklock::test

#if !defined(__SANITIZE_THREAD__)  // it has one of its own there
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static const auto of_the_c_library = reinterpret_cast<int (*)(pthread_mutex_t*)>(dlsym(RTLD_NEXT, __func__));
  zklock::test::note_locked(mutex);
  return of_the_c_library(mutex);
}
#endif

namespace zklock::test {
namespace {

class lock_call_locks : public on_a_fake {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "pthread_mutex_lock is the sanitizer's";
#endif
  }
  template <class What>
  [[nodiscard]] static int locks_of(const detail::acquirable_state& lock, What&& what) {
    times_locked = 0;
    counted_object = lock.owners().get();
    what();
    counted_object = nullptr;
    return times_locked;
  }
  template <class Terms, class... Args>
  [[nodiscard]] std::shared_ptr<detail::lock_state> lock_on(std::string_view path, Args... args) {
    return std::make_shared<detail::lock_state>(detail::session_access::impl(one_), std::make_shared<Terms>(args...),
                                                path, lock_options{});
  }
};

TEST_F(lock_call_locks, the_lock_object_three_times_at_most_for_a_free_lock_and_once_to_unlock) {
  const auto lock = lock_on<detail::mutex_terms>("/lock");
  EXPECT_EQ(locks_of(*lock, [&] { EXPECT_TRUE(lock->lock_within({}, {})); }), 3) << "asks, is admitted, is granted";
  EXPECT_EQ(locks_of(*lock, [&] { EXPECT_TRUE(lock->lock_within({}, {})); }), 1) << "re-enters";
  EXPECT_EQ(locks_of(*lock, [&] { lock->unlock({}); }), 1);
  EXPECT_EQ(locks_of(*lock, [&] { lock->unlock({}); }), 1);
}

TEST_F(lock_call_locks, the_lock_object_three_times_at_most_for_permits) {
  const auto lock = lock_on<detail::semaphore_limit>("/lock", 3U);
  const detail::lock_mode three{detail::side::permits, 3};
  EXPECT_LE(locks_of(*lock, [&] { EXPECT_TRUE(lock->lock_within(three, {})); }), 3);
  EXPECT_EQ(locks_of(*lock, [&] { lock->unlock(three); }), 1);
}

// ---- queued behind another call of its owner

class queued_lock_calls : public on_a_fake {
 protected:
  void make() {
    a_.emplace(one_, "/a");
    b_.emplace(one_, "/b");
    both_.emplace(std::vector<lock_view>{*a_, *b_});
  }
  const owner job_;
  std::optional<recursive_mutex> a_;
  std::optional<recursive_mutex> b_;
  std::optional<multi_lock> both_;
};

TEST_F(queued_lock_calls, on_one_part_end_when_another_part_or_the_multi_lock_goes) {
  for (const bool part_goes : {true, false}) {
    make();
    recursive_mutex other(two_, "/b");
    grant held = other.acquire();
    auto first = in_a_thread([this] { return b_->as(job_).acquire(); });
    ASSERT_TRUE(queue_is(2, "/b"));
    auto queued = in_a_thread([of = both_->as(job_)]() mutable { return thrown_by([&of] { return of.acquire(); }); });
    EXPECT_EQ(queued.wait_for(briefly), std::future_status::timeout);
    part_goes ? a_.reset() : both_.reset();
    const thrown told = queued.get();
    EXPECT_EQ(told.ec, errc::abandoned);
    EXPECT_EQ(told.path, part_goes ? "/a" : "/a, /b");
    held.release();
    EXPECT_TRUE(first.get().held());
  }
}

TEST_F(queued_lock_calls, of_one_owner_on_a_multi_lock_and_its_parts_all_end) {
  for (int round = 0; round < 9; ++round) {
    make();
    std::stop_source stop;
    std::vector<std::jthread> callers;
    for (int i = 0; i < 9; ++i) {
      callers.emplace_back([&stop, i,
                            of = i % 3 == 0   ? a_->as(job_)
                                 : i % 3 == 1 ? b_->as(job_)
                                              : both_->as(job_)]() mutable {
        for (int call = 0; call < 30; ++call) {
          std::error_code ec;
          const grant got = call % 3 == 0   ? of.try_acquire_for(std::chrono::microseconds(100 * i), ec)
                            : call % 3 == 1 ? of.try_acquire(ec)
                                            : of.acquire(stop.get_token(), ec);
        }
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(3 * round));  // each round ends them at another instant
    round % 3 == 0 ? static_cast<void>(stop.request_stop()) : round % 3 == 1 ? a_.reset() : both_.reset();
    callers.clear();
  }
}

}  // namespace
}  // namespace zklock::test
