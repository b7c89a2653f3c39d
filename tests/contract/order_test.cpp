#include "tests/contract/contract_test.hpp"

#include <algorithm>

namespace zklock::contract {
namespace {

using namespace std::chrono_literals;

class order : public contract_test {};
ZKLOCK_ON_BOTH_SIDES(order);

TEST_P(order, replies_come_in_the_order_of_their_requests) {
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  lines expected;
  for (int i = 0; i < 50; ++i) {
    p.send(create(at("/n-"), create_mode::ephemeral_sequential));
    p.send(request::list{at("")});
    p.send(request::exists{at("/none")});
    p.send(request::sync{at("")});
    for (const code each : {code::ok, code::ok, code::no_node, code::ok}) {
      expected.push_back("reply " + std::to_string(expected.size() + 1) + " " + text(each));
    }
  }
  ASSERT_EQ(p.answer(200).code, code::ok);
  EXPECT_EQ(p.told(1), expected);
}

TEST_P(order, a_created_node_is_in_the_list_that_was_asked_for_right_behind_it) {
  peer p(ensemble());
  for (int i = 0; i < 100; ++i) {
    const auto made = p.send(create(at("/n-"), create_mode::ephemeral_sequential));
    const auto listed = p.send(request::list{at("")});
    const std::string name = p.answer(made).name.substr(at("/").size());
    const std::vector<std::string> children = p.answer(listed).children;
    ASSERT_NE(std::find(children.begin(), children.end(), name), children.end()) << name;
  }
}

TEST_P(order, a_new_name_replaces_the_old_one_when_both_requests_went_out_together) {
  peer p(ensemble());
  std::string old = p.ask(create(at("/n-"), create_mode::ephemeral_sequential)).name;
  for (int i = 0; i < 100; ++i) {
    p.send(request::remove{old});
    const auto made = p.send(create(at("/n-"), create_mode::ephemeral_sequential));
    const auto listed = p.send(request::list{at("")});
    const std::string fresh = p.answer(made).name;
    EXPECT_EQ(p.answer(listed).children, std::vector{fresh.substr(at("/").size())});
    old = fresh;
  }
}

TEST_P(order, f79_a_deleted_event_comes_before_the_first_reply_that_shows_the_node_gone) {
  peer watcher(ensemble(), 0);
  peer remover(ensemble(), 1);
  for (int round = 0; round < 30; ++round) {
    ASSERT_EQ(remover.ask(create(at("/n"))).code, code::ok);
    ASSERT_EQ(watcher.ask(request::sync{at("/n")}).code, code::ok);
    const client::watch_id watch = watcher.new_watch();
    ASSERT_EQ(watcher.ask(request::get{at("/n"), watch}).code, code::ok);
    const auto removed = remover.send(request::remove{at("/n")});
    client::request_id looked = 0;
    do {
      looked = watcher.send(request::exists{at("/n")});
    } while (watcher.answer(looked).code == code::ok);
    ASSERT_EQ(remover.answer(removed).code, code::ok);
    const std::string event = "event " + std::to_string(watch) + " deleted";
    ASSERT_TRUE(watcher.wait_for(event));
    EXPECT_LT(watcher.index_of(event), watcher.index_of("reply " + std::to_string(looked) + " ZNONODE"));
  }
}

TEST_P(order, on_a_loss_connecting_comes_before_the_failed_replies) {
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  ensemble().hold_replies(0);
  for (int i = 0; i < 3; ++i) p.send(request::sync{at("")});
  ensemble().refuse(0);
  ASSERT_EQ(p.answer(3).code, code::connection_loss);
  EXPECT_EQ(p.told(), (lines{"connected", "connecting", "reply 1 ZCONNECTIONLOSS", "reply 2 ZCONNECTIONLOSS",
                             "reply 3 ZCONNECTIONLOSS"}));
  ensemble().restore(0);
  EXPECT_TRUE(p.wait_connected(2));
}

TEST_P(order, on_a_reconnect_connected_comes_before_missed_events_and_those_before_replies) {
  peer other(ensemble(), 1);
  for (const char* name : {"/a", "/b", "/c"}) ASSERT_EQ(other.ask(create(at(name))).code, code::ok);
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  p.ask(request::sync{at("")});
  ASSERT_EQ(p.ask(request::get{at("/a"), p.new_watch()}).code, code::ok);
  ASSERT_EQ(p.ask(request::get{at("/b"), p.new_watch()}).code, code::ok);
  ASSERT_EQ(p.ask(request::exists{at("/d"), p.new_watch()}).code, code::no_node);
  ASSERT_EQ(p.ask(request::list{at("/c"), p.new_watch()}).code, code::ok);
  ASSERT_EQ(p.ask(request::list{at(""), p.new_watch()}).code, code::ok);
  drop_into_silence(p, 0);
  const std::size_t before = p.told_count();
  ASSERT_EQ(other.ask(request::remove{at("/a")}).code, code::ok);
  ASSERT_EQ(other.ask(request::set{at("/b"), "new"}).code, code::ok);
  ASSERT_EQ(other.ask(create(at("/d"))).code, code::ok);
  ASSERT_EQ(other.ask(create(at("/c/child"))).code, code::ok);
  const auto waiting = p.send(request::exists{at("/b")});  // sent as soon as the connection is there
  ensemble().restore(0);
  ASSERT_EQ(p.answer(waiting).code, code::ok);
  lines told = p.told(before);
  ASSERT_EQ(told.size(), 7U);
  EXPECT_EQ(told.front(), "connected");
  EXPECT_EQ(told.back(), "reply " + std::to_string(waiting) + " ZOK");
  std::sort(told.begin() + 1, told.end() - 1);
  EXPECT_EQ(lines(told.begin() + 1, told.end() - 1), (lines{"event 1 deleted", "event 2 changed", "event 3 created",
                                                            "event 4 children changed", "event 5 children changed"}));
}

TEST_P(order, expired_comes_before_the_replies_to_what_was_kept) {
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  drop_into_silence(p, 0);
  ensemble().expire_session(0);
  p.send(request::sync{at("")});
  p.send(create(at("/n")));
  ensemble().restore(0);
  ASSERT_EQ(p.answer(3).code, code::session_expired);
  EXPECT_EQ(p.told(), (lines{"connected", "connecting", "reply 1 ZCONNECTIONLOSS", "expired", "reply 2 ZSESSIONEXPIRED",
                             "reply 3 ZSESSIONEXPIRED"}));
  peer other(ensemble(), 1);
  EXPECT_EQ(other.ask(request::exists{at("/n")}).code, code::no_node) << "such a request is never executed";
}

TEST_P(order, an_observer_may_submit_from_within_a_call) {
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  p.when_answered = [&](client::request_id id) {
    if (id < 20) p.send(request::sync{at("")});
  };
  p.send(request::sync{at("")});
  EXPECT_EQ(p.answer(20).code, code::ok);
  EXPECT_EQ(p.told_count(), 21U);
}

}  // namespace
}  // namespace zklock::contract
