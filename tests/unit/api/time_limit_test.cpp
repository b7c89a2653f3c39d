#include <gtest/gtest.h>

#include <zklock/clock.hpp>
#include <zklock/mutex.hpp>
#include <zklock/testing/fake_ensemble.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <limits>
#include <stop_token>
#include <system_error>
#include <thread>
#include <type_traits>

#include "src/engine/hold.hpp"
#include "tests/support/eventually.hpp"

/// What callers may say for a limit, and what is made of it: no overflow, no wait without end that the caller has not
/// asked for.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using kind = time_limit::kind;
using real_seconds = std::chrono::duration<double>;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Duration>
kind kind_of(Duration limit) {
  return time_limit::from_duration(limit).is;
}

template <class Clock, class Duration>
kind kind_until(std::chrono::time_point<Clock, Duration> limit) {
  return time_limit::from_time_point(limit).is;
}

/// A wall clock that goes where the test puts it.
struct wall_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<wall_clock>;
  static constexpr bool is_steady = false;
  static time_point now() noexcept {
    ++asked;
    return time_point(shown.load());
  }
  static inline std::atomic<duration> shown = duration(1000h);
  static inline std::atomic<int> asked = 0;
};

// ---- durations

TEST(time_limit, what_is_not_ahead_is_one_try) {
  EXPECT_EQ(kind_of(0s), kind::one_try);
  EXPECT_EQ(kind_of(-1ns), kind::one_try);
  EXPECT_EQ(kind_of(std::chrono::nanoseconds::min()), kind::one_try);
  EXPECT_EQ(kind_of(std::chrono::hours::min()), kind::one_try);
  EXPECT_EQ(kind_of(real_seconds(-0.5)), kind::one_try);
  EXPECT_EQ(kind_of(real_seconds(-infinity)), kind::one_try);
  EXPECT_EQ(kind_of(std::chrono::duration<float, std::milli>(-1.0F)), kind::one_try);
}

TEST(time_limit, what_is_no_number_is_one_try) {
  EXPECT_EQ(kind_of(real_seconds(not_a_number)), kind::one_try);
  EXPECT_EQ(kind_of(std::chrono::duration<float>(std::numeric_limits<float>::quiet_NaN())), kind::one_try);
}

TEST(time_limit, what_is_ahead_for_ever_is_no_limit) {
  EXPECT_EQ(kind_of(std::chrono::nanoseconds::max()), kind::none);
  EXPECT_EQ(kind_of(std::chrono::hours::max()), kind::none);
  EXPECT_EQ(kind_of(real_seconds(infinity)), kind::none);
  EXPECT_EQ(kind_of(real_seconds::max()), kind::none);
  EXPECT_EQ(kind_of(std::chrono::duration<int, std::milli>::max()), kind::none) << "24 days, but max()";
}

TEST(time_limit, a_duration_between_is_taken_as_it_is_and_rounded_up) {
  EXPECT_EQ(time_limit::from_duration(200ms).time, 200ms);
  EXPECT_EQ(time_limit::from_duration(std::chrono::hours(24 * 366)).time, std::chrono::hours(24 * 366));
  EXPECT_EQ(time_limit::from_duration(real_seconds(1e-12)).time, 1ns) << "not zero, which would be one try";
  EXPECT_EQ(kind_of(real_seconds(1e-12)), kind::time);
  EXPECT_EQ(time_limit::from_duration(real_seconds(3e9)).time, std::chrono::nanoseconds(3'000'000'000'000'000'000));
}

// ---- time points

template <class Clock>
class time_points_of : public ::testing::Test {};
using clocks = ::testing::Types<std::chrono::steady_clock, std::chrono::system_clock, boot_clock>;
TYPED_TEST_SUITE(time_points_of, clocks, );

TYPED_TEST(time_points_of, the_earliest_is_one_try_and_the_last_is_no_limit) {
  using exact = typename TypeParam::time_point;
  using hours = std::chrono::time_point<TypeParam, std::chrono::hours>;
  using real = std::chrono::time_point<TypeParam, real_seconds>;
  EXPECT_EQ(kind_until(exact::min()), kind::one_try);
  EXPECT_EQ(kind_until(hours::min()), kind::one_try);
  EXPECT_EQ(kind_until(real::min()), kind::one_try);
  EXPECT_EQ(kind_until(exact::max()), kind::none);
  EXPECT_EQ(kind_until(hours::max()), kind::none);
  EXPECT_EQ(kind_until(real::max()), kind::none);
  EXPECT_EQ(kind_until(real(real_seconds(not_a_number))), kind::one_try);
}

TYPED_TEST(time_points_of, a_past_one_is_one_try_however_coarse) {
  const auto now = TypeParam::now();
  EXPECT_EQ(kind_until(now), kind::one_try);
  EXPECT_EQ(kind_until(now - 1ns), kind::one_try);
  EXPECT_EQ(kind_until(std::chrono::floor<std::chrono::hours>(now)), kind::one_try);
  EXPECT_EQ(kind_until(std::chrono::floor<std::chrono::hours>(now) - std::chrono::hours(24 * 400)), kind::one_try);
}

TYPED_TEST(time_points_of, one_ahead_is_a_limit_however_coarse) {
  const auto coarse = std::chrono::floor<std::chrono::hours>(TypeParam::now()) + 2h;
  const time_limit limit = time_limit::from_time_point(coarse);
  EXPECT_EQ(limit.is, kind::time);
  EXPECT_GT(limit.time, 30min);
  EXPECT_LE(limit.time, 2h);
  const time_limit year = time_limit::from_time_point(TypeParam::now() + std::chrono::hours(24 * 400));
  EXPECT_EQ(year.is, kind::time);
  EXPECT_GT(year.time, std::chrono::hours(24 * 399));
}

TEST(time_limit, a_time_point_of_the_epoch_is_the_past_on_a_wall_clock) {
  EXPECT_EQ(kind_until(std::chrono::system_clock::time_point{}), kind::one_try);
}

// ---- F33: limits do not run on the wall clock

TEST(time_limit, f33_the_library_knows_steady_instants_only) {
  static_assert(boot_clock::is_steady && !wall_clock::is_steady);
  static_assert(std::is_same_v<instant, boot_clock::duration>, "the session's instants count from the boot");
  static_assert(std::is_same_v<decltype(time_limit::time), std::chrono::nanoseconds>, "a span: of no clock");
  const boot_clock::time_point before = boot_clock::now();
  EXPECT_LE(before, boot_clock::now());
}

TEST(time_limit, f33_a_time_point_is_converted_by_one_look_at_its_clock) {
  wall_clock::asked = 0;
  EXPECT_EQ(time_limit::from_time_point(wall_clock::time_point(1000h + 200ms)).time, 200ms);
  EXPECT_EQ(wall_clock::asked, 1);
}

/// The clock jumps while a call with a limit by it waits.
TEST(time_limit, f33_a_wall_clock_that_jumps_neither_ends_a_wait_nor_prolongs_it) {
  testing::fake_ensemble zookeeper;
  session here(zookeeper.clients());
  recursive_mutex held(here, "/lock");
  recursive_mutex wanted(here, "/lock");
  const auto queue_is = [&](std::size_t size) {
    return test_support::eventually([&] { return zookeeper.children("/lock").size() == size; });
  };

  grant first = held.acquire();
  wall_clock::shown = 1000h;
  grant got;
  std::thread waits_long([&] { got = wanted.try_acquire_until(wall_clock::time_point(1000h + 30min)); });
  EXPECT_TRUE(queue_is(2));
  wall_clock::shown = 1001h;
  first.release();
  waits_long.join();
  EXPECT_TRUE(got.held()) << "an hour forward: the half hour was not over";

  wall_clock::shown = 1000h;
  std::thread waits_little([&] { first = held.try_acquire_until(wall_clock::time_point(1000h + 100ms)); });
  EXPECT_TRUE(queue_is(2));
  wall_clock::shown = 999h;
  waits_little.join();
  EXPECT_FALSE(first) << "an hour back: over all the same";
}

// ---- the calls that take a limit

class a_held_lock : public ::testing::Test {
 protected:
  testing::fake_ensemble zookeeper_;
  session session_{zookeeper_.clients(), {.timeout = 6s}};
  recursive_mutex holder_{session_, "/lock"};
  recursive_mutex lock_{session_, "/lock", {.try_time_limit = 30s}};
  grant held_ = holder_.acquire();
};

TEST_F(a_held_lock, is_tried_once_until_the_earliest_time_point) {
  EXPECT_FALSE(lock_.try_lock_until(std::chrono::steady_clock::time_point::min()));
  EXPECT_FALSE(lock_.try_lock_until(std::chrono::time_point<std::chrono::system_clock, std::chrono::hours>::min()));
  std::error_code ec;
  EXPECT_FALSE(lock_.try_acquire_until(std::chrono::system_clock::time_point::min(), ec));
  EXPECT_FALSE(ec) << "the queue was seen: " << ec.message();
  EXPECT_FALSE(lock_.try_acquire_until(std::chrono::steady_clock::time_point::min()));
}

TEST_F(a_held_lock, is_tried_once_for_a_limit_that_is_none) {
  EXPECT_FALSE(lock_.try_lock_for(real_seconds(not_a_number)));
  EXPECT_FALSE(lock_.try_lock_for(real_seconds(-infinity)));
  EXPECT_FALSE(lock_.try_acquire_for(std::chrono::hours::min()));
}

/// No server answers: a one try waits for an answer, until it is told to stop. Its own session's hold it would know of.
TEST_F(a_held_lock, of_another_session_is_tried_once_until_a_stop) {
  session other(zookeeper_.clients(1), {.timeout = 6s});
  recursive_mutex lock(other, "/lock", {.try_time_limit = 30s});
  ASSERT_TRUE(other.wait_connected_for(30s));
  zookeeper_.hold();
  std::stop_source stop;
  std::error_code ec;
  auto tries = std::async(std::launch::async, [&] { return lock.try_acquire(stop.get_token(), ec); });
  EXPECT_EQ(tries.wait_for(20ms), std::future_status::timeout);
  stop.request_stop();
  EXPECT_FALSE(tries.get());
  EXPECT_EQ(ec, errc::abandoned);
  zookeeper_.restore();
}

TEST_F(a_held_lock, is_waited_for_until_the_last_time_point) {
  grant got;
  std::thread waits([&] { got = lock_.try_acquire_until(std::chrono::system_clock::time_point::max()); });
  EXPECT_TRUE(test_support::eventually([&] { return zookeeper_.children("/lock").size() == 2; }));
  held_.release();
  waits.join();
  EXPECT_TRUE(got.held());
}

TEST(wait_connected_for, does_not_wait_for_a_limit_that_is_none) {
  testing::fake_ensemble zookeeper;
  zookeeper.refuse();
  session alone(zookeeper.clients());
  EXPECT_FALSE(alone.wait_connected_for(real_seconds(not_a_number)));
  EXPECT_FALSE(alone.wait_connected_for(real_seconds(-infinity)));
  EXPECT_FALSE(alone.wait_connected_for(std::chrono::hours::min()));
}

TEST(wait_connected_for, ends_at_once_when_it_is_told_to_stop) {
  testing::fake_ensemble zookeeper;
  zookeeper.refuse();
  session alone(zookeeper.clients());
  std::stop_source stop;
  auto waits = std::async(std::launch::async, [&] { return alone.wait_connected_for(24h, stop.get_token()); });
  EXPECT_EQ(waits.wait_for(20ms), std::future_status::timeout);
  stop.request_stop();
  EXPECT_FALSE(waits.get());
  EXPECT_FALSE(alone.wait_connected_for(24h, stop.get_token())) << "stopped before";
}

TEST(wait_connected_for, may_be_told_to_wait_for_ever) {
  testing::fake_ensemble zookeeper;
  session soon(zookeeper.clients());
  EXPECT_TRUE(soon.wait_connected_for(std::chrono::hours::max()));
  EXPECT_TRUE(soon.wait_connected_for(real_seconds(infinity)));
}

}  // namespace
}  // namespace zklock::detail
