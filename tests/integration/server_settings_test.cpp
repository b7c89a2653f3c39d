// Servers whose settings refuse what a lock needs: each refusal ends the call, and says what can be done.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <string>
#include <string_view>

#include "tests/integration/on_a_server.hpp"
#include "tests/support/error_from.hpp"

namespace zklock::test {
namespace {

using test_support::error_from;

template <class What>
void expect_refused(errc code, std::string_view told, What what) {
  const auto [ec, text] = error_from(what);
  EXPECT_EQ(ec, code) << ec.message();
  EXPECT_NE(text.find(told), std::string::npos) << text;
}

struct holds_servers_with_local_sessions {
  test_support::private_zookeeper zookeeper{
      {.servers = 3, .configuration = {"localSessionsEnabled=true", "localSessionsUpgradingEnabled=false"}}};
};

class a_local_session : protected holds_servers_with_local_sessions, public on_a_server {
 protected:
  a_local_session() : on_a_server(zookeeper.address()) {}
};

// The leader says it in a code of its own; a follower passes a transaction on, of which the leader says that its session
// is over, although it lives.
TEST_F(a_local_session, f194_is_refused_one_lock_several_and_an_ephemeral_node_by_each_server) {
  constexpr std::string_view told = "(ZEPHEMERALONLOCALSESSION: the servers keep sessions local";
  server_.create(full("/there"));
  for (std::size_t server = 0; server < zookeeper.size(); ++server) {
    session& one = open_at(zookeeper.address(server));
    ASSERT_TRUE(one.wait_connected_for(patience));
    recursive_mutex orders(one, "/orders");
    recursive_mutex stock(one, "/stock");
    multi_lock both{orders, stock};
    expect_refused(errc::server_error, told, [&] { static_cast<void>(orders.try_acquire_for(patience)); });
    expect_refused(errc::server_error, told, [&] { static_cast<void>(both.try_acquire_for(patience)); });
    expect_refused(errc::server_error, "create /there/own " + std::string(told), [&] {
      one.transaction().set("/there", "x").create("/there/own", {}, zklock::create_mode::ephemeral).commit();
    });
    EXPECT_EQ(one.state(), session_state::connected) << "the session lives";
  }
  EXPECT_TRUE(server_.remove(full("/there")));
}

struct holds_a_server_that_demands_authentication {
  test_support::private_zookeeper zookeeper{
      {.configuration = {"enforce.auth.enabled=true", "enforce.auth.schemes=digest"}}};
};

class authentication : protected holds_a_server_that_demands_authentication, public on_a_server {
 protected:
  authentication() : on_a_server(zookeeper.address()) {}
};

TEST_F(authentication, f195_that_the_server_demands_is_told_by_each_call_of_a_session_without_it) {
  const auto expect_told = [this](auto what) {
    session one(zookeeper.address());
    ASSERT_TRUE(one.wait_connected_for(patience));
    expect_refused(errc::authentication_failed,
                   "(ZSESSIONCLOSEDREQUIRESASLAUTH: the servers demand credentials: session_options::auth",
                   [&] { what(one); });
  };
  expect_told([](session& one) { static_cast<void>(recursive_mutex(one, "/l").try_acquire_for(patience)); });
  expect_told([](session& one) {
    recursive_mutex orders(one, "/orders");
    recursive_mutex stock(one, "/stock");
    static_cast<void>(multi_lock{orders, stock}.try_acquire_for(patience));
  });
  expect_told([](session& one) { static_cast<void>(participants(one, "/l")); });
  expect_told([](session& one) { static_cast<void>(locks_below(one, "/")); });
  expect_told([](session& one) { one.transaction().create("/node").commit(); });
  recursive_mutex lock(open({.auth = credentials}), "/lock");
  EXPECT_TRUE(acquire_patiently(lock).held());
}

}  // namespace
}  // namespace zklock::test
