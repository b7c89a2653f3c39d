#include "src/threads/timer.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "src/api/boot_now.hpp"

namespace zklock::detail {
namespace {

using namespace std::chrono_literals;

TEST(timer, a_wait_ends_at_the_instant_that_was_set_last) {
  timer alarm;
  alarm.set(boot_now() + 1h);
  const recipes::instant when = boot_now() + 20ms;
  alarm.set(when);
  alarm.wait();
  EXPECT_GE(boot_now(), when);
}

TEST(timer, an_instant_that_has_passed_ends_a_wait_at_once) {
  timer alarm;
  alarm.set(recipes::instant{0});
  alarm.wait();
  alarm.set(boot_now() - 1h);
  alarm.wait();
}

TEST(timer, a_ring_ends_a_wait_whatever_is_set_before_and_after_it) {
  timer alarm;
  alarm.set(boot_now() + 1h);
  alarm.ring();
  alarm.set(boot_now() + 1h);
  alarm.wait();
}

TEST(timer, a_ring_wakes_a_thread_that_waits) {
  timer alarm;
  std::thread waiting([&alarm] { alarm.wait(); });
  alarm.ring();
  waiting.join();
}

}  // namespace
}  // namespace zklock::detail
