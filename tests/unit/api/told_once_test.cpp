// What no form without a thread may do: each is planted in turn (zklock_add_call_breakage), and has to be found here.
#include <gtest/gtest.h>

#include <zklock/async.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include "tests/unit/api/event_loop.hpp"
#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

/// Counts what it is told, and keeps no grant.
struct tally {
  std::atomic<int> times = 0, granted = 0, on_this_thread = 0;
  std::atomic<int> abandoned = 0;
};

class counting final : public detail::answer_handler<grant> {
 public:
  explicit counting(tally& into) : into_(into), asks_(std::this_thread::get_id()) {}
  void complete(std::error_code ec, const error*, grant taken) override {
    into_.granted += taken ? 1 : 0;
    into_.abandoned += ec == errc::abandoned ? 1 : 0;
    into_.on_this_thread += std::this_thread::get_id() == asks_ ? 1 : 0;
    ++into_.times;
  }

 private:
  tally& into_;
  const std::thread::id asks_;
};

class a_call_without_a_thread : public on_a_fake {
 protected:
  static void start(const lock_view& of, acquire_options how, tally& told) {
    detail::calls::acquire{of, std::move(how)}.start(std::make_unique<counting>(told));
  }
  recursive_mutex lock_{one_, "/lock"};
  tally told_;
};

TEST_F(a_call_without_a_thread, is_told_once) {
  for (int i = 0; i < 20; ++i) {
    start(lock_, {}, told_);
  }
  EXPECT_TRUE(eventually([&] { return told_.times >= 20; }));
  one_.close();  // waits for what is told
  EXPECT_EQ(told_.times, 20);
}

TEST_F(a_call_without_a_thread, is_told_on_another_thread_also_where_it_is_known_at_once) {
  const owner job;
  const grant held = lock_.as(job).acquire();
  start(lock_.as(job), {}, told_);
  EXPECT_TRUE(eventually([&] { return told_.times == 1; }));
  EXPECT_EQ(told_.granted, 1) << "it re-enters";
  EXPECT_EQ(told_.on_this_thread, 0);
}

TEST_F(a_call_without_a_thread, is_told_behind_close) {
  one_.close();
  start(lock_, {}, told_);
  EXPECT_TRUE(eventually([&] { return told_.times == 1; }));
}

TEST_F(a_call_without_a_thread, that_is_stopped_before_it_begins_is_abandoned) {
  ASSERT_TRUE(one_.wait_connected_for(patience));
  zookeeper_.hold(0);
  std::stop_source stop;
  stop.request_stop();
  std::atomic<bool> abandoned = false;
  start_get(one_, "/a", {.stop = stop.get_token()},
            [&](std::error_code ec, const auto&) { abandoned = ec == errc::abandoned; });
  EXPECT_TRUE(eventually([&] { return abandoned.load(); }));
  zookeeper_.restore(0);
  one_.close();  // behind which nothing is told
}

TEST_F(a_call_without_a_thread, whose_handler_is_dropped_gives_back) {
  loop here;
  start_acquire(lock_, {}, on(here.post()), [](std::error_code, const grant&) { ADD_FAILURE() << "called"; });
  EXPECT_TRUE(eventually([&] { return here.waiting() == 1; }));
  here.drop_all();
  EXPECT_TRUE(queue_is(0));
}

TEST_F(a_call_without_a_thread, does_not_reenter_by_its_thread) {
  grant first;
  std::atomic<bool> got = false;
  start_acquire(lock_, {}, [&](std::error_code, grant taken) {
    first = std::move(taken);
    got = true;
  });
  EXPECT_TRUE(eventually([&] { return got.load(); }));
  start(lock_, {.within = std::chrono::nanoseconds(0)}, told_);
  EXPECT_TRUE(eventually([&] { return told_.times == 1; }));
  EXPECT_EQ(told_.granted, 0);
  first = {};
}

}  // namespace
}  // namespace zklock::test
