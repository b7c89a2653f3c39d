#include "tests/support/proxy.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <zookeeper/zookeeper.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <string>
#include <thread>

#include "tests/support/eventually.hpp"
#include "tests/support/loopback.hpp"
#include "tests/support/private_zookeeper.hpp"

namespace zklock::test_support {
namespace {

using namespace std::chrono_literals;

/// Sends back what it gets, for one connection after the other.
class echo_server {
 public:
  echo_server() : listener_(listen_on_loopback()), thread_([this] { run(); }) {}
  ~echo_server() {
    stopping_ = true;
    thread_.join();
  }
  echo_server(const echo_server&) = delete;
  echo_server& operator=(const echo_server&) = delete;
  [[nodiscard]] std::uint16_t port() const { return local_port(listener_); }
  [[nodiscard]] std::size_t heard() const { return heard_; }

 private:
  void run() {
    while (!stopping_) {
      pollfd entry{listener_.get(), POLLIN, 0};
      if (::poll(&entry, 1, 10) != 1) continue;
      const descriptor peer(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      echo(peer);
    }
  }
  void echo(const descriptor& peer) {
    std::array<char, 4096> chunk{};
    while (!stopping_) {
      pollfd entry{peer.get(), POLLIN, 0};
      if (::poll(&entry, 1, 10) != 1) continue;
      const ssize_t count = ::recv(peer.get(), chunk.data(), chunk.size(), 0);
      if (count <= 0) return;
      heard_ += static_cast<std::size_t>(count);
      ::send(peer.get(), chunk.data(), static_cast<std::size_t>(count), MSG_NOSIGNAL);
    }
  }

  descriptor listener_;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> heard_ = 0;
  std::thread thread_;
};

struct proxy_to_echo : testing::Test {
  echo_server server;
  proxy between{server.port(), proxy::protocol::bytes};
  descriptor client = connect_to_loopback(between.port());

  void say(std::string_view words) const {
    ASSERT_EQ(::send(client.get(), words.data(), words.size(), MSG_NOSIGNAL), static_cast<ssize_t>(words.size()));
  }
  /// What comes back within the limit.
  [[nodiscard]] std::string hear(std::size_t size, std::chrono::milliseconds limit = 30s) const {
    std::string heard;
    while (heard.size() < size) {
      pollfd entry{client.get(), POLLIN, 0};
      std::array<char, 64> chunk{};
      if (::poll(&entry, 1, static_cast<int>(limit.count())) != 1) return heard;
      const ssize_t count = ::recv(client.get(), chunk.data(), chunk.size(), 0);
      if (count <= 0) return heard;
      heard.append(chunk.data(), static_cast<std::size_t>(count));
    }
    return heard;
  }
  /// Waits for the end of the connection; true when it was a reset.
  [[nodiscard]] bool was_reset() const {
    char byte = 0;
    return ::recv(client.get(), &byte, 1, 0) < 0 && errno == ECONNRESET;
  }
};

TEST_F(proxy_to_echo, passes_what_comes_in_both_directions) {
  say("hello");
  EXPECT_EQ(hear(5), "hello");
  EXPECT_EQ(between.accepted(), 1U);
  EXPECT_EQ(between.open(), 1U);
}

TEST_F(proxy_to_echo, tells_the_server_that_the_client_has_hung_up) {
  say("hello");
  EXPECT_EQ(hear(5), "hello");
  client.reset();
  EXPECT_TRUE(eventually([&] { return between.open() == 0; }));
}

TEST_F(proxy_to_echo, holds_everything_and_delivers_it_later) {
  between.set_mode(proxy_mode::hold);
  say("hello");
  EXPECT_EQ(hear(5, 50ms), "");
  between.set_mode(proxy_mode::pass);
  EXPECT_EQ(hear(5), "hello");
}

TEST_F(proxy_to_echo, holds_one_direction_only) {
  say("one");
  EXPECT_EQ(hear(3), "one");
  between.set_mode(proxy_mode::hold_replies);
  say("two");
  EXPECT_EQ(hear(3, 50ms), "");
  EXPECT_TRUE(eventually([&] { return server.heard() == 6; }));
  between.set_mode(proxy_mode::hold_requests);
  EXPECT_EQ(hear(3), "two");
  say("three");
  EXPECT_EQ(hear(5, 50ms), "");
  between.set_mode(proxy_mode::pass);
  EXPECT_EQ(hear(5), "three");
}

TEST_F(proxy_to_echo, cut_resets_what_is_open_and_what_comes) {
  say("hello");
  EXPECT_EQ(hear(5), "hello");
  between.set_mode(proxy_mode::cut);
  EXPECT_TRUE(was_reset());
  client = connect_to_loopback(between.port());
  EXPECT_TRUE(was_reset());
  between.set_mode(proxy_mode::pass);
  client = connect_to_loopback(between.port());
  say("again");
  EXPECT_EQ(hear(5), "again");
}

TEST_F(proxy_to_echo, cut_now_resets_what_is_open_only) {
  say("hello");
  EXPECT_EQ(hear(5), "hello");
  between.cut_now();
  EXPECT_TRUE(was_reset());
  client = connect_to_loopback(between.port());
  say("again");
  EXPECT_EQ(hear(5), "again");
}

TEST_F(proxy_to_echo, reset_clients_leaves_the_servers_end_open_and_silent) {
  say("hello");
  EXPECT_EQ(hear(5), "hello");
  between.reset_clients();
  EXPECT_TRUE(was_reset());
  EXPECT_EQ(between.open(), 1U);
  EXPECT_EQ(server.heard(), 5U);
  between.cut_now();
  EXPECT_EQ(between.open(), 0U);
}

TEST_F(proxy_to_echo, refuse_resets_what_comes_only) {
  say("one");
  EXPECT_EQ(hear(3), "one");
  between.set_mode(proxy_mode::refuse);
  say("two");
  EXPECT_EQ(hear(3), "two");
  client = connect_to_loopback(between.port());
  EXPECT_TRUE(was_reset());
}

TEST_F(proxy_to_echo, on_bytes_sees_what_the_client_says) {
  std::string seen;
  between.on_bytes([&](std::string_view bytes) { seen += bytes; });
  say("hello");
  EXPECT_EQ(hear(5), "hello");
  between.on_bytes({});
  EXPECT_EQ(seen, "hello");
}

TEST_F(proxy_to_echo, delay_keeps_the_order_and_takes_its_time) {
  between.set_delay(30ms);
  const auto start = std::chrono::steady_clock::now();
  say("one");
  say("two");
  EXPECT_EQ(hear(6), "onetwo");
  EXPECT_GE(std::chrono::steady_clock::now() - start, 60ms);
}

TEST(proxy, resets_the_client_when_there_is_no_server) {
  std::uint16_t unused_port = 0;
  {
    const descriptor listener = listen_on_loopback();
    unused_port = local_port(listener);
  }
  const proxy between(unused_port);
  const descriptor client = connect_to_loopback(between.port());
  char byte = 0;
  EXPECT_LE(::recv(client.get(), &byte, 1, 0), 0);
}

TEST(proxy, keeps_a_client_for_as_long_as_it_is_told_to_be_patient) {
  const descriptor later(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  ASSERT_EQ(::bind(later.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  proxy between(local_port(later), proxy::protocol::bytes);
  between.set_patience(30s);
  const descriptor client = connect_to_loopback(between.port());
  EXPECT_TRUE(eventually([&] { return between.accepted() == 1; }));
  EXPECT_EQ(between.open(), 0U);
  ASSERT_EQ(::listen(later.get(), 1), 0);
  EXPECT_TRUE(eventually([&] { return between.open() == 1; }));
}

/// A C client behind a proxy to the real server.
struct proxy_to_zookeeper : testing::Test {
  std::uint16_t server_port = ports_of(shared_zookeeper()).front();
  proxy between{server_port};
  zhandle_t* client = nullptr;
  std::string path;

  proxy_to_zookeeper() {
    zoo_set_debug_level(static_cast<ZooLogLevel>(0));
    client = zookeeper_init(between.address().c_str(), nullptr, 4000, nullptr, nullptr, 0);
    std::array<char, 64> name{};
    EXPECT_EQ(zoo_create(client, "/proxy-test-", "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_PERSISTENT_SEQUENTIAL, name.data(),
                         static_cast<int>(name.size())),
              ZOK);
    path = name.data();
  }
  ~proxy_to_zookeeper() override {
    between.on_request({});
    between.on_reply({});
    EXPECT_EQ(until_connected([&] { return zoo_delete(client, path.c_str(), -1); }), ZOK);
    zookeeper_close(client);
  }

  int create(const std::string& name) {
    return zoo_create(client, (path + name).c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL, nullptr, 0);
  }
  /// Repeats what failed only for want of a connection.
  template <class Call>
  static int until_connected(Call call) {
    int rc = ZCONNECTIONLOSS;
    EXPECT_TRUE(eventually([&] {
      rc = call();
      return rc != ZCONNECTIONLOSS && rc != ZOPERATIONTIMEOUT;
    }));
    return rc;
  }
  bool exists(const std::string& name) {
    return until_connected([&] { return zoo_exists(client, (path + name).c_str(), 0, nullptr); }) == ZOK;
  }
  void remove(const std::string& name) {
    EXPECT_EQ(until_connected([&] { return zoo_delete(client, (path + name).c_str(), -1); }), ZOK);
  }
};

TEST_F(proxy_to_zookeeper, hooks_see_the_handshake_and_each_request_with_its_reply) {
  std::vector<std::string> seen;
  const auto text = [](auto& frame) { return std::to_string(frame.opcode) + frame.path; };
  between.on_request([&](const request_frame& request) {
    if (request.opcode != opcode::ping) seen.push_back("> " + text(request));
    return verdict::pass;
  });
  between.on_reply([&](const reply_frame& reply) {
    if (reply.opcode != opcode::ping) seen.push_back("< " + text(reply) + " " + std::to_string(reply.err));
    return verdict::pass;
  });
  between.cut_now();
  EXPECT_EQ(until_connected([&] { return create("/a"); }), ZOK);
  EXPECT_EQ(create("/a"), ZNODEEXISTS);
  between.on_request({});
  between.on_reply({});
  const std::string node = path + "/a";
  EXPECT_EQ(seen, (std::vector<std::string>{"> 0", "< 0 0", "> 1" + node, "< 1" + node + " 0", "> 1" + node,
                                            "< 1" + node + " -110"}));
  remove("/a");
}

TEST_F(proxy_to_zookeeper, cut_before_a_create_means_that_it_was_not_applied) {
  between.on_request([](const request_frame& request) {
    return opcode::creates(request.opcode) ? verdict::cut_before : verdict::pass;
  });
  EXPECT_EQ(create("/a"), ZCONNECTIONLOSS);
  EXPECT_FALSE(exists("/a"));
}

TEST_F(proxy_to_zookeeper, cut_after_a_create_means_that_it_was_applied_and_the_reply_lost) {
  std::atomic<std::int32_t> err = 1;
  between.on_request([](const request_frame& request) {
    return opcode::creates(request.opcode) ? verdict::cut_after : verdict::pass;
  });
  between.on_reply([&](const reply_frame& reply) {
    if (opcode::creates(reply.opcode)) err = reply.err;
    return verdict::pass;
  });
  EXPECT_EQ(create("/a"), ZCONNECTIONLOSS);
  EXPECT_EQ(err, 0);  // applied, as the reply says that the client never gets
  EXPECT_TRUE(exists("/a"));
  remove("/a");
}

TEST_F(proxy_to_zookeeper, cut_in_place_of_a_reply_loses_it) {
  between.on_reply(
      [](const reply_frame& reply) { return opcode::creates(reply.opcode) ? verdict::cut_before : verdict::pass; });
  EXPECT_EQ(create("/a"), ZCONNECTIONLOSS);
  EXPECT_TRUE(exists("/a"));
  remove("/a");
}

TEST_F(proxy_to_zookeeper, cut_after_a_reply_delivers_it) {
  between.on_reply(
      [](const reply_frame& reply) { return opcode::creates(reply.opcode) ? verdict::cut_after : verdict::pass; });
  const std::size_t before = between.accepted();
  EXPECT_EQ(create("/a"), ZOK);
  EXPECT_TRUE(eventually([&] { return between.accepted() > before; }));
  remove("/a");
}

TEST_F(proxy_to_zookeeper, expire_session_ends_the_session_seen_last) {
  EXPECT_EQ(create("/a"), ZOK);
  between.set_mode(proxy_mode::cut);
  expire_session(server_port, between.last_session());
  between.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] { return zoo_state(client) == ZOO_EXPIRED_SESSION_STATE; }));
  zookeeper_close(client);
  client = zookeeper_init(between.address().c_str(), nullptr, 4000, nullptr, nullptr, 0);
  EXPECT_FALSE(exists("/a"));
  EXPECT_THROW(expire_session(server_port, {.id = 1, .password = std::string(16, 'x')}), std::runtime_error);
}

}  // namespace
}  // namespace zklock::test_support
