#include "tests/support/private_zookeeper.hpp"

#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zookeeper/zookeeper.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "tests/support/eventually.hpp"
#include "tests/support/four_letter_word.hpp"
#include "tests/support/proxy.hpp"

namespace zklock::test_support {
namespace {

using namespace std::chrono_literals;

bool alive(pid_t pid) { return std::filesystem::exists("/proc/" + std::to_string(pid) + "/exe"); }

TEST(private_zookeeper, serves_when_it_is_constructed_and_is_gone_when_destroyed) {
  pid_t pid = 0;
  std::uint16_t port = 0;
  {
    const private_zookeeper server;
    EXPECT_EQ(server.size(), 1U);
    EXPECT_EQ(server.connect_string(), server.address());
    EXPECT_EQ(server.ask("ruok"), "imok");
    EXPECT_NE(server.ask("mntr").find("zk_server_state\tstandalone"), std::string::npos);
    pid = server.pid();
    port = server.port();
  }
  EXPECT_TRUE(eventually([&] { return !alive(pid); }));
  EXPECT_EQ(ask_server(port, "ruok"), "");
}

TEST(private_zookeeper, a_stopped_server_answers_nothing_until_it_continues) {
  private_zookeeper server;
  server.stop();
  EXPECT_EQ(ask_server(server.port(), "ruok", 200ms), "");
  server.cont();
  EXPECT_TRUE(eventually([&] { return server.ask("ruok") == "imok"; }));
}

TEST(private_zookeeper, three_servers_elect_a_leader_and_another_when_it_is_killed) {
  private_zookeeper servers({.servers = 3});
  ASSERT_EQ(servers.size(), 3U);
  const auto first = servers.leader();
  ASSERT_TRUE(first);
  servers.kill(*first);
  EXPECT_EQ(servers.ask("ruok", *first), "");
  EXPECT_TRUE(eventually([&] { return servers.leader().has_value(); }));
  EXPECT_NE(servers.leader(), first);
  servers.restart(*first);
  EXPECT_EQ(servers.ask("ruok", *first), "imok");
}

TEST(private_zookeeper, a_follower_can_be_cut_off_from_its_leader_and_comes_back) {
  private_zookeeper servers({.servers = 3, .quorum_links = true});
  const auto leader = servers.leader();
  ASSERT_TRUE(leader);
  const std::size_t follower = (*leader + 1) % 3;
  const auto follows = [&] { return servers.ask("srvr", follower).find("Mode: follower") != std::string::npos; };
  EXPECT_TRUE(follows());
  servers.quorum_link(follower, *leader).set_mode(proxy_mode::cut);
  EXPECT_TRUE(eventually([&] { return !follows(); }));
  EXPECT_EQ(servers.leader(), leader) << "the others go on";
  servers.quorum_link(follower, *leader).set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually(follows));
}

int granted_timeout(const private_zookeeper& server, std::chrono::milliseconds asked) {
  zoo_set_debug_level(static_cast<ZooLogLevel>(0));
  zhandle_t* client =
      zookeeper_init(server.address().c_str(), nullptr, static_cast<int>(asked.count()), nullptr, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return zoo_state(client) == ZOO_CONNECTED_STATE; }));
  const int granted = zoo_recv_timeout(client);
  zookeeper_close(client);
  return granted;
}

TEST(private_zookeeper, bounds_session_timeouts_from_its_next_start_on) {
  private_zookeeper server;
  server.set_session_timeouts(timeout_bounds{.least = 3s, .most = 4s});
  server.restart();
  EXPECT_EQ(granted_timeout(server, 20s), 4000);
  EXPECT_EQ(granted_timeout(server, 1s), 3000);
  server.set_session_timeouts(std::nullopt);
  server.restart();
  EXPECT_EQ(granted_timeout(server, 20s), 20'000);
  EXPECT_EQ(granted_timeout(server, 1s), 1000);
}

TEST(private_zookeeper, one_server_alone_of_three_runs_without_serving) {
  private_zookeeper servers({.servers = 3});
  for (std::size_t server = 0; server < 3; ++server) servers.kill(server);
  servers.restart(1, false);
  EXPECT_TRUE(alive(servers.pid(1)));
  EXPECT_EQ(servers.leader(), std::nullopt);
}

TEST(private_zookeeper, goes_with_a_program_that_is_killed) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t program = ::fork();
  ASSERT_GE(program, 0);
  if (program == 0) {
    const private_zookeeper server;
    const pid_t pid = server.pid();
    if (::write(ends[1], &pid, sizeof pid) != sizeof pid) ::_exit(1);
    for (;;) ::pause();
  }
  pid_t server = 0;
  ASSERT_EQ(::read(ends[0], &server, sizeof server), static_cast<ssize_t>(sizeof server));
  EXPECT_TRUE(alive(server));
  ::kill(program, SIGKILL);
  ::waitpid(program, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return !alive(server); }));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(private_zookeeper, says_what_the_script_said_when_it_fails) {
  try {
    const private_zookeeper servers({.servers = 2});
    FAIL() << "there is no ensemble of two";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("--servers takes 1 or 3, not '2'"), std::string::npos) << error.what();
  }
}

TEST(shared_zookeeper, serves) {
  const auto ports = ports_of(shared_zookeeper());
  ASSERT_EQ(ports.size(), 1U);
  EXPECT_EQ(ask_server(ports.front(), "ruok"), "imok");
}

TEST(ports_of, reads_each_address_and_refuses_one_without_a_port) {
  EXPECT_EQ(ports_of("127.0.0.1:2181,127.0.0.1:2182"), (std::vector<std::uint16_t>{2181, 2182}));
  EXPECT_THROW((void)ports_of("127.0.0.1"), std::invalid_argument);
  EXPECT_THROW((void)ports_of("127.0.0.1:x"), std::invalid_argument);
}

}  // namespace
}  // namespace zklock::test_support
