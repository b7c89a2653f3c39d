// How many allocations a lock costs. Those of the C client are not counted: they do not go through operator new.
#include <algorithm>
#include <latch>
#include <thread>
#include <vector>

#include "tests/integration/on_a_server.hpp"
#include "tests/integration/scarce.hpp"

namespace zklock::test {
namespace {

class allocations : public on_a_server {
 protected:
  /// Of one cycle: in the best of several rows, since a thread that finds another one at work leaves it its task.
  template <class Cycle>
  [[nodiscard]] static double each(Cycle&& cycle) {
    constexpr int cycles = 10;
    std::uint64_t best = UINT64_MAX;
    for (int row = 0; row < 200; ++row) {
      const std::uint64_t before = allocation_count();
      for (int i = 0; i < cycles; ++i) {
        cycle();
      }
      best = std::min(best, allocation_count() - before);
    }
    return static_cast<double>(best) / cycles;
  }

  session& one_ = open();
};

TEST_F(allocations, of_a_mutex_that_is_locked_and_unlocked_are_four_at_most) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr double most = 20.0;  // so slow that its threads meet in each cycle, and leave each other their tasks
#else
  constexpr double most = 3.5;
#endif
  recursive_mutex lock(one_, "/a/path/that/no/string/has/within/itself");
  EXPECT_LE(each([&] {
              lock.lock();
              lock.unlock();
            }),
            most)
      << "the call, the contender and the hold; now and then one for the requests under way";
}

TEST_F(allocations, of_a_re_entry_are_none) {
  recursive_mutex lock(one_, "/lock");
  lock.lock();
  EXPECT_EQ(each([&] {
              lock.lock();
              lock.unlock();
            }),
            0.0);
  lock.unlock();
}

TEST_F(allocations, of_a_question_to_a_grant_are_none) {
  recursive_mutex lock(one_, "/lock");
  const grant held = lock.acquire();
  EXPECT_EQ(each([&] { EXPECT_TRUE(held.held() && held.token().czxid > 0); }), 0.0);
}

/// The threads' own memory is not counted: it is there before. Nor is the room of the session's buffers and tables: others
/// have waited before.
TEST_F(allocations, of_a_waiter_are_one_kibibyte_at_most) {
  constexpr std::ptrdiff_t count = 1000;
  recursive_mutex held(open(), "/lock");
  recursive_mutex lock(one_, "/lock");
  for (const bool measured : {false, true}) {
    std::latch begin(count + 1);
    std::vector<std::jthread> waiters;
    const grant first = held.acquire();
    waiters.reserve(count);
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      waiters.emplace_back([&] {
        begin.arrive_and_wait();
        std::error_code ec;
        const grant mine = lock.acquire(ec);
      });
    }
    const std::int64_t before = allocated_bytes();
    begin.arrive_and_wait();
    ASSERT_TRUE(eventually([&] { return std::ssize(watched_paths()) >= count; })) << "each its own node, from T/12 on";
    if (measured) {
      const auto each = [&] { return (allocated_bytes() - before) / count; };
      EXPECT_TRUE(eventually([&] { return each() <= 1024; }))
          << each()
          << " bytes, once all is answered: contender, call, the watch on the own node, the predecessor's name";
      EXPECT_GT(each(), 512) << "what is counted are the waiters";
    }
  }
}

}  // namespace
}  // namespace zklock::test
