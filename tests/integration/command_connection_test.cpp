// zklock run: how it exits when ZooKeeper says no, or nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>
#include <vector>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

using clock = std::chrono::steady_clock;
using the_command = command_on_a_server;

TEST_F(the_command, exits_with_69_when_no_server_is_there) {
  const auto start = clock::now();
  running_command alone(zklock({"--connect", "127.0.0.1:1", "run", "/lock", "--", "true"}), here());
  EXPECT_EQ(alone.status(), 69);
  EXPECT_GE(clock::now() - start, 1s) << "it may be about to start";
  EXPECT_EQ(alone.errors(),
            "zklock: connect to 127.0.0.1:1 (127.0.0.1:1: Connection refused): no server answered in time\n");
}

TEST_F(the_command, exits_with_69_when_the_server_is_frozen) {
  proxy& way = new_proxy();
  way.set_mode(proxy_mode::hold);
  running_command waiting(zklock({"--connect", way.address(), "run", "--timeout", "300ms", "/lock", "--", "true"}),
                          here());
  EXPECT_EQ(waiting.status(), 69);
  EXPECT_TRUE(contains(waiting.errors(), way.address())) << waiting.errors();
}

TEST_F(the_command, f84_meets_the_server_that_answers_beside_a_silent_one) {
  for (const words& limit : {words{}, {"--timeout", "30s"}, {"--timeout", "0"}}) {
    std::vector<std::unique_ptr<running_command>> all;
    for (const std::string& servers : with_a_silent_server()) {
      words line{"--connect", servers, "run", "--session-timeout", "3s"};
      line.insert(line.end(), limit.begin(), limit.end());
      line.insert(line.end(), {"/lock" + std::to_string(all.size()), "--", "true"});
      all.push_back(std::make_unique<running_command>(zklock(line), here()));
    }
    for (const auto& one : all) {
      EXPECT_EQ(one->status(), 0) << ::testing::PrintToString(limit) << one->errors();
    }
  }
}

TEST_F(the_command, waits_for_a_server_as_long_as_timeout_says) {
  proxy& way = new_proxy();
  way.set_mode(proxy_mode::cut);
  const std::string servers = way.address() + root_;
  running_command early(zklock({"--connect", servers, "run", "--timeout", "30s", "/lock", "--", "true"}), here());
  running_command unlimited(zklock({"--connect", servers, "run", "/lock", "--", "true"}), here());
  EXPECT_EQ(unlimited.status(), 69) << "longer than it waits without a limit";
  EXPECT_TRUE(eventually([&] { return contains(early.errors(), "zklock: no server is in reach ("); }));
  EXPECT_FALSE(early.has_ended());
  way.set_mode(proxy_mode::pass);
  EXPECT_EQ(early.status(), 0) << early.errors();
}

TEST_F(the_command, that_waits_says_an_outage_once_and_then_whom_it_waits_for_now) {
  running_command first(zklock({"run", "--label", "first", "/lock", "--", "sleep", "600"}), here());
  ASSERT_TRUE(queue_grows_to(1));
  running_command second(zklock({"run", "--label", "second", "/lock", "--", "sleep", "600"}), here());
  ASSERT_TRUE(queue_grows_to(2));
  proxy& way = new_proxy();
  running_command waiter(zklock({"--connect", way.address() + root_, "run", "/lock", "--", "echo", "done"}), here());
  ASSERT_TRUE(eventually([&] { return contains(waiter.errors(), "held by \"first\""); })) << waiter.errors();
  way.set_mode(proxy_mode::cut);
  const std::string lost = "zklock: no server is in reach (" + way.address() + ": ";
  ASSERT_TRUE(eventually([&] { return contains(waiter.errors(), lost); })) << waiter.errors();
  first.send(SIGTERM);
  EXPECT_EQ(first.status(), 128 + SIGTERM);
  EXPECT_TRUE(eventually([&, before = way.accepted()] { return way.accepted() >= before + 3; }))
      << "it tries again and again";
  const std::string before = waiter.errors();
  EXPECT_TRUE(before.ends_with("; still trying\n")) << before;
  EXPECT_EQ(before.find(lost), before.rfind(lost)) << before;
  way.set_mode(proxy_mode::pass);
  ASSERT_TRUE(eventually([&] { return contains(waiter.errors(), "held by \"second\""); })) << waiter.errors();
  EXPECT_TRUE(waiter.errors().starts_with(before + "zklock: a server is in reach again\nzklock: waiting for /lock"))
      << waiter.errors();
  second.send(SIGTERM);
  EXPECT_EQ(second.status(), 128 + SIGTERM);
  EXPECT_EQ(waiter.status(), 0) << waiter.errors();
  EXPECT_EQ(waiter.output(), "done\n");
}

TEST_F(the_command, with_a_timeout_that_ends_in_an_outage_exits_with_69_and_says_so) {
  running_command holder(zklock({"run", "/lock", "--", "sleep", "600"}), here());
  ASSERT_TRUE(queue_grows_to(1));
  proxy& way = new_proxy();
  running_command limited(zklock({"--connect", way.address() + root_, "run", "--timeout", "8s", "--exit-status", "0",
                                  "/lock", "--", "true"}),
                          here());
  ASSERT_TRUE(eventually([&] { return contains(limited.errors(), "waiting for /lock"); })) << "it knows its place";
  way.set_mode(proxy_mode::cut);
  EXPECT_EQ(limited.status(), 69) << "it is not known whether another client holds: " << limited.errors();
  EXPECT_TRUE(
      contains(limited.errors(), "zklock: /lock: not granted within 8s; no server is in reach (" + way.address()))
      << limited.errors();
  holder.send(SIGTERM);
  EXPECT_EQ(holder.status(), 128 + SIGTERM);
}

TEST_F(the_command, f219_with_a_timeout_that_ends_in_silence_does_not_say_that_others_are_first) {
  running_command holder(zklock({"run", "/lock", "--", "sleep", "600"}), here());
  ASSERT_TRUE(queue_grows_to(1));
  proxy& way = new_proxy();
  running_command limited(zklock({"--connect", way.address() + root_, "run", "--session-timeout", "30s", "--timeout",
                                  "6s", "--exit-status", "0", "/lock", "--", "true"}),
                          here());
  ASSERT_TRUE(eventually([&] { return contains(limited.errors(), "waiting for /lock"); })) << "it knows its place";
  way.set_mode(proxy_mode::hold);  // for less than two thirds of 30 s: the session is still taken for connected
  EXPECT_EQ(limited.status(), 69) << "it is not known whether another client holds: " << limited.errors();
  EXPECT_TRUE(limited.errors().ends_with("zklock: /lock: not granted within 6s; no server has answered\n"))
      << limited.errors();
  holder.send(SIGTERM);
  EXPECT_EQ(holder.status(), 128 + SIGTERM);
}

TEST_F(the_command, f223_behind_a_crowd_asks_no_waiter_whether_others_are_first) {
  constexpr int crowd = 40;
  recursive_mutex lock(open(), "/lock");
  semaphore pool(open(), "/pool", 1);
  const grant held = lock.acquire();
  const grant permit = pool.permits(1).acquire();
  std::stop_source enough;
  for (int i = 0; i < crowd; ++i) {
    start_acquire(lock, {.stop = enough.get_token()}, [](std::error_code, const grant&) {});
    start_acquire(pool.permits(1), {.stop = enough.get_token()}, [](std::error_code, const grant&) {});
  }
  ASSERT_TRUE(queue_grows_to(crowd + 1));
  ASSERT_TRUE(eventually([&] { return contenders("/pool").size() > crowd; }));
  proxy& way = new_proxy();
  std::atomic<int> reads = 0;
  const hooks counting(way, [&reads](const request_frame& one) {
    reads += one.opcode == opcode::get ? 1 : 0;
    return verdict::pass;
  });
  for (const words& what : {words{"/lock"}, words{"--semaphore", "1", "/pool"}}) {
    words arguments{"--connect", way.address() + root_, "run", "--timeout", "0"};
    arguments.insert(arguments.end(), what.begin(), what.end());
    arguments.insert(arguments.end(), {"--", "true"});
    running_command refused(zklock(arguments), here());
    EXPECT_EQ(refused.status(), 75) << refused.errors();
    EXPECT_TRUE(contains(refused.errors(), "not granted at once; others are first")) << refused.errors();
    EXPECT_LE(reads.exchange(0), 4) << "what blocks it, and the limit";
  }
  enough.request_stop();
  touch_lock_node("/pool");
}

TEST_F(the_command, says_without_v_what_the_servers_have_made_of_the_session_timeout) {
  running_command cut(zklock({"run", "--session-timeout", "1h", "/lock", "--", "true"}), here());
  EXPECT_EQ(cut.status(), 0);
  EXPECT_TRUE(cut.errors().starts_with("zklock: session timeout: 1h was asked for, the servers grant "))
      << cut.errors();
  EXPECT_TRUE(cut.errors().ends_with(" at most\n")) << cut.errors();
  running_command leads(zklock({"elect", "--session-timeout", "1h", "/lead", "--", "true"}), here());
  EXPECT_EQ(leads.status(), 0);
  EXPECT_TRUE(contains(leads.errors(), "zklock: session timeout: 1h was asked for, the servers grant "))
      << leads.errors();
  running_command granted(zklock({"run", "--session-timeout", "3s", "/lock", "--", "true"}), here());
  EXPECT_EQ(granted.status(), 0);
  EXPECT_EQ(granted.errors(), "");
}

TEST_F(the_command, takes_an_ipv6_address_with_brackets_and_without) {
  for (const char* address : {"[::1]:1", "::1:1"}) {
    running_command alone(zklock({"--connect", address, "run", "/lock", "--", "true"}), here());
    EXPECT_EQ(alone.status(), 69);
    EXPECT_TRUE(contains(alone.errors(), "([::1]:1: ")) << alone.errors();
  }
}

TEST_F(the_command, runs_with_a_stdin_that_is_closed) {
  running_command closed({"sh", "-c", "\"$0\" run /lock -- echo done <&-", ZKLOCK_COMMAND}, here());
  EXPECT_EQ(closed.status(), 0) << closed.errors();
  EXPECT_EQ(closed.output(), "done\n");
}

TEST_F(the_command, exits_with_69_when_a_host_cannot_be_resolved) {
  running_command lost(zklock({"--connect", "no-such-host.invalid:2181", "run", "/lock", "--", "true"}), here());
  EXPECT_EQ(lost.status(), 69);
  EXPECT_TRUE(contains(lost.errors(), "no-such-host.invalid:2181")) << lost.errors();
}

TEST_F(the_command, exits_with_69_when_the_lock_node_is_ephemeral) {
  server_.create(full("/lock"), client::create_mode::ephemeral);
  running_command refused(holding("true"), here());
  EXPECT_EQ(refused.status(), 69);
  EXPECT_TRUE(refused.errors().starts_with("zklock: acquire /lock (ZNOCHILDRENFOREPHEMERALS, ")) << refused.errors();
  EXPECT_TRUE(contains(refused.errors(), "ephemeral")) << refused.errors();
  EXPECT_TRUE(contenders().empty());
  server_.remove(full("/lock"));
}

TEST_F(the_command, exits_with_69_when_it_may_not_create) {
  constexpr std::int32_t read_only = 1;
  constexpr std::int32_t everything = 31;
  server_.create(full("/lock"), client::create_mode::persistent,
                 {{read_only, "world", "anyone"}, {everything, "auth", ""}});
  running_command refused(holding("true"), here());
  EXPECT_EQ(refused.status(), 69);
  EXPECT_EQ(refused.errors(),
            "zklock: acquire /lock (ZNOAUTH, in the chroot " + root_ + "): an access list forbids it\n");
  EXPECT_TRUE(contenders().empty());
}

// Its servers never take its session again, and never say so.
TEST(a_waiting_command, f183_gets_the_lock_of_servers_that_have_lost_their_data) {
  test_support::private_zookeeper zookeeper;
  session before(zookeeper.connect_string(), {.timeout = 2s});
  recursive_mutex lock(before, "/lock");
  for (int round = 0; round < 150; ++round) {  // a history longer than that of the servers which come back
    static_cast<void>(lock.acquire());
  }
  const grant held = lock.acquire();
  running_command waiting({ZKLOCK_COMMAND, "--connect", zookeeper.connect_string(), "run", "--session-timeout", "2s",
                           "/lock", "--", "echo", "done"});
  ASSERT_TRUE(eventually([&] { return lock.queue().size() == 2; }));
  zookeeper.kill();
  std::filesystem::remove_all(zookeeper.data_directory() / "version-2");
  zookeeper.restart();
  EXPECT_EQ(waiting.status(), 0) << waiting.errors();
  EXPECT_EQ(waiting.output(), "done\n");
}

TEST_F(the_command, names_a_chroot_in_which_it_may_not_create_and_lists_nothing_there) {
  constexpr std::int32_t read_only = 1;
  server_.create(full("/closed"), client::create_mode::persistent, {{read_only, "world", "anyone"}});
  for (const std::string below : {"/closed", "/closed/new"}) {
    running_command::surroundings there;
    there.environment = {"ZKLOCK_CONNECT=" + connect_here() + below};
    running_command refused(holding("true"), there);
    EXPECT_EQ(refused.status(), 69);
    EXPECT_EQ(refused.errors(),
              "zklock: acquire /lock (ZNOAUTH, in the chroot " + full(below) + "): an access list forbids it\n");
    running_command listing(zklock({"ls", "/lock"}), there);
    EXPECT_EQ(listing.status(), 0);
    EXPECT_TRUE(contains(listing.errors(), "/lock: no client holds it")) << listing.errors();
  }
  EXPECT_TRUE(server_.children(full("/closed")).empty());
}

}  // namespace
}  // namespace zklock::test
