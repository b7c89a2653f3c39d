// How many allocations a lock costs. Those of the C client are not counted: they do not go through operator new.
#include <zklock/async.hpp>

#include <algorithm>
#include <atomic>
#include <latch>
#include <limits>
#include <thread>
#include <vector>

#include "src/api/lock_call.hpp"
#include "tests/integration/on_a_server.hpp"
#include "tests/integration/scarce.hpp"

namespace zklock::test {
namespace {

class allocations : public on_a_server {
 protected:
  /// Of one cycle: in the best of many rows, since a thread that finds another one at work leaves it its task (on a busy
  /// machine in nearly each row). Ends with the first row that has no more than `enough`.
  template <class Cycle>
  [[nodiscard]] static double each(Cycle&& cycle, double enough = 0.0) {
    constexpr int cycles = 10;
    double best = std::numeric_limits<double>::infinity();
    for (int row = 0; row < 2'000 && best > enough; ++row) {
      const std::uint64_t before = allocation_count();
      for (int i = 0; i < cycles; ++i) {
        cycle();
      }
      best = std::min(best, static_cast<double>(allocation_count() - before) / cycles);
    }
    return best;
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
  const auto cycle = [&] {
    lock.lock();
    lock.unlock();
  };
  EXPECT_LE(each(cycle, most), most)
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

/// A crowd that waits for a lock in blocking calls. The threads' own memory is not counted: it is there before.
class waiting_threads {
 public:
  waiting_threads(recursive_mutex& lock, std::ptrdiff_t count) : begin_(count + 1) {
    threads_.reserve(static_cast<std::size_t>(count));
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      threads_.emplace_back([this, &lock] {
        begin_.arrive_and_wait();
        std::error_code ec;
        const grant mine = lock.acquire(ec);
      });
    }
  }
  void begin() { begin_.arrive_and_wait(); }

 private:
  std::latch begin_;
  std::vector<std::jthread> threads_;
};

/// The same with handlers.
class waiting_handlers {
 public:
  waiting_handlers(recursive_mutex& lock, std::ptrdiff_t count) : lock_(lock), count_(count) {}
  waiting_handlers(const waiting_handlers&) = delete;
  waiting_handlers& operator=(const waiting_handlers&) = delete;
  ~waiting_handlers() {
    EXPECT_TRUE(eventually([this] { return told_ == count_; }));
  }
  void begin() {
    for (std::ptrdiff_t i = 0; i < count_; ++i) {
      start_acquire(lock_, {}, [this](std::error_code, const grant&) { ++told_; });
    }
  }

 private:
  recursive_mutex& lock_;
  const std::ptrdiff_t count_;
  std::atomic<std::ptrdiff_t> told_ = 0;
};

/// The room of the session's buffers and tables is not counted: others have waited before, as many at once on a busy machine
/// in some of a few rounds.
class bytes_of_a_waiter : public allocations {
 protected:
  /// Once all is answered: contender, call, the watch on the own node, the predecessor's name. Begins anew where it stays more than
  /// `most`.
  template <class Crowd>
  [[nodiscard]] std::int64_t in(std::int64_t most) {
    constexpr std::ptrdiff_t count = 1000;
    std::int64_t each = 0;
    for (int round = 0; round < 5 && (round < 2 || each > most); ++round) {
      Crowd crowd(lock_, count);
      const grant first = held_.acquire();
      const std::int64_t before = allocated_bytes();
      crowd.begin();
      EXPECT_TRUE(eventually([&] { return std::ssize(watched_paths()) >= count; }))
          << "each its own node, from T/12 on";
      if (round > 0) {
        static_cast<void>(eventually([&] { return (each = (allocated_bytes() - before) / count) <= most; }, 5s));
        EXPECT_GT(each, 512) << "what is counted are the waiters";
      }
    }
    EXPECT_LE(each, most);
    return each;
  }

  recursive_mutex held_{open(), "/lock"};
  recursive_mutex lock_{one_, "/lock"};
};

TEST_F(bytes_of_a_waiter, are_one_kibibyte_at_most) { EXPECT_LE(in<waiting_threads>(1024), 1024); }

/// A call that blocks is kept in its thread's frame, the other one is allocated.
TEST_F(bytes_of_a_waiter, without_a_thread_are_half_as_many_again_at_most_the_call_s_frame_included) {
  const std::int64_t in_frame = sizeof(detail::blocking_call);
  const std::int64_t with_a_thread = in<waiting_threads>(1024);
  const std::int64_t without = in<waiting_handlers>(2048);
  EXPECT_LE(without, (with_a_thread + in_frame) * 3 / 2);
  EXPECT_LE(without, 2048);
  RecordProperty("with_a_thread", static_cast<int>(with_a_thread));
  RecordProperty("in_its_frame", static_cast<int>(in_frame));
  RecordProperty("without_a_thread", static_cast<int>(without));
}

}  // namespace
}  // namespace zklock::test
