// Sessions' clocks: touches, timeouts that are renegotiated, and what a new leader knows, on the model of an ensemble.
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/testing/model_diary.hpp"

namespace zklock::testing {
namespace {

namespace request = client::request;
using namespace std::chrono_literals;

/// A client at a follower, with a session of six seconds and a tick of half a second.
struct session_at_a_follower : ::testing::Test {
  session_at_a_follower() : e({.servers = 3}), p(e, 0, 1) { EXPECT_TRUE(e.settle()); }

  [[nodiscard]] instant deadline() const { return e.view().sessions().front().deadline; }
  /// Cuts the connection; the client comes back to the next server.
  void reconnect() {
    e.network().cut(0);
    EXPECT_TRUE(e.settle());
    EXPECT_EQ(p.told.lines.back(), "connected");
  }

  ensemble e;
  program p;
};

TEST_F(session_at_a_follower, ends_at_the_first_whole_tick_after_its_timeout) {
  EXPECT_EQ(deadline(), 6500ms) << "strictly up";
  pass_time(e, 200ms);
  e.network().cut(0);
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(deadline(), 6500ms);
}

TEST(ensemble_model, a_leader_may_look_for_overdue_sessions_between_whole_ticks) {
  ensemble e({.expiry_phase = 200ms});
  program p(e);
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(e.view().sessions().front().deadline, 6300ms);
}

TEST_F(session_at_a_follower, is_not_touched_by_a_forwarded_sync_or_write_itself) {
  e.control().lag_follower(1);
  e.advance(2s);
  p.ask(1, request::sync{"/"});
  p.ask(2, request::create{"/a", "", client::create_mode::persistent, {client::acl_entry{}}});
  perform_all(e, step_kind::serve);
  perform_all(e, step_kind::lead);
  ASSERT_TRUE(e.exists("/a"));
  EXPECT_EQ(deadline(), 6500ms);
}

TEST_F(session_at_a_follower, is_touched_by_the_followers_answer_to_a_ping) {
  pass_time(e, 1900ms);
  p.ask(1, request::exists{"/"});
  pass_time(e, 50ms);
  EXPECT_EQ(deadline(), 6500ms);
  pass_time(e, 50ms);
  EXPECT_EQ(deadline(), 8500ms);
}

TEST_F(session_at_a_follower, is_lost_as_a_touch_when_the_follower_dies_before_it_is_asked) {
  pass_time(e, 1900ms);
  p.ask(1, request::exists{"/"});
  pass_time(e, 50ms);
  e.network().refuse(0, true);
  e.control().kill_server(1);
  pass_time(e, 1s);
  EXPECT_EQ(deadline(), 6500ms);
}

TEST_F(session_at_a_follower, gets_a_lowered_timeout_when_it_connects_again_and_not_before) {
  e.administrator().bound_timeouts(500ms, 3s);
  pass_time(e, 1s);
  EXPECT_EQ(p.told.timeout, 6s);
  reconnect();
  EXPECT_EQ(p.told.timeout, 3s);
  EXPECT_EQ(deadline(), 4500ms) << "earlier than it was";
}

TEST_F(session_at_a_follower, asks_for_the_timeout_that_was_granted_last) {
  e.administrator().bound_timeouts(500ms, 3s);
  reconnect();
  e.administrator().bound_timeouts(500ms, 60s);
  reconnect();
  EXPECT_EQ(p.told.timeout, 3s);
  e.administrator().bound_timeouts(9s, 60s);
  reconnect();
  EXPECT_EQ(p.told.timeout, 9s);
  e.administrator().bound_timeouts(500ms, 60s);
  reconnect();
  EXPECT_EQ(p.told.timeout, 9s);
}

TEST_F(session_at_a_follower, is_kept_by_a_new_leader_for_the_timeout_of_its_creation) {
  e.administrator().bound_timeouts(20s, 60s);
  reconnect();
  EXPECT_EQ(deadline(), 20500ms);
  e.network().refuse(0, true);
  e.control().kill_server(0);
  perform_all(e, step_kind::election);
  EXPECT_EQ(deadline(), 6500ms);
}

/// What was heard on an old connection with a small timeout is relayed after the session has got a greater one.
TEST_F(session_at_a_follower, ends_earlier_after_a_late_touch_with_an_older_timeout) {
  e.administrator().bound_timeouts(20s, 60s);
  e.control().lag_follower(1);
  p.ask(1, request::exists{"/"});
  perform_all(e, step_kind::serve);
  pass_time(e, 1s);
  reconnect();
  EXPECT_EQ(deadline(), 21500ms);
  e.control().join_follower(1);
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(deadline(), 7500ms);
}

/// The leader has not heard of the newer connection, and may never.
TEST(ensemble_model, a_late_revalidation_confirms_a_newer_connection_of_the_session) {
  ensemble e({.servers = 3});
  program p(e, 0, 1, true);
  ASSERT_TRUE(e.settle());
  e.control().lag_follower(1);
  e.network().cut(0);
  ASSERT_TRUE(e.settle()) << "its answer is under way";
  e.advance(1s);
  e.administrator().bound_timeouts(20s, 60s);
  e.network().cut(0);
  perform_all(e, step_kind::deliver);
  e.advance(100ms);
  perform_all(e, step_kind::connect);
  p.told.take();
  e.control().join_follower(1);
  perform_all(e, step_kind::follow, 1);
  perform_all(e, step_kind::deliver);
  EXPECT_EQ(p.told.take(), lines{"connected"});
  EXPECT_EQ(p.told.timeout, 20s);
  EXPECT_EQ(e.view().sessions().front().deadline, 6500ms);
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(e.view().sessions().front().deadline, 21500ms);
  EXPECT_TRUE(p.told.lines.empty()) << "the second answer finds nothing that waits for it";
}

TEST_F(session_at_a_follower, may_be_lowered_without_the_clients_knowledge) {
  e.administrator().bound_timeouts(500ms, 3s);
  e.network().hold(0, false, true);
  e.network().cut(0);
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(deadline(), 3500ms);
  EXPECT_EQ(p.told.timeout, 6s);
  EXPECT_TRUE(e.view().lowered_untold(0));
  e.network().hold(0, false, false);
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(p.told.timeout, 3s);
  EXPECT_FALSE(e.view().lowered_untold(0));
}

}  // namespace
}  // namespace zklock::testing
