// F51: what a listing tells while contenders come and go and servers fail. What must hold of every listing is judged by
// participants_checker; here are the steps at which others have gone wrong.
#include <gtest/gtest.h>

#include "tests/sim/exhaustive.hpp"
#include "tests/sim/stage.hpp"

namespace zklock::sim {
namespace {

using namespace std::chrono_literals;

/// c0 holds, c1 and c2 wait, c3 is about to look.
scenario three_and_a_looker() {
  return {.name = "",
          .programs = {{acquire, release}, {acquire, release}, {acquire, abandon}, {look}},
          .done_before = {1, 1, 1, 0}};
}

TEST(participants, f51_comes_in_the_order_of_the_queue) {
  stage play(three_and_a_looker());
  play.next("c3 lists");
  play.settle();
  const auto stand = play.servers().children(lock_path);
  ASSERT_EQ(play.client(3).queue_seen().size(), 3U);
  for (const std::size_t place : {0U, 1U, 2U}) {
    EXPECT_TRUE(play.client(3).queue_seen()[place].starts_with(play.client(place).ids().front()));
  }
  EXPECT_EQ(play.client(3).requests(), 5U) << "sync, list, and one look each";
  play.finish();
}

/// A contender goes between any two steps of the listing: the others are told, and the one that went is not told
/// wrongly.
TEST(participants, f51_leaves_out_a_contender_that_goes_at_whichever_step) {
  for (const char* leaves : {"c0 releases", "c2 abandons"}) {
    std::size_t shortest = 3;
    for (int steps = 0; steps <= 12; ++steps) {
      stage play(three_and_a_looker());
      play.next("c3 lists");
      for (int i = 0; i < steps && play.possible("c3 "); ++i) {
        play.next("c3 ");
      }
      play.next(leaves);
      play.settle("c3 ");
      play.settle();
      EXPECT_EQ(play.client(3).looks_answered(), 1);
      shortest = std::min(shortest, play.client(3).queue_seen().size());
      play.finish();
    }
    EXPECT_EQ(shortest, 2U) << leaves;
  }
}

TEST(participants, f51_from_a_server_that_lags_is_not_older_than_the_question) {
  stage play(
      {.name = "", .programs = {{acquire, release}, {{user_action::kind::list_participants, 60s}}}, .servers = 3});
  ASSERT_NE(play.servers().leader(), 1);
  play.servers().control().lag_follower(1);  // c1's
  play.next("c0 acquires");
  play.settle();
  EXPECT_EQ(play.client(0).grants(), 1U);
  play.next("c1 lists");
  play.settle();
  EXPECT_EQ(play.client(1).looks_answered(), 0) << "its server does not know yet";
  play.servers().control().join_follower(1);
  play.settle();
  EXPECT_EQ(play.client(1).queue_seen().size(), 1U) << play.timeline();
  play.finish();
}

TEST(participants, f51_is_begun_again_when_the_connection_goes_at_whichever_step) {
  for (const trouble_kind kind : {trouble_kind::connection_cut, trouble_kind::session_expired}) {
    for (int steps = 0; steps <= 10; ++steps) {
      stage play(three_and_a_looker());
      play.next("c3 lists");
      for (int i = 0; i < steps && play.possible("c3 "); ++i) {
        play.next("c3 ");
      }
      if (play.client(3).looks_answered() == 0) {
        play.strike(kind, 3);
      }
      play.settle();
      EXPECT_EQ(play.client(3).looks_answered(), 1) << steps << "\n" << play.timeline();
      EXPECT_EQ(play.client(3).queue_seen().size(), 3U);
      play.finish();
    }
  }
}

TEST(participants, f51_f27_is_given_up_at_its_limit_when_no_server_answers) {
  stage play({.name = "", .programs = {{{user_action::kind::list_participants, 300ms}}}});
  play.next("c0 lists");
  play.strike(trouble_kind::server_silent);
  play.wait(299ms);
  EXPECT_EQ(play.lines_with("was not told"), 0);
  play.wait(1ms);
  EXPECT_EQ(play.lines_with("was not told the queue: no server answered in time"), 1);
  play.finish();
}

/// Every kind of fault, against the client that looks and against the holder, at every step of a listing.
TEST(participants, f51_is_true_in_every_schedule_with_a_fault_of_any_kind) {
  const scenario plays{.name = "",
                       .programs = {{acquire, drop}, {acquire, {user_action::kind::list_participants}, release}},
                       .done_before = {1, 0},
                       .beats_when_idle = false};
  for (int kind = 0; kind < trouble_kinds; ++kind) {
    for (const int target : {0, 1}) {
      const trouble fault{static_cast<trouble_kind>(kind), target};
      if (needs_several_servers(fault.kind) || (target == 1 && !hits_client(fault.kind))) {
        continue;
      }
      const exploration done = explore(plays, fault, {.deviations = 1, .schedules = {}});
      EXPECT_TRUE(done.schedules > 0 || fault.kind == trouble_kind::none) << name(fault.kind);
      EXPECT_FALSE(done.found) << name(fault.kind) << ": " << done.found->checker << ": " << done.found->what;
    }
  }
}

}  // namespace
}  // namespace zklock::sim
