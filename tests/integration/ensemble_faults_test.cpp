// Three servers, of which one follower lags behind its leader, is cut off from it, or dies.
#include <gtest/gtest.h>
#include <signal.h>

#include <zklock/zklock.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

// So many ticks a follower goes on answering reads without its leader.
constexpr int sync_limit = 40;
constexpr auto tick = 250ms;

struct holds_three_servers {
  test_support::private_zookeeper zookeeper{
      {.servers = 3, .tick_time = tick, .quorum_links = true, .sync_limit = sync_limit}};
  const std::size_t leader = zookeeper.leader().value();
  const std::size_t follower = (leader + 1) % 3;
};

/// The leader is inspected, and is where sessions are opened that have no fault.
class a_follower : protected holds_three_servers, public on_a_server {
 protected:
  a_follower() : on_a_server(zookeeper.address(leader)) {}

  [[nodiscard]] proxy& link() { return zookeeper.quorum_link(follower, leader); }

  /// Until when `held` said so. With what came next: the instant of its grant.
  [[nodiscard]] static boot_clock::time_point last_instant_of(const grant& held) {
    boot_clock::time_point last;
    while (held.held()) {
      last = boot_clock::now();
      std::this_thread::sleep_for(1ms);
    }
    return last;
  }
  struct next_grant {
    grant taken;
    boot_clock::time_point at;
  };
  [[nodiscard]] static next_grant take_next(recursive_mutex& lock) {
    next_grant next{acquire_patiently(lock), {}};
    next.at = boot_clock::now();
    return next;
  }
  /// The hold ends by its deadline, before the next client is granted.
  static void expect_deadline_before_next(const grant& held, std::future<next_grant>& waiting) {
    const auto last_held = last_instant_of(held);
    const next_grant next = waiting.get();
    EXPECT_LT(last_held, next.at);
    EXPECT_EQ(held.loss_reason(), loss_reason::deadline_passed);
    EXPECT_GT(next.taken.token(), held.token());
  }
};

/// What goes to a server, in its order.
class log_of_requests {
 public:
  void add(const request_frame& asked) {
    const std::lock_guard guard(mutex_);
    asked_.push_back(asked);
  }
  [[nodiscard]] bool has(std::int32_t what) const { return count(what, "") > 0; }
  [[nodiscard]] std::int64_t count(std::int32_t what, const std::string& below) const {
    const std::lock_guard guard(mutex_);
    return std::ranges::count_if(
        asked_, [&](const request_frame& one) { return one.opcode == what && one.path.starts_with(below); });
  }
  /// Where in the order; past the end if it was not asked.
  [[nodiscard]] std::ptrdiff_t place_of(std::int32_t what, const std::string& path) const {
    const std::lock_guard guard(mutex_);
    return std::ranges::find_if(asked_,
                                [&](const request_frame& one) { return one.opcode == what && one.path == path; }) -
           asked_.begin();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<request_frame> asked_;
};

TEST_F(a_follower, f04_that_lags_answers_a_search_only_after_a_write_and_no_second_node_is_made) {
  inspector beside("127.0.0.1:" + std::to_string(zookeeper.port(follower)));
  for (int round = 0; round < 3; ++round) {
    const std::string path = "/lock-" + std::to_string(round);
    server_.create(full(path));
    ASSERT_TRUE(eventually([&] { return beside.look(full(path)).has_value(); }));
    proxy to_leader(port_);
    proxy to_follower(zookeeper.port(follower));
    to_follower.set_mode(proxy_mode::cut);
    session one(to_leader.address() + "," + to_follower.address() + root_, {.timeout = 6s});
    ASSERT_TRUE(one.wait_connected_for(patience));
    std::atomic<int> creates = 0;
    const hooks leader_is_lost_with_the_reply(to_leader, [&](const request_frame& asked) {
      creates += asked.opcode == opcode::create2 ? 1 : 0;
      return asked.opcode == opcode::create2                    ? verdict::cut_after
             : creates > 0 && asked.opcode == opcode::handshake ? verdict::cut_before
                                                                : verdict::pass;
    });
    log_of_requests told_follower;
    const hooks logging(to_follower, [&](const request_frame& asked) {
      told_follower.add(asked);
      return verdict::pass;
    });
    link().set_mode(proxy_mode::hold_replies);  // what the leader has decided does not arrive

    recursive_mutex lock(one, path);
    auto acquiring = in_a_thread([&] { return acquire_patiently(lock); });
    ASSERT_TRUE(queue_grows_to(1, path)) << "created, and its answer lost";
    to_follower.set_mode(proxy_mode::pass);
    ASSERT_TRUE(eventually([&] { return told_follower.has(opcode::handshake); }));
    EXPECT_TRUE(beside.children(full(path)).empty()) << "it has not heard of the node";
    link().set_mode(proxy_mode::pass);

    const grant held = acquiring.get();
    ASSERT_TRUE(held.held());
    EXPECT_EQ(creates, 1);
    EXPECT_EQ(told_follower.count(opcode::create2, full(path)), 0) << "not made again";
    const std::ptrdiff_t written = told_follower.place_of(opcode::multi, root_);
    const std::ptrdiff_t listed = told_follower.place_of(opcode::get_children2, full(path));
    EXPECT_LT(written, listed);
    EXPECT_EQ(contenders(path), std::vector<std::string>{held.node().substr(path.size() + 1)});
    EXPECT_EQ(server_.look(root_ + held.node())->czxid, held.token().czxid);
  }
}

TEST_F(a_follower, f101_cut_off_from_its_leader_goes_on_answering_reads_and_keeps_no_hold_alive) {
  proxy way(zookeeper.port(follower));
  inspector beside(zookeeper.address(follower));
  session& cut_off = open_through(way, {.timeout = 2s});
  recursive_mutex first(cut_off, "/lock");
  recursive_mutex second(open(), "/lock");
  const grant held = first.acquire();
  ASSERT_TRUE(eventually([&] { return beside.look(root_ + held.node()).has_value(); }));
  auto waiting = in_a_thread([&] { return take_next(second); });
  ASSERT_TRUE(queue_grows_to(2));
  link().set_mode(proxy_mode::hold);
  const auto last_held = last_instant_of(held);
  const next_grant next = waiting.get();
  EXPECT_TRUE(beside.look(root_ + held.node())) << "it still answers, and knows of no other holder";
  EXPECT_LT(last_held, next.at);
  EXPECT_LE(last_held, held.valid_until());
  EXPECT_EQ(held.loss_reason(), loss_reason::deadline_passed);
  EXPECT_GT(next.taken.token(), held.token());
  EXPECT_TRUE(next.taken.held());
  link().set_mode(proxy_mode::pass);
}

// The follower may not have told the leader yet that the session lives: then its time runs from the ping before.
TEST_F(a_follower, f102_that_dies_with_its_answer_to_an_idle_clients_create_costs_the_hold_in_time) {
  constexpr std::chrono::milliseconds timeout = 3s;
  server_.create(full("/lock"));
  for (int round = 0; round < 2; ++round) {
    proxy way(zookeeper.port(follower));
    session only_there(way.address() + root_, {.timeout = timeout});
    recursive_mutex first(only_there, "/lock");
    recursive_mutex second(open(), "/lock");
    std::atomic<boot_clock::time_point> pinged{boot_clock::time_point{}};
    const pid_t victim = zookeeper.pid(follower);
    const hooks dying(
        way,
        [&](const request_frame& asked) {
          if (asked.opcode == opcode::ping || asked.opcode == opcode::sync) {
            pinged = boot_clock::now();
          }
          return verdict::pass;
        },
        [&](const reply_frame& answer) {
          if (answer.opcode == opcode::get_children2) {  // the create's answer has gone before
            ::kill(victim, SIGKILL);
          }
          return verdict::pass;
        });
    // Idle as long as it may be: just before the next heartbeat.
    ASSERT_TRUE(eventually([&] {
      const auto since = boot_clock::now() - pinged.load();
      return since > timeout / 5 - 100ms && since < timeout / 5;
    }));
    const grant held = first.acquire();
    auto waiting = in_a_thread([&] { return take_next(second); });
    expect_deadline_before_next(held, waiting);
    zookeeper.restart(follower);
  }
}

// The leader has heard of the session when it was asked to revalidate it, and not since. What is refused while the answer is
// awaited proves no more.
TEST_F(a_follower, f181_that_answers_a_connect_late_and_dies_costs_the_hold_in_time) {
  constexpr std::chrono::milliseconds timeout = 3s;
  proxy way(zookeeper.port(follower));
  session only_there(way.address() + root_, {.timeout = timeout, .tick = tick});
  recursive_mutex first(only_there, "/lock");
  recursive_mutex second(open(), "/lock");
  const grant held = first.acquire();
  auto waiting = in_a_thread([&] { return take_next(second); });
  ASSERT_TRUE(queue_grows_to(2));

  std::atomic<bool> connecting = false;
  std::atomic<bool> answered = false;
  const pid_t victim = zookeeper.pid(follower);
  const hooks dying(
      way,
      [&](const request_frame& asked) {
        connecting = connecting || asked.opcode == opcode::handshake;
        return verdict::pass;
      },
      [&](const reply_frame& answer) {
        if (connecting && answer.opcode == opcode::multi && !answered.exchange(true)) {
          ::kill(victim, SIGKILL);
        }
        return verdict::pass;
      });
  way.set_mode(proxy_mode::hold_replies);
  way.reset_clients();
  ASSERT_TRUE(eventually([&] { return connecting.load(); }));
  std::this_thread::sleep_for(timeout / 2);  // several beats; the client gives this server up after 2/3 of the timeout
  way.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] { return answered.load(); }));
  expect_deadline_before_next(held, waiting);
  zookeeper.restart(follower);
}

}  // namespace
}  // namespace zklock::test
