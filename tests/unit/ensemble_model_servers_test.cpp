// Several servers, of which one leads and others may lag, on the model of an ensemble.
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/model_diary.hpp"

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
  EXPECT_GT(e.requests(0).pings, 20U);
}

TEST(ensemble_model, a_follower_reads_old_nodes_until_it_follows_and_a_sync_waits_for_that) {
  ensemble e({.servers = 3});
  program writer(e, 0, 0);
  program reader(e, 1, 1);
  ASSERT_TRUE(e.settle());
  reader.told.take();
  e.lag_follower(1);
  writer.ask(1, request::create{"/a", "", create_mode::persistent, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(writer.told.lines.back(), "reply 1 ZOK");
  reader.ask(1, request::exists{"/a"});
  reader.ask(2, request::sync{"/a"});
  reader.ask(3, request::exists{"/a"});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(reader.told.take(), lines{"reply 1 ZNONODE"});
  e.join_follower(1);
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
  e.cut_follower(1);
  p.ask(2, request::exists{"/a"});
  p.ask(3, request::sync{"/a"});
  p.ask(4, request::exists{"/a"});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(p.told.take(), lines{"reply 2 ZOK"}) << "the sync waits, and what is behind it";
  e.expire(p.told.session);
  EXPECT_FALSE(e.exists("/a"));
  program other(e, 1, 1);
  ASSERT_TRUE(e.settle());
  EXPECT_TRUE(other.told.lines.empty()) << "a new session needs the leader";
}

TEST(ensemble_model, a_client_refuses_a_server_that_has_seen_less_than_itself) {
  ensemble e({.servers = 3});
  program p(e, 0, 0);
  ASSERT_TRUE(e.settle());
  e.lag_follower(1);
  p.ask(1, request::create{"/a", "", create_mode::persistent, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.cut(0);  // next in its list is the laggard
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
  e.lag_follower(2);
  pass_time(e, 500ms);
  const instant before = e.sessions().front().deadline;
  e.advance(1500ms);
  e.kill_server(0);
  p.told.take();
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(e.leader(), 1);
  EXPECT_TRUE(e.exists("/a"));
  ASSERT_EQ(e.sessions().size(), 1U);
  EXPECT_GT(e.sessions().front().deadline, before);
  pass_time(e, 200ms);
  p.ask(2, request::create{"/b", "", create_mode::persistent, {client::acl_entry{}}});
  pass_time(e, 100ms);
  EXPECT_EQ(p.told.take(), (lines{"connecting", "connected", "reply 2 ZOK"}));
  EXPECT_GT(p.told.last.stat.czxid >> 32, 1) << "a new epoch";
  e.start_server(0);
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(e.leader(), 1);
}

TEST(ensemble_model, a_frozen_leader_is_given_up_after_the_sync_limit) {
  ensemble e({.servers = 3});
  program p(e, 0, 1);
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.stop_server(0);
  pass_time(e, 1999ms);
  EXPECT_EQ(e.leader(), 0);
  pass_time(e, 301ms);
  EXPECT_EQ(e.leader(), 1);
  EXPECT_EQ(p.told.lines.front(), "connecting");
  e.continue_server(0);
  pass_time(e, 10s);
  EXPECT_EQ(p.told.lines.back(), "connected");
  EXPECT_EQ(e.leader(), 1);
}

TEST(ensemble_model, a_session_that_moved_is_told_so_through_its_old_server) {
  ensemble e({.servers = 3});
  program p(e, 0, 1);
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.stop_server(1);
  p.ask(1, request::create{"/old", "", create_mode::persistent, {client::acl_entry{}}});
  pass_time(e, 4s);
  EXPECT_EQ(p.told.take(), (lines{"connecting", "reply 1 ZOPERATIONTIMEOUT", "connected"}));
  e.continue_server(1);
  ASSERT_TRUE(e.settle());
  EXPECT_FALSE(e.exists("/old")) << "the leader knows that the session is used through another server";
}

}  // namespace
}  // namespace zklock::testing
