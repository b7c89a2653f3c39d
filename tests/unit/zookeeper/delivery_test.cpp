#include "src/zookeeper/delivery.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace zklock::client {
namespace {

class ignoring_observer final : public observer {
 public:
  void on_reply(request_id, const reply_view&) override {}
  void on_node_event(watch_id, node_event) override {}
  void on_session_event(const session_event&) override {}
  void on_closed(bool) override {}
};

TEST(delivery, a_call_posted_from_within_a_call_is_made_after_it) {
  ignoring_observer to;
  delivery line(to);
  std::string order;
  line.in_turn([&](observer&) {
    line.post([&](observer&) {
      order += "b";
      line.post([&](observer&) { order += "d"; });
    });
    line.post([&](observer&) { order += "c"; });
    order += "a";
  });
  EXPECT_EQ(order, "abcd");
}

TEST(delivery, a_thread_that_posts_does_not_wait_for_the_turn) {
  ignoring_observer to;
  delivery line(to);
  std::latch inside(1);
  std::latch go_on(1);
  std::thread::id ran_on;
  std::thread callbacks([&] {
    line.in_turn([&](observer&) {
      inside.count_down();
      go_on.wait();
    });
  });
  inside.wait();
  line.post([&](observer&) { ran_on = std::this_thread::get_id(); });
  const auto expected = callbacks.get_id();
  go_on.count_down();
  callbacks.join();
  EXPECT_EQ(ran_on, expected) << "left to the thread that had the turn";
}

TEST(delivery, calls_come_one_at_a_time_and_none_is_lost) {
  ignoring_observer to;
  delivery line(to);
  std::atomic<int> inside = 0;
  std::atomic<bool> overlapped = false;
  int calls = 0;  // guarded by the turn
  const auto call = [&](observer&) {
    overlapped = overlapped || ++inside != 1;
    ++calls;
    --inside;
  };
  std::vector<std::jthread> threads;
  threads.emplace_back([&] {
    for (int i = 0; i < 2000; ++i) {
      line.in_turn(call);
    }
  });
  for (int thread = 0; thread < 2; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        line.post(call);
      }
    });
  }
  threads.clear();
  EXPECT_FALSE(overlapped);
  EXPECT_EQ(calls, 6000);
}

TEST(delivery, after_close_only_the_last_call_is_made_and_it_waits_for_the_one_under_way) {
  ignoring_observer to;
  delivery line(to);
  std::string order;
  std::latch inside(1);
  std::latch closed(1);
  std::thread callbacks([&] {
    line.in_turn([&](observer&) {
      line.post([&](observer&) { order += "never"; });
      inside.count_down();
      closed.wait();
      order += "a";
    });
  });
  inside.wait();
  line.close();
  closed.count_down();
  line.in_turn([&](observer&) { order += "never"; });
  line.post([&](observer&) { order += "never"; });
  line.last([&](observer&) { order += "z"; });
  callbacks.join();
  EXPECT_EQ(order, "az");
}

}  // namespace
}  // namespace zklock::client
