// F08, F96: writes that a grant guards, while replies, sessions and locks are lost. What must hold of every write is
// judged by write_checker; here are the steps at which others have gone wrong, and all the others.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>

#include <zklock/error.hpp>

#include "tests/sim/exhaustive.hpp"
#include "tests/sim/stage.hpp"

namespace zklock::sim {
namespace {

using namespace std::chrono_literals;
using recipes::code;

/// c0 holds and is about to write; c1 waits, and is to write when it is its turn.
scenario writer_and_next(int servers = 1) {
  return {.name = "",
          .programs = {{acquire, write, release}, {acquire, write, release}},
          .done_before = {1, 1},
          .servers = servers};
}

[[nodiscard]] std::size_t written(stage& play) { return play.servers().children(written_path).size(); }
[[nodiscard]] std::error_code told(stage& play, std::size_t client) {
  const auto& all = play.client(client).writes_answered();
  EXPECT_EQ(all.size(), 1U) << play.timeline();
  return all.empty() ? std::error_code() : all.back();
}

TEST(guarded_write, f96_is_applied_while_its_grant_stands) {
  stage play(writer_and_next());
  play.next("c0 writes");
  play.settle();
  EXPECT_FALSE(told(play, 0));
  EXPECT_EQ(written(play), 1U);
  play.finish();
  EXPECT_EQ(written(play), 2U);
}

/// Applied or not, connection loss or timeout: it is unknown, it is not sent again, and the lock goes on.
TEST(guarded_write, f08_of_unknown_outcome_is_told_as_such_and_not_repeated) {
  for (const code with : {code::connection_loss, code::operation_timeout}) {
    for (const bool applied : {false, true}) {
      stage play(writer_and_next());
      play.next("c0 writes");
      play.servers().network().answer_next_with(0, with, applied);
      play.settle();
      EXPECT_EQ(told(play, 0), errc::outcome_unknown) << recipes::name(with);
      play.wait(6s);
      EXPECT_EQ(written(play), applied ? 1U : 0U);
      EXPECT_TRUE(play.client(0).held());
      play.finish();
      EXPECT_EQ(written(play), applied ? 2U : 1U);
    }
  }
}

TEST(guarded_write, f08_whose_connection_is_lost_at_its_request_or_its_reply_is_unknown) {
  for (const trouble_kind kind :
       {trouble_kind::request_lost, trouble_kind::request_applied, trouble_kind::reply_lost}) {
    stage play(writer_and_next());
    play.next("c0 writes");
    if (kind == trouble_kind::reply_lost) {
      play.next("c0 -> s0");
    }
    play.strike(kind, 0);
    play.settle();
    EXPECT_EQ(told(play, 0), errc::outcome_unknown) << name(kind) << "\n" << play.timeline();
    EXPECT_EQ(written(play), kind == trouble_kind::request_lost ? 0U : 1U) << name(kind);
    play.finish();
  }
}

/// It was asked for in time, and is on its way for long: the next holder has come and gone.
TEST(guarded_write, f96_that_arrives_after_an_operator_has_let_the_next_one_in_is_refused) {
  stage play(writer_and_next());
  play.next("c0 writes");
  play.strike(trouble_kind::node_removed, 0);
  play.settle("c0 -> s0");
  EXPECT_EQ(play.client(1).grants(), 1U) << play.timeline();
  play.next("c1 writes");
  play.settle("c0 -> s0");
  EXPECT_FALSE(told(play, 1));
  play.settle();
  EXPECT_EQ(told(play, 0), errc::lost);
  EXPECT_EQ(written(play), 1U);
  play.finish();
}

TEST(guarded_write, f08_f96_under_way_when_its_deadline_passes_is_unknown_and_is_not_applied_later) {
  stage play(writer_and_next());
  play.strike(trouble_kind::uplink_lost, 0);
  play.next("c0 writes");
  play.wait(6s);
  EXPECT_EQ(told(play, 0), errc::outcome_unknown) << play.timeline();
  play.wait(2s);
  EXPECT_EQ(play.client(1).grants(), 1U) << play.timeline();
  play.finish();
  EXPECT_EQ(written(play), 1U);
}

/// It asks, is stopped past its session's end, and then writes.
TEST(guarded_write, f16_f96_of_a_process_that_was_stopped_before_it_is_refused_by_its_clock) {
  stage play(writer_and_next());
  ASSERT_TRUE(play.client(0).held()->held_at(play.now()));
  play.strike(trouble_kind::client_stopped, 0);
  play.wait(8s);
  EXPECT_EQ(play.client(1).grants(), 1U) << play.timeline();
  play.next("c1 writes");
  play.settle();
  play.wait(6s);
  if (play.possible("c0 writes")) {
    play.next("c0 writes");
  }
  play.finish();
  EXPECT_EQ(told(play, 0), errc::lost) << play.timeline();
  EXPECT_EQ(written(play), 1U);
}

/// Every kind of fault, against the client that writes, the next one, and their servers, at every step.
TEST(guarded_write, f08_f96_is_told_truly_in_every_schedule_with_a_fault_of_any_kind) {
  std::uint64_t schedules = 0;
  for (const int servers : {1, 3}) {
    scenario plays = writer_and_next(servers);
    plays.beats_when_idle = false;
    for (int kind = 0; kind < static_cast<int>(trouble_kind::data_lost); ++kind) {
      std::uint64_t struck = 0;
      for (const int target : {0, 1}) {
        const trouble fault{static_cast<trouble_kind>(kind), target};
        if (needs_several_servers(fault.kind) ? servers == 1 : servers > 1 && target == 1) {
          continue;
        }
        const exploration done = explore(plays, fault, {.deviations = 1, .schedules = {}});
        EXPECT_FALSE(done.found) << name(fault.kind) << ": " << done.found->checker << ": " << done.found->what;
        struck += done.schedules;
        schedules += done.schedules + done.quiet;
      }
      const auto fault = static_cast<trouble_kind>(kind);
      const bool may_never_strike = fault == trouble_kind::none || fault == trouble_kind::lock_node_reaped ||
                                    (needs_several_servers(fault) && servers == 1);
      EXPECT_TRUE(struck > 0 || may_never_strike) << name(fault);
    }
  }
  std::printf("schedules: %llu\n", static_cast<unsigned long long>(schedules));
}

}  // namespace
}  // namespace zklock::sim
