// Work under a lock on the calling thread.
#include <gtest/gtest.h>

#include <zklock/with_lock.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

/// What the work of with_lock() is given to say that it is to end.
[[nodiscard]] bool stops(const std::stop_token& ends) {
  return eventually([&] { return ends.stop_requested(); });
}

class with_lock_of_a_thread : public on_a_fake {
 protected:
  recursive_mutex lock_{one_, "/lock"};
};

TEST_F(with_lock_of_a_thread, gives_what_its_work_returns_and_has_given_back_before) {
  int number = 7;
  const int got = with_lock(lock_, [&](const grant& held, const std::stop_token& ends) {
    EXPECT_TRUE(held.held());
    EXPECT_FALSE(ends.stop_requested());
    EXPECT_EQ(queue().size(), 1U);
    return number;
  });
  EXPECT_EQ(got, 7);
  EXPECT_TRUE(queue().empty());
  const auto of_reference = [&](const grant&, const std::stop_token&) -> int& { return number; };
  static_assert(std::is_same_v<decltype(with_lock(lock_, of_reference)), int>,
                "what it refers to is not guarded behind");
  EXPECT_EQ(with_lock(lock_, of_reference), 7);
  const std::unique_ptr<int> owned = with_lock(
      lock_, [own = std::make_unique<int>(8)](const grant&, const std::stop_token&) mutable { return std::move(own); });
  EXPECT_EQ(*owned, 8);
  bool done = false;
  with_lock(lock_, [&](const grant&, const std::stop_token&) { done = true; });
  EXPECT_TRUE(done);
  EXPECT_TRUE(queue().empty());
}

TEST_F(with_lock_of_a_thread, of_a_try_gives_whether_it_was_in_time_and_calls_nothing_if_not) {
  bool called = false;
  const auto work = [&](const grant&, const std::stop_token&) {
    called = true;
    return 7;
  };
  const auto void_work = [&](const grant&, const std::stop_token&) { called = true; };
  grant held = lock_.acquire();
  const std::optional<int> late = try_with_lock_for(lock_, 500ms, work);
  EXPECT_FALSE(late);
  EXPECT_FALSE(try_with_lock_for(lock_, 0s, void_work));
  EXPECT_FALSE(called);
  held.release();
  EXPECT_EQ(try_with_lock_for(lock_, 30s, work), 7);
  EXPECT_TRUE(queue().empty());
  EXPECT_TRUE(try_with_lock_for(lock_, 30s, void_work));
  EXPECT_TRUE(queue().empty());
}

TEST_F(with_lock_of_a_thread, lets_an_exception_of_its_work_pass_and_has_given_back_before) {
  EXPECT_THROW(with_lock(lock_, [](const grant&, const std::stop_token&) { throw std::runtime_error("of the work"); }),
               std::runtime_error);
  EXPECT_TRUE(queue().empty());
}

TEST_F(with_lock_of_a_thread, takes_every_kind_of_lock) {
  shared_mutex both(one_, "/a");
  multi_lock several{lock_, both.read()};
  const auto work = [](const grant& held, const std::stop_token&) { return held.held(); };
  EXPECT_TRUE(with_lock(both.read(), work));
  EXPECT_TRUE(with_lock(several, work));
  EXPECT_TRUE(with_lock(mine(lock_), work));
}

TEST_F(with_lock_of_a_thread, f126_is_lost_when_a_loss_has_stopped_its_work) {
  expect_thrown(errc::lost, "/lock", [&] {
    return with_lock(lock_, [&](const grant&, const std::stop_token& ends) {
      zookeeper_.expire_sessions(0);
      EXPECT_TRUE(stops(ends));
      return 7;
    });
  });
}

TEST_F(with_lock_of_a_thread, takes_an_exception_that_says_cancelled_for_the_loss_and_passes_others_on) {
  recursive_mutex other(two_, "/a");
  const grant in_the_way = other.acquire();
  recursive_mutex here(two_, "/a");
  expect_thrown(errc::lost, "/lock", [&] {
    return with_lock(lock_, [&](const grant&, const std::stop_token& ends) {
      zookeeper_.expire_sessions(0);
      return here.acquire(ends).held();  // errc::abandoned
    });
  });
  EXPECT_THROW(with_lock(lock_,
                         [&](const grant&, const std::stop_token& ends) {
                           zookeeper_.expire_sessions(0);
                           EXPECT_TRUE(stops(ends));
                           throw std::runtime_error("of the work");
                         }),
               std::runtime_error);
}

TEST_F(with_lock_of_a_thread, is_abandoned_by_a_stop_while_it_waits) {
  const grant held = lock_.acquire();
  std::stop_source stop;
  auto stops_it = in_a_thread([&] {
    EXPECT_TRUE(queue_is(2));
    stop.request_stop();
  });
  bool called = false;
  const auto work = [&](const grant&, const std::stop_token&) { return called = true; };
  expect_thrown(errc::abandoned, "/lock", [&] { return with_lock(lock_, work, stop.get_token()); });
  expect_thrown(errc::abandoned, "/lock", [&] { return try_with_lock_for(lock_, 30s, work, stop.get_token()); });
  EXPECT_FALSE(called);
}

TEST_F(with_lock_of_a_thread, gives_back_only_when_work_that_goes_on_behind_a_stop_has_ended) {
  std::stop_source stop;
  std::atomic<bool> works = false, goes_on = false, enough = false;
  auto one = in_a_thread([&] {
    return with_lock(
        lock_,
        [&](const grant& held, const std::stop_token& ends) {
          works = true;
          EXPECT_TRUE(stops(ends));
          goes_on = true;
          EXPECT_TRUE(eventually([&] { return enough.load(); }));
          EXPECT_TRUE(held.held());
          return 7;
        },
        stop.get_token());
  });
  EXPECT_TRUE(eventually([&] { return works.load(); }));
  stop.request_stop();
  EXPECT_TRUE(eventually([&] { return goes_on.load(); }));
  recursive_mutex there(two_, "/lock");
  EXPECT_FALSE(there.try_acquire_for(briefly));
  enough = true;
  EXPECT_EQ(one.get(), 7) << "what it returns counts all the same";
}

TEST_F(with_lock_of_a_thread, logs_once_a_session_timeout_that_its_work_runs_on) {
  std::mutex mutex;
  std::vector<std::string> lines;
  set_log_sink([&](const log_line& line) {
    const std::lock_guard lock(mutex);
    if (line.text.find("the work under it still runs") != std::string::npos) {
      lines.push_back(line.text);
    }
  });
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    return lines.size();
  };
  session short_one(zookeeper_.clients(2), {.timeout = 500ms});
  recursive_mutex of(short_one, "/a"), other(short_one, "/b");
  multi_lock both{of, other};
  expect_thrown(errc::lost, "/a\n/b", [&] {
    return with_lock(both, [&](const grant&, const std::stop_token&) {
      zookeeper_.expire_sessions(2);
      EXPECT_TRUE(eventually([&] { return count() >= 2; }));
      return 7;
    });
  });
  const std::size_t at_end = count();
  EXPECT_FALSE(eventually([&] { return count() > at_end + 1; }, 1200ms));
  set_log_sink({});
  EXPECT_EQ(lines.at(0), "/a and /b was lost, and the work under it still runs: others may hold it meanwhile");
}

TEST_F(with_lock_of_a_thread, gives_what_its_work_returns_though_no_server_confirms_the_release) {
  session short_one(zookeeper_.clients(2), {.timeout = 2s});
  recursive_mutex of(short_one, "/a");
  EXPECT_EQ(with_lock(of,
                      [&](const grant&, const std::stop_token&) {
                        zookeeper_.hold(2);
                        return 7;
                      }),
            7);
  zookeeper_.restore(2);
}

}  // namespace
}  // namespace zklock::test
