// What session::statistics() counts, and how Prometheus is told.
#include <gtest/gtest.h>

#include <zklock/async.hpp>
#include <zklock/log.hpp>
#include <zklock/prometheus.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

lock_statistics of(const session& in, std::string_view name, lock_kind kind) {
  for (const lock_statistics& one : in.statistics().locks) {
    if (one.name == name && one.kind == kind) return one;
  }
  ADD_FAILURE() << "nothing is counted of " << name << ", " << to_string(kind);
  return {};
}
request_statistics requests(const session& in, std::string_view kind) {
  const auto& kinds = session_statistics::request_kinds;
  const auto at = std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
  return in.statistics().requests.at(static_cast<std::size_t>(at));
}

class statistics : public on_a_fake {
 protected:
  void SetUp() override { ASSERT_TRUE(one_.wait_connected_for(patience) && two_.wait_connected_for(patience)); }
};

TEST_F(statistics, count_each_acquisition_by_its_result_and_each_hold_by_its_end) {
  recursive_mutex lock(one_, "/lock", {.name = "orders"}), other(two_, "/lock", {.name = "orders"});
  grant held = lock.acquire();
  EXPECT_FALSE(other.try_acquire());
  EXPECT_FALSE(other.try_acquire_for(100ms));
  std::stop_source stop;
  auto waiting = in_a_thread([&] { return thrown_by([&] { return other.acquire(stop.get_token()); }).ec; });
  EXPECT_TRUE(eventually([&] { return of(two_, "orders", lock_kind::mutex).waits == 1; }));
  EXPECT_GT(of(two_, "orders", lock_kind::mutex).oldest_wait, 0ns);
  EXPECT_EQ(of(one_, "orders", lock_kind::mutex).holds, 1U);
  EXPECT_GT(of(one_, "orders", lock_kind::mutex).oldest_hold, 0ns);
  stop.request_stop();
  EXPECT_EQ(waiting.get(), errc::abandoned);
  expect_released(held);

  const lock_statistics mine = of(one_, "orders", lock_kind::mutex);
  EXPECT_EQ(mine.granted.count(), 1U);
  EXPECT_EQ(mine.released.count(), 1U);
  EXPECT_GE(mine.released.sum, 100ms) << "the other one has waited so long";
  EXPECT_EQ(mine.lost.count(), 0U);
  EXPECT_EQ(mine.holds, 0U);
  EXPECT_EQ(mine.removals, 0U);
  const lock_statistics theirs = of(two_, "orders", lock_kind::mutex);
  EXPECT_EQ(theirs.granted.count(), 0U);
  EXPECT_EQ(theirs.not_in_time.count(), 2U);
  EXPECT_EQ(theirs.stopped.count(), 1U);
  EXPECT_EQ(theirs.failed.count(), 0U);
  EXPECT_EQ(theirs.waits, 0U);
}

TEST_F(statistics, count_a_call_that_waits_behind_its_owners_other_one_when_the_lock_object_goes) {
  recursive_mutex there(two_, "/lock");
  const grant held = there.acquire();
  std::atomic<int> told = 0;
  const auto tell = [&](const std::error_code& why, const grant&) { told += why == errc::abandoned ? 1 : 100; };
  {
    recursive_mutex goes(one_, "/lock", {.name = "orders"});
    const owner job;
    start_acquire(goes.as(job), {}, tell);
    start_acquire(goes.as(job), {}, tell);
    EXPECT_TRUE(eventually([&] { return of(one_, "orders", lock_kind::mutex).waits == 2; }));
  }
  EXPECT_TRUE(eventually([&] { return told == 2; })) << told;
  EXPECT_EQ(of(one_, "orders", lock_kind::mutex).stopped.count(), 2U);
}

TEST_F(statistics, do_not_count_acquiring_again_what_the_owner_holds) {
  recursive_mutex lock(one_, "/lock");
  for (int i = 0; i < 3; ++i) lock.lock();
  for (int i = 0; i < 3; ++i) lock.unlock();
  EXPECT_EQ(of(one_, "", lock_kind::mutex).granted.count(), 1U);
  EXPECT_EQ(of(one_, "", lock_kind::mutex).released.count(), 1U);
}

TEST_F(statistics, tell_the_sides_permits_and_multi_locks_apart) {
  shared_mutex sides(one_, "/a", {.name = "config"});
  semaphore pool(one_, "/b", 3, {.name = "pool"});
  recursive_mutex lock(one_, "/c", {.name = "orders"});
  multi_lock both{sides.write(), lock};
  for (int i = 0; i < 2; ++i) grant reads = sides.read().acquire();
  grant writes = sides.write().acquire();
  EXPECT_EQ(of(one_, "config", lock_kind::write).holds, 1U);
  writes.downgrade();
  EXPECT_EQ(of(one_, "config", lock_kind::write).holds, 0U);
  EXPECT_EQ(of(one_, "config", lock_kind::read).holds, 1U) << "a reader by now";
  expect_released(writes);
  grant permits = pool.permits(2).acquire();
  EXPECT_EQ(of(one_, "pool", lock_kind::permits).holds, 1U);
  grant all = both.acquire();
  EXPECT_EQ(of(one_, "config", lock_kind::read).granted.count(), 2U);
  EXPECT_EQ(of(one_, "config", lock_kind::read).released.count(), 3U);
  EXPECT_EQ(of(one_, "config", lock_kind::write).granted.count(), 1U);
  EXPECT_EQ(of(one_, "", lock_kind::multi).granted.count(), 1U);
  EXPECT_EQ(of(one_, "config", lock_kind::write).holds, 1U);
  EXPECT_EQ(of(one_, "orders", lock_kind::mutex).holds, 1U);
  EXPECT_EQ(of(one_, "orders", lock_kind::mutex).granted.count(), 0U);
}

TEST_F(statistics, count_losses_by_their_reason) {
  recursive_mutex lock(one_, "/lock", {.name = "orders"}), bounded(one_, "/a", {.max_hold = 20ms, .name = "orders"});
  shared_mutex sides(one_, "/b", {.name = "config"});
  const grant too_long = bounded.acquire();
  EXPECT_TRUE(eventually([&] { return of(one_, "orders", lock_kind::mutex).lost_by.at(5) == 1; }));
  multi_lock both{lock, sides.read()};
  const grant all = both.acquire();
  zookeeper_.expire_sessions(0);
  const auto expired = static_cast<std::size_t>(loss_reason::session_expired);
  EXPECT_TRUE(eventually([&] { return of(one_, "orders", lock_kind::mutex).lost_by.at(expired) == 1; }));
  EXPECT_TRUE(eventually([&] { return of(one_, "config", lock_kind::read).lost_by.at(expired) == 1; }));
  EXPECT_TRUE(eventually([&] { return of(one_, "orders", lock_kind::mutex).lost.count() == 2; }));
  EXPECT_EQ(of(one_, "orders", lock_kind::mutex).holds, 0U);
  EXPECT_TRUE(eventually([&] { return one_.statistics().sessions_opened == 2; }));
}

TEST_F(statistics, count_grants_behind_a_further_list) {
  recursive_mutex lock(one_, "/lock", {.name = "orders"}), other(two_, "/lock", {.name = "orders"});
  grant first = lock.acquire();
  auto waiting = in_a_thread([&] { return other.acquire(); });
  EXPECT_TRUE(eventually([&] { return lock.queue().size() == 2; }));
  const std::uint64_t lists = requests(two_, "list").done;
  expect_released(first);
  grant second = waiting.get();
  EXPECT_EQ(of(one_, "orders", lock_kind::mutex).relisted, 0U);
  EXPECT_EQ(of(two_, "orders", lock_kind::mutex).relisted, requests(two_, "list").done - lists)
      << "where it asked again";
}

TEST_F(statistics, count_releases_that_no_server_confirms) {
  session third(zookeeper_.clients(2), {.timeout = 1s});
  recursive_mutex lock(third, "/lock", {.name = "orders"});
  grant held = lock.acquire();
  zookeeper_.hold(2);
  std::error_code ec;
  held.release(ec);
  EXPECT_EQ(ec, errc::release_unconfirmed);
  EXPECT_EQ(of(third, "orders", lock_kind::mutex).unconfirmed, 1U);
  EXPECT_EQ(of(third, "orders", lock_kind::mutex).released.count(), 1U);
  zookeeper_.restore(2);
}

TEST_F(statistics, count_turns_without_a_request) {
  recursive_mutex lock(one_, "/lock", {.hand_over = local_handover{}, .name = "orders"});
  grant first = lock.acquire();
  auto second = in_a_thread([&] { return lock.acquire(); });
  EXPECT_TRUE(eventually([&] { return of(one_, "orders", lock_kind::mutex).waits == 1; }));
  expect_released(first);
  EXPECT_TRUE(second.get());
  EXPECT_EQ(of(one_, "orders", lock_kind::mutex).granted.count(), 2U);
  EXPECT_EQ(of(one_, "orders", lock_kind::mutex).turns, 1U);
}

TEST_F(statistics, count_requests_and_what_became_of_them) {
  recursive_mutex lock(one_, "/lock");
  const request_statistics created = requests(one_, "create"), read = requests(one_, "get");
  for (int i = 0; i < 5; ++i) {
    grant held = lock.acquire();
    expect_released(held);
  }
  EXPECT_EQ(requests(one_, "create").done + requests(one_, "create").refused - created.done - created.refused, 7U)
      << "one that finds no lock node, that one, and one for each";
  EXPECT_GE(requests(one_, "remove").done, 5U);
  EXPECT_GT(requests(one_, "remove").time, 0ns);
  EXPECT_FALSE(one_.get("/none"));
  EXPECT_EQ(requests(one_, "get").refused - read.refused, 1U);
  zookeeper_.lose_next_reply(0);
  static_cast<void>(one_.get("/lock"));
  EXPECT_EQ(requests(one_, "get").failed, 1U);
  EXPECT_EQ(one_.statistics().connections_lost, 1U);
}

TEST_F(statistics, know_how_far_ahead_the_deadline_is_while_something_is_held) {
  EXPECT_FALSE(one_.statistics().deadline_left);
  EXPECT_FALSE(one_.statistics().least_deadline_left);
  recursive_mutex lock(one_, "/lock");
  grant held = lock.acquire();
  const session_statistics now = one_.statistics();
  ASSERT_TRUE(now.deadline_left && now.least_deadline_left);
  EXPECT_GT(*now.deadline_left, 30s);
  EXPECT_LE(*now.deadline_left, now.timeout - now.margin);
  EXPECT_LE(*now.least_deadline_left, *now.deadline_left / std::chrono::duration<double>(now.timeout) + 1e-9);
  EXPECT_GT(*now.least_deadline_left, 0.4);
  expect_released(held);
  EXPECT_FALSE(one_.statistics().deadline_left);
}

TEST_F(statistics, show_zero_where_a_hold_was_lost_by_its_deadline) {
  session brief(zookeeper_.clients(2), {.timeout = 300ms});
  recursive_mutex lock(brief, "/lock");
  const grant held = lock.acquire();
  zookeeper_.freeze();
  EXPECT_TRUE(eventually([&] { return !held.held(); }));
  EXPECT_TRUE(eventually([&] { return brief.statistics().least_deadline_left == 0.0; }));
  zookeeper_.thaw();
}

TEST_F(statistics, have_a_hundred_names_and_others) {
  std::vector<std::unique_ptr<recursive_mutex>> locks;
  for (int i = 0; i < 105; ++i) {
    const std::string number = std::to_string(i);
    locks.push_back(std::make_unique<recursive_mutex>(one_, "/" + number, lock_options{.name = "name " + number}));
  }
  EXPECT_EQ(one_.statistics().locks.size(), 101U);
  grant held = locks.back()->acquire();
  EXPECT_EQ(of(one_, "other", lock_kind::mutex).holds, 1U);
  EXPECT_EQ(of(one_, "name 99", lock_kind::mutex).holds, 0U);
  shared_mutex known(one_, "/a", {.name = "name 3"});
  EXPECT_EQ(of(one_, "name 3", lock_kind::write).holds, 0U) << "a known name, of another kind";
}

TEST_F(statistics, warn_once_of_the_first_name_that_is_one_too_many) {
  std::mutex mutex;
  std::vector<std::string> lines;
  set_log_sink([&](const log_line& line) {
    const std::lock_guard lock(mutex);
    if (line.text.find("lock_options::name") != std::string::npos) lines.push_back(line.text);
  });
  for (int i = 0; i < 105; ++i) {
    recursive_mutex lock(one_, "/lock", {.name = "name " + std::to_string(i)});
  }
  set_log_sink({});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0],
            "lock_options::name \"name 100\": there are 100 names already, all further ones are counted as \"other\"");
}

TEST_F(statistics, refuse_a_name_that_is_none) {
  const auto made = [&](const std::string& name) {
    return thrown_by([&] { return recursive_mutex(one_, "/lock", lock_options{.name = name}), 0; });
  };
  EXPECT_EQ(made("a\nb").ec, errc::invalid_option);
  EXPECT_NE(made(std::string(65, 'x')).text.find("65 bytes (at most 64)"), std::string::npos);
  EXPECT_FALSE(made(std::string(64, 'x')).ec);
}

TEST_F(statistics, of_an_election_say_whether_this_process_leads) {
  election stands(one_, "/lock", {.name = "scheduler"});
  EXPECT_EQ(of(one_, "scheduler", lock_kind::election).holds, 0U);
  term leads = stands.campaign();
  EXPECT_EQ(of(one_, "scheduler", lock_kind::election).holds, 1U);
  leads.resign();
  EXPECT_EQ(of(one_, "scheduler", lock_kind::election).holds, 0U);
  EXPECT_EQ(of(one_, "scheduler", lock_kind::election).released.count(), 1U);
}

TEST_F(statistics, count_guarded_writes_that_are_refused) {
  recursive_mutex lock(one_, "/lock");
  grant held = lock.acquire();
  ASSERT_TRUE(zookeeper_.remove_node(held.node()));
  std::error_code ec;
  one_.transaction().guarded_by(held).create("/written", "by a former holder").commit(ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_EQ(one_.statistics().guarded_writes_refused, 1U);
}

// ---- as Prometheus reads it

std::string written(const std::vector<session_statistics>& of) {
  std::ostringstream text;
  write_prometheus(text, of);
  return text.str();
}

TEST_F(statistics, are_written_with_each_metric_once_and_no_series_twice) {
  recursive_mutex lock(one_, "/lock", {.name = "a \"quoted\" \\ name"});
  shared_mutex sides(two_, "/a", {.name = "config"});
  grant held = lock.acquire();
  session_statistics first = one_.statistics(), second = two_.statistics();
  first.session = second.session = "the same";
  std::istringstream text(written({first, second}));
  std::map<std::string, int> types, series;
  std::string last_type;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("# TYPE ")) {
      last_type = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_EQ(++types[last_type], 1) << line;
    } else if (!line.starts_with('#')) {
      EXPECT_EQ(++series[line.substr(0, line.rfind(' '))], 1) << line;
      EXPECT_TRUE(line.starts_with(last_type)) << line;
    }
  }
  EXPECT_EQ(types.size(), 26U);
  EXPECT_EQ(series.count("zklock_holds{session=\"the same\",lock=\"a \\\"quoted\\\" \\\\ name\",kind=\"mutex\"}"), 1U);
  EXPECT_EQ(series.count("zklock_holds{session=\"the same #2\",lock=\"config\",kind=\"read\"}"), 1U);
}

TEST_F(statistics, are_all_on_the_page_for_operators) {
  std::ifstream file(ZKLOCK_OPERATING_PAGE);
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  std::istringstream text(written({one_.statistics()}));
  int metrics = 0;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("# TYPE ")) {
      const std::string name = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name;
      ++metrics;
    }
  }
  EXPECT_EQ(metrics, 26);
}

TEST_F(statistics, are_written_as_cumulative_ranges_in_seconds) {
  session_statistics made;
  made.session = "s";
  lock_statistics& lock = made.locks.emplace_back();
  lock.granted.counts = {1, 0, 2};  // up to 1 ms, and up to 5 ms
  lock.granted.counts.back() = 1;
  lock.granted.sum = 70'008ms;
  const std::string text = written({made});
  const auto line = [&text](const std::string& labels, const std::string& value) {
    return text.find("zklock_acquire_seconds_" + labels + " " + value + "\n") != std::string::npos;
  };
  const std::string common = "session=\"s\",lock=\"\",kind=\"mutex\",result=\"granted\"";
  EXPECT_TRUE(line("bucket{" + common + ",le=\"0.001\"}", "1")) << text;
  EXPECT_TRUE(line("bucket{" + common + ",le=\"0.002\"}", "1"));
  EXPECT_TRUE(line("bucket{" + common + ",le=\"0.005\"}", "3"));
  EXPECT_TRUE(line("bucket{" + common + ",le=\"60\"}", "3"));
  EXPECT_TRUE(line("bucket{" + common + ",le=\"+Inf\"}", "4"));
  EXPECT_TRUE(line("sum{" + common + "}", "70.008"));
  EXPECT_TRUE(line("count{" + common + "}", "4"));
  EXPECT_NE(text.find("zklock_lost_total{session=\"s\",lock=\"\",kind=\"mutex\",reason=\"node removed\"} 0\n"),
            std::string::npos)
      << "a counter that appears with 1 hides its first increase";
}

}  // namespace
}  // namespace zklock::test
