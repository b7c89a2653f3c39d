// Watched values, their writers, and election observers on three servers that are killed and frozen. For a short while; with
// ZKLOCK_LONG=1 in the environment 10,000 reports and 1,000 increments a writer.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <iostream>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/on_three.hpp"

namespace zklock::test {
namespace {

/// What one follower was told, judged as it comes.
template <class View>
class told {
 public:
  /// `number`: 0: it is no later and no earlier.
  void note(const View& now, std::int64_t number) {
    const std::lock_guard lock(mutex_);
    ++reports_;
    EXPECT_TRUE(number == 0 || number >= number_) << "an older one: " << number << " behind " << number_;
    number_ = std::max(number_, number);
    EXPECT_NE(now.change, change_) << "one view twice";
    change_ = now.change;
  }
  [[nodiscard]] int reports() const {
    const std::lock_guard lock(mutex_);
    return reports_;
  }

 private:
  mutable std::mutex mutex_;
  int reports_ = 0;
  std::int64_t number_ = 0;
  std::uint64_t change_ = UINT64_MAX;
};

TEST_F(on_three, f134_f135_values_are_told_in_order_and_the_last_one_at_last) {
  const int wanted = for_long() ? 10'000 : 600;
  std::deque<told<value_view>> seen(4);
  std::deque<watched_value> values;
  std::vector<value_observer> observers;
  for (session* each : followers()) {
    told<value_view>& to = seen[values.size()];
    values.emplace_back(*each, "/v");
    observers.push_back(
        values.back().observe([&to](const value_view& now) { to.note(now, now ? now.node->mzxid : 0); }));
  }
  const auto reports = [&seen] {
    int all = 0;
    for (const auto& each : seen) {
      all += each.reports();
    }
    return all;
  };
  std::jthread writer([this](const std::stop_token& stop) {
    std::error_code ec;
    for (int number = 0; !stop.stop_requested(); ++number) {
      const std::string data = std::to_string(number);
      if (number % 7 == 0) {
        writing_->transaction().remove("/v").commit(ec);
      }
      writing_->transaction().create("/v", data).commit(ec);
      writing_->transaction().set("/v", data).commit(ec);
      std::this_thread::sleep_for(1ms);
    }
  });
  const int faults = strike([&] { return reports() >= wanted; });
  writer.request_stop();
  writer.join();
  EXPECT_TRUE(eventually([&] { return writing_->state() == session_state::connected; }));
  const auto last = writing_->get("/v", {.fresh = true});
  for (const watched_value& each : values) {
    EXPECT_TRUE(eventually([&] { return each.current().current && each.current().node == last; }));
  }
  std::cout << reports() << " reports, " << faults << " faults\n";
}

TEST_F(on_three, updates_are_counted_as_they_are_told) {
  const int increments = for_long() ? 1'000 : 40;
  const bool guarded_too[] = {false, true};
  for (const bool guarded : guarded_too) {
    const std::string path = guarded ? "/guarded" : "/plain";
    ASSERT_TRUE(eventually([&] {
      std::error_code ec;
      writing_->transaction().create(path, "0").commit(ec);
      return !ec || ec == errc::node_exists;
    }));
    std::atomic<int> done = 0, unknown = 0, unknown_without_a_loss = 0, at_work = 3;
    std::vector<std::jthread> writers;  // which end also where the strikes have ended by an exception
    for (int i = 0; i < 3; ++i) {
      writers.emplace_back([&](const std::stop_token& stop) {
        session mine(zookeeper.connect_string(), options);
        recursive_mutex lock(mine, "/lock");
        watched_value value(mine, path);
        const auto add = [](const std::string& old) { return std::to_string(std::stoi(old) + 1); };
        for (int told_done = 0; told_done < increments && !stop.stop_requested();) {
          grant held;
          std::error_code ec;
          if (guarded && !(held = lock.try_acquire_for(patience, ec))) {
            continue;
          }
          try {
            guarded ? value.update(held, add) : value.update(add);
            ++told_done;
            ++done;
          } catch (const error& why) {
            if (why.code() == errc::outcome_unknown) {
              ++unknown;
              unknown_without_a_loss += guarded && held.held() ? 1 : 0;
            }
          }
        }
        --at_work;
      });
    }
    const int faults = strike([&] { return at_work == 0; });
    writers.clear();
    const int value = std::stoi(writing_->get(path, {.fresh = true, .time_limit = patience})->data);
    EXPECT_GE(value, done);
    EXPECT_LE(value, done + unknown) << "written, and told as not written";
    EXPECT_EQ(unknown_without_a_loss, 0);
    std::cout << path << ": " << value << " of " << done << " done and " << unknown << " unknown, " << faults
              << " faults\n";
  }
}

TEST_F(on_three, f134_f135_leaders_are_told_in_order_and_the_last_one_at_last) {
  const int wanted = for_long() ? 2'000 : 150;
  std::deque<told<leader_view>> seen(4);
  std::deque<election_observer> observers;
  for (session* each : followers()) {
    told<leader_view>& to = seen[observers.size()];
    observers.emplace_back(*each, "/e", [&to](const leader_view& now) { to.note(now, now ? now.token.czxid : 0); });
  }
  const auto reports = [&seen] {
    int all = 0;
    for (const auto& each : seen) {
      all += each.reports();
    }
    return all;
  };
  std::vector<std::jthread> candidates;
  for (int i = 0; i < 3; ++i) {
    candidates.emplace_back([&, i](const std::stop_token& stop) {
      session mine(zookeeper.connect_string(), options);
      election one(mine, "/e", {.data = std::to_string(i), .names = election_names::latch, .stand_interval = 0ms});
      one.run(
          [](const term& now, std::stop_token) {
            std::error_code ec;
            now.proclaim("at work", ec);
            std::this_thread::sleep_for(20ms);
          },
          stop);
    });
  }
  const int faults = strike([&] { return reports() >= wanted; });
  candidates.clear();
  for (const election_observer& each : observers) {
    EXPECT_TRUE(eventually([&] { return each.current().current && each.current().is == leader_view::state::none; }));
  }
  std::cout << reports() << " reports, " << faults << " faults\n";
}

// It goes on showing the old leader as current until it gives up: the page's bound is syncLimit ticks, and a reconnect. How long
// it was is printed.
TEST_F(on_three, a_follower_that_is_cut_off_shows_an_old_leader_until_it_gives_up) {
  const std::size_t from = zookeeper.leader().value();
  const std::size_t follower = (from + 1) % 3;
  session elsewhere(zookeeper.address((from + 2) % 3), options);
  election candidate(elsewhere, "/e", {.data = "old"});
  std::optional<term> leads = candidate.campaign();
  const election_observer observer(*alone_[follower], "/e");
  const auto shows = [&observer](const char* data) {
    return observer.current() && observer.current().current && observer.current().data == data;
  };
  ASSERT_TRUE(eventually([&] { return shows("old"); }));
  proxy& link = zookeeper.quorum_link(follower, from);
  link.set_mode(proxy_mode::hold);
  leads->proclaim("new");
  const auto changed = std::chrono::steady_clock::now();
  EXPECT_TRUE(eventually([&] { return !observer.current().current; }));
  const auto mislead = std::chrono::steady_clock::now() - changed;
  std::cout << "misled for " << std::chrono::duration_cast<std::chrono::milliseconds>(mislead).count()
            << " ms; syncLimit x tickTime: 800 ms\n";
  link.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] { return shows("new"); }, 60s));
}

}  // namespace
}  // namespace zklock::test
