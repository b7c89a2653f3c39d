#include <zklock/testing/fake_ensemble.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <zklock/zklock.hpp>

#include "src/api/connector_access.hpp"
#include "src/port/client.hpp"
#include "tests/support/eventually.hpp"

namespace zklock::testing {
namespace {

namespace request = client::request;
using recipes::code;
using test_support::eventually;

/// Counts what it is told; may do something on a reply and when it is closed.
class counter final : public client::observer {
 public:
  void on_reply(client::request_id, const client::reply_view& answer) override {
    enter();
    ++replies;
    if (answer.code == code::ok) ++successes;
    if (on_each_reply) on_each_reply();
    inside_ = false;
  }
  void on_node_event(client::watch_id, client::node_event) override {
    enter();
    ++events;
    inside_ = false;
  }
  void on_session_event(const client::session_event& event) override {
    enter();
    if (event.state == client::connection_state::connected) ++connects;
    if (event.state == client::connection_state::expired) ++expiries;
    inside_ = false;
  }
  void on_closed(bool confirmed) override {
    enter();
    closed_confirmed = confirmed;
    inside_ = false;
    if (at_close) at_close();
    closed = true;
  }

  std::atomic<int> replies{0}, successes{0}, events{0}, connects{0}, expiries{0}, overlaps{0};
  std::atomic<bool> closed{false}, closed_confirmed{false};
  std::function<void()> on_each_reply;
  std::function<void()> at_close;

 private:
  void enter() {
    if (inside_.exchange(true)) ++overlaps;
  }
  std::atomic<bool> inside_{false};
};

request::create numbered(const char* path) {
  return {path, "", client::create_mode::ephemeral_sequential, {client::acl_entry{}}};
}

TEST(fake_ensemble, answers_many_threads_one_call_at_a_time) {
  fake_ensemble fake;
  counter told;
  const auto connection = detail::connector_access::servers(fake.clients())->open({}, told);
  std::atomic<client::request_id> last{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 250; ++i) connection->submit(++last, numbered("/n-"));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(eventually([&] { return told.replies == 1000; }));
  EXPECT_EQ(told.successes, 1000);
  EXPECT_EQ(told.overlaps, 0);
  EXPECT_EQ(fake.node_count(), 1000U);
  EXPECT_EQ(fake.request_count(), 1000U);
  connection->close();
  EXPECT_TRUE(eventually([&] { return told.closed.load(); }));
  EXPECT_TRUE(told.closed_confirmed);
  EXPECT_EQ(fake.node_count(), 0U);
  EXPECT_EQ(fake.session_count(), 0U);
  EXPECT_TRUE(eventually([&] { return fake.quiet(); }));
}

TEST(fake_ensemble, a_connection_may_be_destroyed_from_within_on_closed) {
  fake_ensemble fake;
  counter told;
  std::unique_ptr<client::connection> connection = detail::connector_access::servers(fake.clients())->open({}, told);
  told.at_close = [&] { connection.reset(); };
  connection->close();
  EXPECT_TRUE(eventually([&] { return told.closed.load(); }));
}

TEST(fake_ensemble, the_last_connection_may_go_on_the_callback_thread_after_the_ensemble_is_gone) {
  auto fake = std::make_unique<fake_ensemble>();
  counter told;
  std::unique_ptr<client::connection> connection = detail::connector_access::servers(fake->clients())->open({}, told);
  ASSERT_TRUE(eventually([&] { return told.connects == 1; }));
  fake.reset();
  told.at_close = [&] { connection.reset(); };
  connection->close();
  EXPECT_TRUE(eventually([&] { return told.closed.load(); }));
  EXPECT_FALSE(told.closed_confirmed);
}

TEST(fake_ensemble, ends_whatever_is_pending) {
  for (int round = 0; round < 50; ++round) {
    counter told;
    std::unique_ptr<client::connection> connection;
    {
      fake_ensemble fake;
      connection = detail::connector_access::servers(fake.clients())->open({}, told);
      for (client::request_id id = 1; id < 20; ++id) connection->submit(id, numbered("/n-"));
      if (round % 2 == 0) connection.reset();
    }
    connection.reset();  // nothing is told from here on: `told` goes
  }
}

TEST(fake_ensemble, an_observer_may_call_the_ensemble) {
  fake_ensemble fake;
  counter told;
  const auto connection = detail::connector_access::servers(fake.clients())->open({}, told);
  told.on_each_reply = [&] {
    if (told.replies == 1) fake.expire_sessions();
  };
  connection->submit(1, numbered("/n-"));
  EXPECT_TRUE(eventually([&] { return told.expiries == 1; }));
  EXPECT_EQ(fake.node_count(), 0U);
  connection->close();
  EXPECT_TRUE(eventually([&] { return told.closed.load(); }));
}

TEST(fake_ensemble, each_client_has_a_network_of_its_own_and_all_clients_includes_those_to_come) {
  fake_ensemble fake;
  counter first;
  counter second;
  const auto a = detail::connector_access::servers(fake.clients(1))->open({}, first);
  const auto b = detail::connector_access::servers(fake.clients(2))->open({}, second);
  ASSERT_TRUE(eventually([&] { return first.connects == 1 && second.connects == 1; }));
  fake.cut(1);
  EXPECT_TRUE(eventually([&] { return first.connects == 2; }));
  EXPECT_EQ(second.connects, 1);
  fake.refuse();
  counter third;
  const auto c = detail::connector_access::servers(fake.clients(3))->open({}, third);
  c->submit(1, request::sync{"/"});
  EXPECT_TRUE(eventually([&] { return third.replies == 1; }));
  EXPECT_EQ(third.successes, 0);
  fake.restore();
  EXPECT_TRUE(eventually([&] { return first.connects == 3 && second.connects == 2 && third.connects == 1; }));
  for (client::connection* each : {a.get(), b.get(), c.get()}) each->close();
  EXPECT_TRUE(eventually([&] { return first.closed && second.closed && third.closed; }));
}

TEST(fake_ensemble, an_operator_sees_and_removes_nodes) {
  fake_ensemble fake;
  counter told;
  const auto connection = detail::connector_access::servers(fake.clients())->open({}, told);
  ASSERT_TRUE(fake.create_node("/l", "", true));
  EXPECT_FALSE(fake.create_node("/none/l"));
  connection->submit(1, numbered("/l/n-"));
  connection->submit(2, request::get{"/l/n-0000000000", 7});
  ASSERT_TRUE(eventually([&] { return told.successes == 2; }));
  EXPECT_EQ(fake.children("/l"), std::vector<std::string>{"n-0000000000"});
  EXPECT_EQ(fake.watch_count(), 1U);
  EXPECT_FALSE(fake.remove_node("/l")) << "not empty";
  EXPECT_TRUE(fake.remove_node("/l/n-0000000000"));
  EXPECT_TRUE(eventually([&] { return told.events == 1; }));
  EXPECT_EQ(fake.watch_count(), 0U);
  EXPECT_EQ(fake.reap_containers(), 1);
  EXPECT_FALSE(fake.exists("/l"));
  connection->close();
  EXPECT_TRUE(eventually([&] { return told.closed.load(); }));
}

TEST(fake_ensemble, a_test_reads_what_a_program_wrote_and_writes_what_it_checks) {
  fake_ensemble zookeeper;
  session here(zookeeper.clients());
  recursive_mutex orders(here, "/locks/orders");
  const grant g = orders.acquire();
  EXPECT_EQ(zookeeper.data("/next"), std::nullopt);
  here.transaction().guarded_by(g).create("/next", "7").commit();
  EXPECT_EQ(zookeeper.data("/next"), "7");
  EXPECT_TRUE(zookeeper.set_data("/next", "8"));
  EXPECT_EQ(zookeeper.data("/next"), "8");
  std::error_code ec;
  here.transaction().guarded_by(g).set("/next", "9", 0).commit(ec);
  EXPECT_EQ(ec, errc::version_mismatch) << "it has another version since the test wrote to it";
  EXPECT_FALSE(zookeeper.set_data("/none", "x"));
  EXPECT_FALSE(zookeeper.set_data("no path", "x"));
}

TEST(fake_ensemble, three_servers_replace_a_dead_leader) {
  fake_ensemble fake({.servers = 3});
  counter told;
  const auto connection = detail::connector_access::servers(fake.clients(0, 1))->open({}, told);
  connection->submit(1, numbered("/n-"));
  ASSERT_TRUE(eventually([&] { return told.successes == 1; }));
  EXPECT_EQ(fake.leader(), 0);
  fake.kill(0);
  EXPECT_TRUE(eventually([&] { return told.connects == 2; }));
  EXPECT_NE(fake.leader(), 0);
  EXPECT_EQ(fake.node_count(), 1U);
  connection->close();
  EXPECT_TRUE(eventually([&] { return told.closed.load(); }));
}

}  // namespace
}  // namespace zklock::testing
