// Calls that wait for user code: never from within user code, otherwise within a limit. What still runs is let go.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <vector>

#include "tests/stress/server_for_stress.hpp"
#include "tests/support/eventually.hpp"

namespace zklock::test {
namespace {

using namespace std::chrono_literals;
using test_support::eventually;

/// The texts that the library has logged while it lives.
class logged_texts {
 public:
  logged_texts() {
    set_log_sink([kept = kept_](const log_line& line) {
      const std::scoped_lock lock(kept->mutex);
      kept->texts.push_back(line.text);
    });
  }
  logged_texts(const logged_texts&) = delete;
  logged_texts& operator=(const logged_texts&) = delete;
  ~logged_texts() { set_log_sink({}); }

  [[nodiscard]] long count(const std::string& part) const {
    const std::scoped_lock lock(kept_->mutex);
    return std::ranges::count_if(kept_->texts, [&](const std::string& one) { return one.find(part) != one.npos; });
  }

 private:
  struct texts {
    std::mutex mutex;
    std::vector<std::string> texts;
  };
  const std::shared_ptr<texts> kept_ = std::make_shared<texts>();
};

// ---- from within user code

/// Two sessions with a function in each, which run at the same time on the notification threads of both.
class two_sessions_callbacks : public under_stress {
 protected:
  void SetUp() override {
    start(2);
    for (int client = 0; client < 2; ++client) {
      sessions_.at(client) = server_->open(client);
      ASSERT_TRUE(sessions_.at(client)->wait_connected_for(30s));
    }
  }
  /// Each runs `action(index)` once, when both have been entered.
  void observe_and_run(const std::function<void(std::size_t)>& action) {
    for (std::size_t index = 0; index < 2; ++index) {
      observers_.at(index) = sessions_.at(index)->observe([this, index, action](const session_change&) {
        if (!entered_.at(index).exchange(true)) {
          all_ready_.arrive_and_wait();
          action(index);
          ++returned_;
        }
      });
    }
    server_->cut(0);
    server_->cut(1);
    all_ready_.count_down();  // a function may have been entered before its observer was there
    ASSERT_TRUE(eventually([&] { return returned_ == 2; })) << "each waits for the other";
  }

  std::array<std::unique_ptr<session>, 2> sessions_;
  std::array<session_observer, 2> observers_;
  std::atomic<int> returned_ = 0;

 private:
  std::array<std::atomic<bool>, 2> entered_ = {};
  std::latch all_ready_{3};
};
INSTANTIATE_TEST_SUITE_P(, two_sessions_callbacks, both_servers, name_of);

TEST_P(two_sessions_callbacks, f185_may_close_each_others_session) {
  std::array<std::error_code, 2> told;
  observe_and_run([&](std::size_t index) { sessions_.at(1 - index)->close(told.at(1 - index)); });
  for (std::size_t index = 0; index < 2; ++index) {
    EXPECT_TRUE(!told.at(index) || told.at(index) == errc::release_unconfirmed) << told.at(index).message();
    EXPECT_EQ(sessions_.at(index)->state(), session_state::closed);
  }
}

TEST_P(two_sessions_callbacks, f185_may_destroy_each_others_session) {
  observe_and_run([&](std::size_t index) { sessions_.at(1 - index).reset(); });
  EXPECT_FALSE(sessions_.front() || sessions_.back());
}

TEST_P(two_sessions_callbacks, f187_may_destroy_each_others_observer) {
  observe_and_run([&](std::size_t index) { observers_.at(1 - index) = {}; });
}

TEST_P(two_sessions_callbacks, f187_may_replace_the_log_sink_that_runs_in_the_other) {
  std::latch in_sink{1}, replaced{1};
  std::atomic<bool> entered = false;
  observe_and_run([&](std::size_t index) {
    if (index == 0) {
      set_log_sink([&](const log_line&) {
        if (!entered.exchange(true)) {  // both sessions may log
          in_sink.count_down();
        }
        replaced.wait();
      });
      sessions_.front()->close();  // logs, so it runs the sink
    } else {
      in_sink.wait();
      set_log_sink({});
      replaced.count_down();
    }
  });
}

// ---- from elsewhere

/// A session with a function that runs, on the notification thread, until it is let go.
class running_callback : public under_stress {
 protected:
  void SetUp() override {
    start(1);
    session_ = server_->open(0, {.close_time_limit = 200ms});
    ASSERT_TRUE(session_->wait_connected_for(30s));
  }
  void TearDown() override {
    if (!let_go_.try_wait()) let_go_.count_down();
    EXPECT_TRUE(eventually([&] { return returned_.load(); }));
    observer_ = {};
    EXPECT_TRUE(eventually([&] { return owned_.expired(); })) << "the function is kept";
  }
  /// What a callback runs; `last`: when it is let go. It owns what owned_ refers to.
  [[nodiscard]] std::function<void()> blocking_function(std::function<void()> last = [] {}) {
    auto owned = std::make_shared<int>();
    owned_ = owned;
    return [this, owned, last] {
      ++calls_;
      let_go_.wait();
      last();
      returned_ = owned.use_count() > 0;
    };
  }
  void run_observer(std::function<void()> last = [] {}) {
    observer_ =
        session_->observe([function = blocking_function(std::move(last))](const session_change&) { function(); });
    server_->cut(0);
    ASSERT_TRUE(eventually([&] { return calls_ == 1; }));
  }

  std::latch let_go_{1};
  std::atomic<int> calls_ = 0;
  std::atomic<bool> returned_ = false;
  std::weak_ptr<int> owned_;
  std::unique_ptr<session> session_;
  session_observer observer_;
};
INSTANTIATE_TEST_SUITE_P(, running_callback, both_servers, name_of);

TEST_P(running_callback, f186_does_not_keep_close_beyond_its_limit) {
  run_observer();
  const logged_texts logged;
  session_->close();
  EXPECT_FALSE(returned_);
  EXPECT_EQ(logged.count("an observer still runs after 200 ms"), 1);
  EXPECT_EQ(session_->state(), session_state::closed);
  observer_ = {};
  let_go_.count_down();
}

TEST_P(running_callback, f186_does_not_keep_the_sessions_destructor_and_may_use_locks_and_grants) {
  recursive_mutex lock(*session_, "/lock");
  grant held = lock.acquire();
  std::error_code told, told_of_release;
  run_observer([&] {
    EXPECT_FALSE(lock.try_acquire(told));
    EXPECT_FALSE(held.held());
    held.release(told_of_release);
  });
  session_.reset();
  EXPECT_FALSE(returned_);
  observer_ = {};
  let_go_.count_down();
  EXPECT_TRUE(eventually([&] { return returned_.load(); }));
  EXPECT_EQ(told, errc::session_closed) << told.message();
  EXPECT_EQ(told_of_release, errc::lost) << told_of_release.message();
}

TEST_P(running_callback, f186_of_lost_does_not_keep_close_and_is_told_no_more_than_once) {
  recursive_mutex lock(*session_, "/lock"), other(*session_, "/other");
  const grant held = lock.acquire(), others = other.acquire();
  std::atomic<bool> told_of_other = false;
  std::optional<std::stop_callback<std::function<void()>>> callback(std::in_place, held.lost(), blocking_function());
  const std::stop_callback later(others.lost(), [&] { told_of_other = true; });
  const logged_texts logged;
  session_->close();
  EXPECT_FALSE(returned_);
  EXPECT_EQ(logged.count("a callback on lost() of /lock still runs after 200 ms"), 1);
  EXPECT_FALSE(held.held() || others.held());
  let_go_.count_down();
  EXPECT_TRUE(eventually([&] { return told_of_other.load(); })) << "a notice behind the one that still ran";
  EXPECT_TRUE(eventually([&] { return returned_.load(); }));
  callback.reset();
  EXPECT_EQ(calls_, 1);
}

TEST_P(running_callback, f186_keeps_no_second_close_of_another_thread) {
  run_observer();
  session_->close();
  std::error_code told;
  session_->close(told);
  EXPECT_FALSE(told) << told.message();
  EXPECT_FALSE(returned_);
}

TEST_P(running_callback, f187_does_not_keep_its_observers_destructor_and_is_called_no_more) {
  run_observer();
  const logged_texts logged;
  { const session_observer destroyed = std::move(observer_); }
  EXPECT_FALSE(returned_);
  EXPECT_EQ(logged.count("its function still runs after 200 ms"), 1);
  let_go_.count_down();
  session_->close();  // all changes behind it have been told
  EXPECT_EQ(calls_, 1);
}

TEST_P(running_callback, f187_does_not_keep_its_observers_assignment) {
  run_observer();
  observer_ = session_->observe([](const session_change&) {});
  EXPECT_FALSE(returned_);
}

}  // namespace
}  // namespace zklock::test
