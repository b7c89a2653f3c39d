#include <zklock/watched_value.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/api/acquirable_state.hpp"
#include "tests/unit/api/on_a_fake.hpp"

/// A node that is read and watched, as its user sees it: on an ensemble in memory.
namespace zklock {
namespace {

using namespace test;
using state = value_view::state;

constexpr const char* path = "/config";

class values : public ::testing::Test {
 protected:
  values() { EXPECT_TRUE(here.wait_connected_for(patience) && other.wait_connected_for(patience)); }

  /// The first view that fits, or the one at hand when patience ends.
  template <class Fits>
  static value_view wait_for(const watched_value& one, Fits&& fits) {
    EXPECT_TRUE(eventually([&] { return fits(one.current()); }));
    return one.current();
  }
  static value_view wait_for_data(const watched_value& one, const std::string& data) {
    return wait_for(one, [&](const value_view& now) { return now && now.node->data == data && now.current; });
  }
  std::uint64_t requests_of(const std::function<void()>& what) {
    EXPECT_TRUE(eventually([&] { return zookeeper.quiet(); }));
    const std::uint64_t before = zookeeper.request_count(0);
    what();
    EXPECT_TRUE(eventually([&] { return zookeeper.quiet(); }));
    return zookeeper.request_count(0) - before;
  }

  testing::fake_ensemble zookeeper;
  session here{zookeeper.clients(0), {.timeout = 60s}};
  session other{zookeeper.clients(1), {.timeout = 60s}};
};

// ---- get

TEST_F(values, are_read_with_what_the_servers_number_them_with) {
  EXPECT_EQ(here.get(path), std::nullopt);
  other.transaction().create(path, std::string("a\0b", 3)).commit();
  const node_data made = here.get(path, {.fresh = true}).value();
  EXPECT_EQ(made.data, std::string("a\0b", 3));
  EXPECT_EQ(made.version, 0);
  EXPECT_EQ(made.czxid, made.mzxid);
  other.transaction().set(path, "c").commit();
  const node_data set = here.get(path, {.fresh = true}).value();
  EXPECT_EQ(set.version, 1);
  EXPECT_EQ(set.czxid, made.czxid);
  EXPECT_GT(set.mzxid, made.mzxid);
  other.transaction().remove(path).commit();
  EXPECT_EQ(here.get(path, {.fresh = true}), std::nullopt);
}

TEST_F(values, that_cannot_be_read_say_why) {
  expect_thrown(errc::invalid_path, "\"config\"", [&] { return here.get("config"); });
  expect_thrown(errc::invalid_option, "time_limit = -1 ms (0 to 31622400000 ms)",
                [&] { return here.get(path, {.time_limit = -1ms}); });
  zookeeper.refuse();
  expect_thrown(errc::not_connected, path, [&] { return here.get(path, {.time_limit = 10ms}); });
  std::error_code ec;
  EXPECT_FALSE(here.get(path, {.time_limit = 0ms}, ec));
  EXPECT_EQ(ec, errc::not_connected);
  std::stop_source stop;
  stop.request_stop();
  expect_thrown(errc::abandoned, path, [&] { return here.get(path, {.stop = stop.get_token()}); });
  here.close();
  expect_thrown(errc::session_closed, path, [&] { return here.get(path); });
}

TEST_F(values, that_are_read_fresh_are_no_older_than_the_call_at_a_follower_that_lags) {
  testing::fake_ensemble three({.servers = 3});
  session leading(three.clients(0, three.leader()), {.timeout = 60s});
  const int follower = (three.leader() + 1) % 3;
  session behind(three.clients(1, follower), {.timeout = 60s});
  ASSERT_TRUE(leading.wait_connected_for(patience) && behind.wait_connected_for(patience));
  leading.transaction().create(path, "old").commit();
  ASSERT_EQ(behind.get(path, {.fresh = true})->data, "old");
  three.lag_follower(follower);
  leading.transaction().set(path, "new").commit();
  EXPECT_EQ(behind.get(path)->data, "old") << "as its server knows it";
  const std::uint64_t asked = three.request_count(1);
  auto fresh = in_a_thread([&] { return behind.get(path, {.fresh = true, .time_limit = patience})->data; });
  EXPECT_TRUE(eventually([&] { return three.request_count(1) > asked; }));
  three.join_follower(follower);
  EXPECT_EQ(fresh.get(), "new");
}

// ---- watched

TEST_F(values, that_are_watched_are_unknown_then_absent_then_present) {
  zookeeper.hold(0);
  watched_value value(here, path);
  EXPECT_EQ(value.current().is, state::unknown);
  EXPECT_FALSE(value.current().current);
  EXPECT_EQ(value.wait_change(0, 1ms), std::nullopt);
  EXPECT_EQ(value.wait_change(0, std::chrono::duration<double>(std::nan(""))), std::nullopt) << "no time at all";
  zookeeper.restore(0);
  value_view seen = value.wait_change(0, patience).value();
  EXPECT_EQ(seen.is, state::absent);
  EXPECT_TRUE(seen.current);
  other.transaction().create(path, "a").commit();
  seen = value.wait_change(seen.change, patience).value();
  EXPECT_EQ(seen.node->data, "a");
  other.transaction().remove(path).commit();
  seen = value.wait_change(seen.change, patience).value();
  EXPECT_EQ(seen.is, state::absent);
  EXPECT_FALSE(seen.node);
}

TEST_F(values, that_are_watched_cost_one_read_a_change_and_nothing_for_what_others_do) {
  zookeeper.create_node(path, "0");
  watched_value value(here, path);
  wait_for_data(value, "0");
  for (int i = 1; i <= 5; ++i) {
    EXPECT_EQ(requests_of([&] {
                zookeeper.set_data(path, std::to_string(i));
                wait_for_data(value, std::to_string(i));
              }),
              1U);
  }
  EXPECT_EQ(requests_of([&] { zookeeper.create_node("/config/child"); }), 0U);
}

/// Twenty of one session; what it asks until all are current again behind that.
class twenty_values : public values {
 protected:
  twenty_values() {
    for (int i = 0; i < 20; ++i) {
      zookeeper.create_node(path + std::to_string(i), "x");
      many.emplace_back(here, path + std::to_string(i));
    }
    for (const watched_value& one : many) wait_for_data(one, "x");
  }
  std::uint64_t requests_behind(const std::function<void()>& fault) {
    const std::uint64_t change = many[0].current().change;
    return requests_of([&] {
      fault();
      for (const watched_value& one : many) {
        wait_for(one, [&](const value_view& now) { return now.current && now.change >= change + 2; });
      }
    });
  }
  std::vector<watched_value> many;
};

TEST_F(twenty_values, cost_one_request_in_all_when_their_session_is_connected_again) {
  EXPECT_EQ(requests_behind([this] { zookeeper.cut(0); }), 1U) << "what shows that all is current";
}

TEST_F(twenty_values, cost_one_read_each_and_one_write_in_all_in_a_new_session) {
  EXPECT_EQ(requests_behind([this] { zookeeper.expire_sessions(0); }), 20U + 1U);
}

TEST_F(values, that_are_not_current_say_so_and_keep_what_was_known) {
  zookeeper.create_node(path, "a");
  watched_value value(here, path);
  wait_for_data(value, "a");
  zookeeper.refuse(0);
  const value_view seen = wait_for(value, [](const value_view& now) { return !now.current; });
  EXPECT_EQ(seen.node->data, "a");
  zookeeper.set_data(path, "b");
  zookeeper.restore(0);
  wait_for_data(value, "b");
}

TEST_F(values, are_told_to_observers_in_order_the_latest_alone) {
  zookeeper.create_node(path, "0");
  watched_value value(here, path);
  wait_for_data(value, "0");
  std::vector<std::uint64_t> changes;
  std::vector<std::string> seen;
  std::atomic<bool> done{false};
  const value_observer told = value.observe([&](const value_view& now) {
    std::this_thread::sleep_for(20ms);
    changes.push_back(now.change);
    seen.push_back(now.node->data);
    done = now.node->data == "100";
  });
  for (int i = 1; i <= 100; ++i) {
    other.transaction().set(path, std::to_string(i)).commit();
  }
  ASSERT_TRUE(eventually([&] { return done.load(); }));
  EXPECT_EQ(seen.back(), "100");
  EXPECT_LT(seen.size(), 101U) << "not each";
  EXPECT_TRUE(std::is_sorted(changes.begin(), changes.end()));
  EXPECT_EQ(std::adjacent_find(changes.begin(), changes.end()), changes.end()) << "none twice";
}

TEST_F(values, tell_an_observer_the_state_at_hand_and_none_that_has_ended) {
  watched_value value(here, path);
  wait_for(value, [](const value_view& now) { return now.is == state::absent; });
  std::atomic<int> calls{0};
  {
    const value_observer told = value.observe([&](const value_view& now) {
      EXPECT_EQ(now.is, state::absent);
      ++calls;
    });
    EXPECT_TRUE(eventually([&] { return calls == 1; }));
  }
  zookeeper.create_node(path, "a");
  wait_for_data(value, "a");
  EXPECT_EQ(calls, 1);
  expect_thrown(errc::invalid_option, path, [&] { return value.observe(nullptr); });
}

TEST_F(values, may_be_destroyed_with_their_session_in_their_own_callback) {
  zookeeper.create_node(path, "a");
  auto in = std::make_unique<session>(zookeeper.clients(2), session_options{.timeout = 60s});
  auto value = std::make_unique<watched_value>(*in, path);
  std::atomic<bool> gone{false};
  const value_observer told = value->observe([&](const value_view& now) {
    if (now && value) {
      value.reset();
      in.reset();
      gone = true;
    }
  });
  EXPECT_TRUE(eventually([&] { return gone.load(); }));
}

TEST_F(values, end_with_their_session_and_keep_the_last_one) {
  zookeeper.create_node(path, "a");
  watched_value value(here, path);
  const std::uint64_t change = wait_for_data(value, "a").change;
  auto waiting = in_a_thread([&] { return thrown_by([&] { return value.wait_change(change + 1, patience); }).ec; });
  here.close();
  EXPECT_EQ(waiting.get(), errc::session_closed);
  EXPECT_EQ(value.current().node->data, "a");
  EXPECT_FALSE(value.current().current);
  expect_thrown(errc::session_closed, path, [&] { return value.update([](const std::string&) { return ""; }); });
}

TEST_F(values, may_be_waited_for_until_a_stop) {
  watched_value value(here, path);
  const std::uint64_t change = wait_for(value, [](const value_view& now) { return now.current; }).change;
  std::stop_source stop;
  auto waiting = in_a_thread([&] { return value.wait_change(change, patience, stop.get_token()); });
  stop.request_stop();
  EXPECT_EQ(waiting.get(), std::nullopt);
}

TEST_F(values, may_be_moved_also_to_themselves) {
  zookeeper.create_node(path, "a");
  watched_value value(here, path), other_value(here, "/other");
  watched_value& same = value;
  value = std::move(same);
  other_value = std::move(value);
  EXPECT_EQ(wait_for_data(other_value, "a").is, state::present);
  EXPECT_TRUE(eventually([&] { return zookeeper.watch_count(0) == 1; })) << "the one before is gone";
}

TEST_F(values, leave_no_watch_when_they_are_gone) {
  zookeeper.create_node(path, "a");
  std::optional<watched_value> value(std::in_place, here, path), missing(std::in_place, here, "/none");
  wait_for_data(*value, "a");
  wait_for(*missing, [](const value_view& now) { return now.current; });
  EXPECT_EQ(zookeeper.watch_count(0), 2U);
  value.reset();
  missing.reset();
  EXPECT_TRUE(eventually([&] { return zookeeper.watch_count(0) == 0; }));
}

// ---- update

TEST_F(values, are_updated_from_what_was_read_and_show_it_at_once) {
  zookeeper.create_node(path, "a");
  watched_value value(here, path);
  const node_data written = value.update([](const std::string& old) { return old + "b"; });
  EXPECT_EQ(written.data, "ab");
  EXPECT_EQ(written.version, 1);
  EXPECT_EQ(value.current().node, written);
  EXPECT_EQ(other.get(path, {.fresh = true}), written);
}

TEST_F(values, are_read_again_when_another_write_came_first) {
  zookeeper.create_node(path, "a");
  watched_value value(here, path);
  int calls = 0;
  const node_data written = value.update([&](const std::string& old) {
    if (++calls == 1) zookeeper.set_data(path, "x");
    return old + "b";
  });
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(written.data, "xb");
}

TEST_F(values, are_not_written_when_the_function_throws_or_what_it_returns_is_too_large) {
  zookeeper.create_node(path, "a");
  watched_value value(here, path);
  EXPECT_THROW(value.update([](const std::string&) -> std::string { throw std::runtime_error("no"); }),
               std::runtime_error);
  expect_thrown(errc::request_too_large, path,
                [&] { return value.update([](const std::string&) { return std::string(2'000'000, 'x'); }); });
  EXPECT_EQ(zookeeper.data(path), "a");
  watched_value missing(here, "/none");
  expect_thrown(errc::node_missing, "/none",
                [&] { return missing.update([](const std::string& old) { return old; }); });
}

TEST_F(values, whose_write_was_applied_and_its_answer_lost_are_unknown_without_a_guard) {
  zookeeper.create_node(path, "a");
  watched_value value(here, path);
  wait_for_data(value, "a");
  expect_thrown(errc::outcome_unknown, path, [&] {
    return value.update([&](const std::string&) {
      zookeeper.lose_next_reply(0);
      return "b";
    });
  });
  EXPECT_EQ(zookeeper.data(path), "b");
}

TEST_F(values, whose_write_was_lost_are_written_once_more) {
  zookeeper.create_node(path, "a");
  watched_value value(here, path);
  wait_for_data(value, "a");
  int calls = 0;
  const node_data written = value.update([&](const std::string& old) {
    if (++calls == 1) zookeeper.lose_next_request(0);
    return old + "b";
  });
  EXPECT_EQ(written.data, "ab");
  EXPECT_EQ(written.version, 1);
  EXPECT_EQ(calls, 2);
}

TEST_F(values, whose_guarded_write_was_applied_and_its_answer_lost_are_found_out) {
  zookeeper.create_node(path, "a");
  watched_value value(here, path);
  wait_for_data(value, "a");
  recursive_mutex lock(here, "/lock");
  const grant held = lock.acquire();
  int calls = 0;
  const node_data written = value.update(held, [&](const std::string& old) {
    if (++calls == 1) zookeeper.lose_next_reply(0);
    return old + "b";
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(written.data, "ab");
  EXPECT_EQ(zookeeper.data(path), "ab");
  EXPECT_EQ(value.current().node, written);
}

TEST_F(values, whose_guard_lets_others_in_are_unknown_when_the_answer_is_lost) {
  zookeeper.create_node(path, "a");
  watched_value value(here, path);
  wait_for_data(value, "a");
  semaphore pool(here, "/pool", 2);
  shared_mutex sides(here, "/sides");
  for (const grant& held : {pool.acquire(), sides.read().acquire()}) {
    expect_thrown(errc::outcome_unknown, path, [&] {
      return value.update(held, [&](const std::string& old) {
        zookeeper.lose_next_reply(0);
        return old + "b";
      });
    });
  }
}

TEST_F(values, keep_nothing_of_their_session_when_both_are_gone) {
  zookeeper.create_node(path, "a");
  auto in = std::make_unique<session>(zookeeper.clients(2), session_options{.timeout = 60s});
  const std::weak_ptr<detail::session_impl> inside = detail::session_access::impl(*in);
  {
    watched_value value(*in, path);
    const value_observer told = value.observe([](const value_view&) {});
    wait_for_data(value, "a");
    value.update([](const std::string& old) { return old; });
  }
  in.reset();
  EXPECT_TRUE(eventually([&] { return inside.expired(); }));
}

TEST_F(values, are_not_written_without_the_guards_hold) {
  zookeeper.create_node(path, "a");
  watched_value value(here, path);
  const auto set = [](const std::string&) { return "b"; };
  expect_thrown(errc::not_owner, path, [&] { return value.update(grant(), set); });
  recursive_mutex theirs(other, "/lock");
  const grant of_another = theirs.acquire();
  expect_thrown(errc::wrong_session, path, [&] { return value.update(of_another, set); });
  recursive_mutex mine(here, "/mine");
  const grant held = mine.acquire();
  zookeeper.remove_node(held.node());
  expect_thrown(errc::lost, path, [&] { return value.update(held, set); });
  EXPECT_EQ(zookeeper.data(path), "a");
}

TEST_F(values, count_each_of_many_updates_once) {
  zookeeper.create_node(path, "0");
  std::vector<std::future<void>> writers;
  for (int i = 0; i < 4; ++i) {
    writers.push_back(in_a_thread([this] {
      watched_value value(here, path);
      for (int n = 0; n < 25; ++n) {
        value.update([](const std::string& old) { return std::to_string(std::stoi(old) + 1); }, patience);
      }
    }));
  }
  for (auto& one : writers) one.get();
  EXPECT_EQ(zookeeper.data(path), "100");
}

}  // namespace
}  // namespace zklock
