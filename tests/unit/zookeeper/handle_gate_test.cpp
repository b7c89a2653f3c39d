#include "src/zookeeper/handle_gate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace zklock::client {
namespace {

TEST(handle_gate, lets_callers_in_until_it_is_shut) {
  handle_gate gate;
  {
    const handle_gate::pass one(gate);
    const handle_gate::pass other(gate);
    EXPECT_TRUE(one);
    EXPECT_TRUE(other);
  }
  gate.shut();
  EXPECT_FALSE(handle_gate::pass(gate));
  gate.wait_empty();
}

TEST(handle_gate, a_wait_ends_when_the_last_caller_has_left) {
  handle_gate gate;
  std::optional<handle_gate::pass> inside(std::in_place, gate);
  ASSERT_TRUE(*inside);
  gate.shut();
  std::atomic<bool> left = false;
  std::thread waiting([&] {
    gate.wait_empty();
    EXPECT_TRUE(left);
  });
  left = true;
  inside.reset();
  waiting.join();
}

/// What zookeeper_close frees is not used by a thread that is inside.
TEST(handle_gate, no_caller_is_inside_once_the_wait_has_ended) {
  for (int round = 0; round < 100; ++round) {
    handle_gate gate;
    std::atomic<bool> freed = false;
    std::atomic<int> used_after = 0;
    std::vector<std::jthread> threads;
    for (int caller = 0; caller < 3; ++caller) {
      threads.emplace_back([&] {
        for (;;) {
          const handle_gate::pass inside(gate);
          if (!inside) return;
          used_after += freed ? 1 : 0;
        }
      });
    }
    gate.shut();
    gate.wait_empty();
    freed = true;
    threads.clear();
    EXPECT_EQ(used_after, 0);
  }
}

}  // namespace
}  // namespace zklock::client
