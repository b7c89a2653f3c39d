// What goes wrong between one client and its server, on the model of an ensemble.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "tests/unit/testing/model_diary.hpp"

namespace zklock::testing {
namespace {

namespace request = client::request;
using client::create_mode;
using namespace std::chrono_literals;

TEST(ensemble_model, a_request_lost_before_it_was_applied_leaves_nothing) {
  ensemble e;
  program p(e);
  ASSERT_TRUE(e.settle());
  p.told.take();
  p.ask(1, request::create{"/a", "", create_mode::persistent, {client::acl_entry{}}});
  e.apply({fault_kind::request_lost, 0, e.faults().front().handle, 0});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(p.told.take(), (lines{"connecting", "reply 1 ZCONNECTIONLOSS", "connected"}));
  EXPECT_FALSE(e.exists("/a"));
}

TEST(ensemble_model, a_request_applied_whose_reply_is_lost_leaves_its_node) {
  ensemble e;
  program p(e);
  ASSERT_TRUE(e.settle());
  p.told.take();
  p.ask(1, request::create{"/a", "", create_mode::persistent, {client::acl_entry{}}});
  e.apply({fault_kind::request_reply_lost, 0, e.faults().front().handle, 0});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(p.told.take(), (lines{"connecting", "reply 1 ZCONNECTIONLOSS", "connected"}));
  EXPECT_TRUE(e.exists("/a"));
}

TEST(ensemble_model, each_kind_of_fault_is_offered_in_some_state) {
  std::set<fault_kind> offered;
  const auto note = [&](const ensemble& e) {
    for (const fault& f : e.faults()) {
      offered.insert(f.kind);
      EXPECT_FALSE(e.describe(f).empty());
    }
  };
  ensemble e({.servers = 3});
  program p(e, 0, 1);
  ASSERT_TRUE(e.settle());
  p.ask(1, request::create{"/c", "", create_mode::container, {client::acl_entry{}}});
  note(e);
  perform_all(e, step_kind::serve);
  perform_all(e, step_kind::lead);
  perform_all(e, step_kind::follow);
  note(e);
  p.ask(2, request::create{"/c/x", "", create_mode::persistent, {client::acl_entry{}}});
  p.ask(3, request::remove{"/c/x"});
  ASSERT_TRUE(e.settle());
  note(e);
  e.control().stop_server(1);
  e.control().lag_follower(2);
  e.network().hold(0, true, true);
  note(e);
  EXPECT_EQ(offered.size(), static_cast<std::size_t>(fault_kinds));
}

TEST(ensemble_model, a_throttled_request_is_refused_alone_in_its_place) {
  ensemble e;
  program p(e);
  ASSERT_TRUE(e.settle());
  p.told.take();
  p.ask(1, request::create{"/a", "", create_mode::persistent, {client::acl_entry{}}});
  p.ask(2, request::create{"/b", "", create_mode::persistent, {client::acl_entry{}}});
  for (const fault& f : e.faults()) {
    if (f.kind == fault_kind::request_throttled) {
      e.apply(f);
    }
  }
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(p.told.take(), (lines{"reply 1 ZTHROTTLEDOP", "reply 2 ZOK"}));
  EXPECT_FALSE(e.exists("/a"));
}

TEST(ensemble_model, a_server_that_hears_nothing_neither_executes_nor_refuses) {
  ensemble e;
  program p(e);
  ASSERT_TRUE(e.settle());
  p.ask(1, request::create{"/a", "", create_mode::persistent, {client::acl_entry{}}});
  const auto offered = [&](fault_kind kind) {
    const std::vector<fault> all = e.faults();
    return std::any_of(all.begin(), all.end(), [kind](const fault& one) { return one.kind == kind; });
  };
  const auto executes_or_refuses = [&] {
    EXPECT_EQ(offered(fault_kind::request_reply_lost), offered(fault_kind::request_throttled));
    return offered(fault_kind::request_throttled);
  };
  EXPECT_TRUE(executes_or_refuses());
  e.network().hold(0, true, false);
  EXPECT_FALSE(executes_or_refuses());
  e.network().hold(0, false, false);
  e.control().stop_server(0);
  EXPECT_FALSE(executes_or_refuses());
  EXPECT_TRUE(offered(fault_kind::request_lost));
  e.control().continue_server(0);
  EXPECT_TRUE(executes_or_refuses());
}

TEST(ensemble_model, silence_ends_a_connection_at_two_thirds_of_the_timeout_and_a_session_at_its_end) {
  ensemble e;
  program p(e);
  ASSERT_TRUE(e.settle());
  p.told.take();
  p.ask(1, request::create{"/a", "", create_mode::ephemeral, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.network().hold(0, true, true);
  p.ask(2, request::sync{"/"});
  pass_time(e, 3999ms);
  EXPECT_TRUE(p.told.lines.empty());
  pass_time(e, 1ms);
  EXPECT_EQ(p.told.take(), (lines{"connecting", "reply 2 ZOPERATIONTIMEOUT"}));
  pass_time(e, 1999ms);
  EXPECT_TRUE(e.exists("/a"));
  pass_time(e, 501ms);
  EXPECT_FALSE(e.exists("/a"));
  EXPECT_TRUE(e.view().sessions().empty());
  e.network().hold(0, false, false);
  pass_time(e, 4s);
  EXPECT_EQ(p.told.take(), lines{"expired"});
}

TEST(ensemble_model, a_held_request_may_be_executed_long_after_its_client_has_given_it_up) {
  ensemble e;
  program p(e);
  ASSERT_TRUE(e.settle());
  e.network().hold(0, true, true);
  p.ask(1, request::create{"/late", "", create_mode::persistent, {client::acl_entry{}}});
  pass_time(e, 4s);
  EXPECT_EQ(p.told.take(), (lines{"connected", "connecting", "reply 1 ZOPERATIONTIMEOUT"}));
  e.network().hold(0, false, false);
  const std::vector<step> next = e.steps();
  const step* late = find(next, step_kind::serve);
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(e.describe(*late), "c0 -> s0: create /late (late)");
  e.perform(*late);
  EXPECT_TRUE(e.exists("/late"));
}

TEST(ensemble_model, lost_replies_keep_a_blind_client_in_its_session_for_ever) {
  ensemble e;
  program p(e);
  ASSERT_TRUE(e.settle());
  p.ask(1, request::create{"/a", "", create_mode::ephemeral, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  e.network().hold(0, false, true);
  pass_time(e, 60s);
  EXPECT_TRUE(e.exists("/a"));
  EXPECT_EQ(p.told.lines.back(), "connecting");
}

TEST(ensemble_model, missed_events_may_come_in_any_order_but_before_the_replies) {
  std::set<lines> orders;
  for (std::size_t choice = 0; choice < 6; ++choice) {
    ensemble e;
    for (const char* path : {"/a", "/b", "/c"}) ASSERT_TRUE(e.administrator().create_node(path));
    program p(e);
    p.ask(1, request::get{"/a", 1});
    p.ask(2, request::get{"/b", 2});
    p.ask(3, request::get{"/c", 3});
    ASSERT_TRUE(e.settle());
    e.network().refuse(0, true);
    e.network().cut(0);
    for (const char* path : {"/a", "/b", "/c"}) ASSERT_TRUE(e.administrator().remove_node(path));
    ASSERT_TRUE(e.settle());
    e.network().refuse(0, false);
    e.advance(1s);
    p.ask(4, request::sync{"/"});
    p.told.take();
    perform_all(e, step_kind::connect);
    e.perform(e.steps().front());
    perform_all(e, step_kind::serve);
    std::vector<step> free = e.steps();
    ASSERT_EQ(free.size(), 3U);
    e.perform(free[choice % 3]);
    free = e.steps();
    ASSERT_EQ(free.size(), 2U);
    e.perform(free[choice / 3]);
    ASSERT_TRUE(e.settle());
    ASSERT_EQ(p.told.lines.size(), 5U);
    EXPECT_EQ(p.told.lines.front(), "connected");
    EXPECT_EQ(p.told.lines.back(), "reply 4 ZOK");
    orders.insert(p.told.lines);
  }
  EXPECT_EQ(orders.size(), 6U);
}

TEST(ensemble_model, a_crashed_client_hears_nothing_and_its_session_runs_out) {
  ensemble e;
  program p(e);
  p.ask(1, request::create{"/a", "", create_mode::ephemeral, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.network().crash(0);
  pass_time(e, 5s);
  EXPECT_TRUE(e.exists("/a"));
  pass_time(e, 2s);
  EXPECT_FALSE(e.exists("/a"));
  EXPECT_TRUE(p.told.lines.empty());
}

}  // namespace
}  // namespace zklock::testing
