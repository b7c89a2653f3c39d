// Several servers, of which one leads and others may lag, on the model of an ensemble.
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/testing/model_diary.hpp"

namespace zklock::testing {
namespace {

namespace request = client::request;
using client::create_mode;
using namespace std::chrono_literals;

TEST(ensemble_model, an_idle_client_keeps_its_session_by_pings_through_a_follower) {
  ensemble e({.servers = 3});
  program p(e, 0, 2);
  ASSERT_TRUE(e.settle());
  p.ask(1, request::create{"/a", "", create_mode::ephemeral, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  pass_time(e, 60s);
  EXPECT_TRUE(e.exists("/a"));
  EXPECT_EQ(p.told.take(), (lines{"connected", "reply 1 ZOK"}));
  EXPECT_GT(e.view().requests(0).pings, 20U);
}

TEST(ensemble_model, a_follower_reads_old_nodes_until_it_follows_and_a_sync_waits_for_that) {
  ensemble e({.servers = 3});
  program writer(e, 0, 0);
  program reader(e, 1, 1);
  ASSERT_TRUE(e.settle());
  reader.told.take();
  e.control().lag_follower(1);
  writer.ask(1, request::create{"/a", "", create_mode::persistent, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(writer.told.lines.back(), "reply 1 ZOK");
  reader.ask(1, request::exists{"/a"});
  reader.ask(2, request::sync{"/a"});
  reader.ask(3, request::exists{"/a"});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(reader.told.take(), lines{"reply 1 ZNONODE"});
  e.control().join_follower(1);
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(reader.told.take(), (lines{"reply 2 ZOK", "reply 3 ZOK"}));
}

TEST(ensemble_model, a_cut_follower_answers_reads_while_the_leader_expires_its_clients) {
  ensemble e({.servers = 3, .tick = 2000ms});
  program p(e, 0, 1);
  ASSERT_TRUE(e.settle());
  p.ask(1, request::create{"/a", "", create_mode::ephemeral, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.control().cut_follower(1);
  p.ask(2, request::exists{"/a"});
  p.ask(3, request::sync{"/a"});
  p.ask(4, request::exists{"/a"});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(p.told.take(), lines{"reply 2 ZOK"}) << "the sync waits, and what is behind it";
  e.administrator().expire(p.told.session);
  EXPECT_FALSE(e.exists("/a"));
  program other(e, 1, 1);
  ASSERT_TRUE(e.settle());
  EXPECT_TRUE(other.told.lines.empty()) << "a new session needs the leader";
}

TEST(ensemble_model, a_client_refuses_a_server_that_has_seen_less_than_itself) {
  ensemble e({.servers = 3});
  program p(e, 0, 0);
  ASSERT_TRUE(e.settle());
  e.control().lag_follower(1);
  p.ask(1, request::create{"/a", "", create_mode::persistent, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.network().cut(0);  // next in its list is the laggard
  p.ask(2, request::exists{"/a"});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(p.told.take(), (lines{"connecting", "reply 2 ZCONNECTIONLOSS", "connected"}));
  p.ask(3, request::exists{"/a"});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(p.told.take(), lines{"reply 3 ZOK"});
}

TEST(ensemble_model, a_dead_leader_is_replaced_and_sessions_start_their_clocks_afresh) {
  ensemble e({.servers = 3});
  program p(e, 0, 1);
  ASSERT_TRUE(e.settle());
  p.ask(1, request::create{"/a", "", create_mode::ephemeral, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  e.control().lag_follower(2);
  pass_time(e, 500ms);
  const instant before = e.view().sessions().front().deadline;
  e.advance(1500ms);
  e.control().kill_server(0);
  p.told.take();
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(e.leader(), 1);
  EXPECT_TRUE(e.exists("/a"));
  ASSERT_EQ(e.view().sessions().size(), 1U);
  EXPECT_GT(e.view().sessions().front().deadline, before);
  pass_time(e, 200ms);
  p.ask(2, request::create{"/b", "", create_mode::persistent, {client::acl_entry{}}});
  pass_time(e, 100ms);
  EXPECT_EQ(p.told.take(), (lines{"connecting", "connected", "reply 2 ZOK"}));
  EXPECT_GT(p.told.last.stat.czxid >> 32, 1) << "a new epoch";
  e.control().start_server(0);
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(e.leader(), 1);
}

TEST(ensemble_model, a_frozen_leader_is_given_up_after_the_sync_limit) {
  ensemble e({.servers = 3});
  program p(e, 0, 1);
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.control().stop_server(0);
  pass_time(e, 1999ms);
  EXPECT_EQ(e.leader(), 0);
  pass_time(e, 301ms);
  EXPECT_EQ(e.leader(), 1);
  EXPECT_EQ(p.told.lines.front(), "connecting");
  e.control().continue_server(0);
  pass_time(e, 10s);
  EXPECT_EQ(p.told.lines.back(), "connected");
  EXPECT_EQ(e.leader(), 1);
}

TEST(ensemble_model, a_session_that_moved_is_told_so_through_its_old_server) {
  ensemble e({.servers = 3});
  program p(e, 0, 1);
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.control().stop_server(1);
  p.ask(1, request::create{"/old", "", create_mode::persistent, {client::acl_entry{}}});
  pass_time(e, 4s);
  EXPECT_EQ(p.told.take(), (lines{"connecting", "reply 1 ZOPERATIONTIMEOUT", "connected"}));
  e.control().continue_server(1);
  ASSERT_TRUE(e.settle());
  EXPECT_FALSE(e.exists("/old")) << "the leader knows that the session is used through another server";
}

/// One client is with the leader, which is deposed; another one with the leader that follows it.
struct deposed_leader : ::testing::Test {
  deposed_leader() : e({.servers = 3}), p(e, 0, 0, true), other(e, 1, 1) {
    EXPECT_TRUE(e.settle());
    p.ask(1, request::create{"/a", "", create_mode::ephemeral, {client::acl_entry{}}});
    EXPECT_TRUE(e.settle());
    e.control().depose_leader();
    EXPECT_TRUE(e.settle());
    EXPECT_EQ(e.leader(), 1);
    p.told.take();
    other.told.take();
  }

  ensemble e;
  program p;
  program other;
};

TEST_F(deposed_leader, answers_reads_syncs_and_pings_of_its_clients) {
  other.ask(1, request::create{"/b", "", create_mode::persistent, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  EXPECT_TRUE(e.exists("/b"));
  p.ask(2, request::sync{"/"});
  p.ask(3, request::exists{"/b"});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(p.told.take(), (lines{"reply 2 ZOK", "reply 3 ZNONODE"}));
}

TEST_F(deposed_leader, commits_nothing_and_answers_nothing_behind_a_write) {
  p.ask(2, request::create{"/b", "", create_mode::persistent, {client::acl_entry{}}});
  p.ask(3, request::sync{"/"});
  p.ask(4, request::exists{"/"});
  ASSERT_TRUE(e.settle());
  EXPECT_TRUE(p.told.lines.empty());
  EXPECT_FALSE(e.exists("/b"));
}

TEST_F(deposed_leader, does_not_keep_its_clients_sessions_at_the_new_one) {
  const instant deadline = e.view().sessions().front().deadline;
  pass_time(e, 1s);
  p.ask(2, request::sync{"/"});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(e.view().sessions().front().deadline, deadline);
}

TEST_F(deposed_leader, confirms_a_session_that_the_new_one_has_ended) {
  e.administrator().expire(p.told.session);
  e.network().cut(0);
  pass_time(e, 100ms);
  EXPECT_EQ(p.told.take(), (lines{"connecting", "connected"}));
  EXPECT_FALSE(e.exists("/a"));
  pass_time(e, 2s);
  EXPECT_EQ(p.told.take(), (lines{"connecting", "expired"}));
}

TEST_F(deposed_leader, confirms_no_new_session) {
  program fresh(e, 2, 0, true);
  ASSERT_TRUE(e.settle());
  EXPECT_TRUE(fresh.told.lines.empty());
}

TEST_F(deposed_leader, steps_down_after_the_sync_limit) {
  pass_time(e, 1999ms);
  EXPECT_TRUE(p.told.lines.empty());
  pass_time(e, 200ms);
  EXPECT_EQ(p.told.take(), (lines{"connecting", "connected"}));
  p.ask(2, request::create{"/b", "", create_mode::persistent, {client::acl_entry{}}});
  pass_time(e, 100ms);
  EXPECT_EQ(p.told.take(), lines{"reply 2 ZOK"});
}

TEST_F(deposed_leader, follows_the_new_one_when_it_is_joined) {
  e.control().join_follower(0);
  pass_time(e, 100ms);
  EXPECT_EQ(p.told.take(), (lines{"connecting", "connected"}));
}

TEST(ensemble_model, a_leader_that_was_left_while_it_stood_still_goes_on_as_a_deposed_one) {
  ensemble e({.servers = 3});
  program p(e, 0, 0, true);
  ASSERT_TRUE(e.settle());
  e.control().stop_server(0);
  p.told.take();
  p.ask(1, request::sync{"/"});
  pass_time(e, 2200ms);
  EXPECT_EQ(e.leader(), 1);
  e.control().continue_server(0);
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(p.told.take(), lines{"reply 1 ZOK"});
  pass_time(e, 2200ms);
  EXPECT_EQ(p.told.take(), (lines{"connecting", "connected"}));
}

TEST(ensemble_model, a_leader_that_stands_still_ends_no_session) {
  ensemble e({.servers = 3, .sync_limit = 40});
  program p(e, 0, 1);
  ASSERT_TRUE(e.settle());
  e.network().crash(0);
  e.control().stop_server(0);
  pass_time(e, 10s);
  EXPECT_EQ(e.view().sessions().size(), 1U);
  e.control().continue_server(0);
  pass_time(e, 0s);
  EXPECT_TRUE(e.view().sessions().empty());
}

TEST(ensemble_model, what_a_follower_says_may_stay_under_way_while_it_hears_its_leader) {
  ensemble e({.servers = 3, .sync_limit = 40});
  program writer(e, 0, 0);
  program p(e, 1, 1);
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.control().hold_to_leader(1, true);
  p.ask(1, request::sync{"/"});
  p.ask(2, request::create{"/late", "", create_mode::persistent, {client::acl_entry{}}});
  writer.ask(1, request::create{"/a", "", create_mode::persistent, {client::acl_entry{}}});
  pass_time(e, 3s);
  EXPECT_TRUE(p.told.lines.empty());
  EXPECT_TRUE(e.exists("/a"));
  EXPECT_FALSE(e.exists("/late"));
  e.control().hold_to_leader(1, false);
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(p.told.take(), (lines{"reply 1 ZOK", "reply 2 ZOK"}));
  EXPECT_EQ(e.view().sessions()[1].deadline, 9500ms) << "touches are under way, too, and count when they arrive";
}

TEST(ensemble_model, a_leaders_ping_may_be_late_by_a_twentieth_of_a_tick) {
  ensemble e({.servers = 3});
  pass_time(e, 100ms);
  ASSERT_EQ(e.next_timer(), 250ms);
  e.control().delay_leader_ping();
  e.control().delay_leader_ping();
  ASSERT_EQ(e.next_timer(), 250ms + 24'999us);
  pass_time(e, 200ms);
  EXPECT_EQ(e.next_timer(), 500ms + 24'999us) << "the next one is in time, after it";
}

TEST(ensemble_model, a_leader_that_stood_still_first_sends_the_ping_it_owes) {
  ensemble e({.servers = 3});
  ASSERT_TRUE(e.settle());
  e.control().stop_server(0);
  e.advance(1s);
  e.control().continue_server(0);
  const std::vector<step> next = e.steps();
  EXPECT_EQ(find(next, step_kind::leader_ping), nullptr);
  EXPECT_NE(find(next, step_kind::follow, 1), nullptr);
  EXPECT_NE(find(next, step_kind::follow, 2), nullptr);
}

TEST(ensemble_model, a_follower_that_gave_its_leader_up_follows_it_again_once_it_hears_it) {
  ensemble e({.servers = 3});
  program p(e, 0, 1, true);
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.control().hold_from_leader(1, true);
  pass_time(e, 2500ms);
  EXPECT_EQ(p.told.take(), lines{"connecting"});
  e.control().hold_from_leader(1, false);
  pass_time(e, 200ms);
  EXPECT_EQ(p.told.take(), lines{"connected"});
}

}  // namespace
}  // namespace zklock::testing
