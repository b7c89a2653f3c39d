// Rows of docs/design/faults.md about requests that fail, each code at each step, and about limits and tries while they
// do. The checkers are asked in each (stage.hpp).
#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"
#include "tests/sim/stage.hpp"
#include "tests/unit/recipes/all_codes.hpp"

namespace zklock::sim {
namespace {

using namespace std::chrono_literals;
using recipes::code;
using recipes::outcome;

constexpr auto timeout = 6000ms;

/// Serves `count` of the client's requests, with whatever comes in between, and stops before the next one.
bool stops_before_request(stage& play, std::string_view client, int count) {
  const std::string sends = std::string(client) + " -> s0";
  for (play.settle(sends); count > 0 && play.possible(sends); --count) {
    play.next(sends);
    play.settle(sends);
  }
  return count == 0 && play.possible(sends);
}

// ---- create and recovery --------------------------------------------------------------------------------------------

/// The first use of the lock node (make it, create, list), or behind a holder (create, list, a watch on either node):
/// each request is answered with each code there is. A contender that is refused hears of that code, and has left
/// nothing.
TEST(attempt, f03_leaves_no_node_whichever_code_answers_whichever_step) {
  int refused = 0, granted = 0;
  for (const bool first_use : {true, false}) {
    for (const code with : recipes::all_codes) {
      for (int step = 0; with != code::ok; ++step) {
        stage play({.name = "",
                    .programs = {{acquire, rest(2s), release}, {acquire, release}},
                    .done_before = {first_use ? 0U : 1U, 0},
                    .lock_node_there = !first_use});
        const std::error_code error = with == code::node_exists && (first_use ? step == 0 || step == 3 : step == 0)
                                          ? make_error_code(errc::queue_exhausted)
                                          : detail::error_of(with);
        play.world().judges().may_be_refused_with(error);
        play.next("c1 acquires");
        if (!stops_before_request(play, "c1", step) || play.client(1).grants() > 0) {
          EXPECT_GE(step, 4);
          break;
        }
        if (with == code::no_node && !play.possible("c1 -> s0: create")) {
          continue;  // said of what is there it would be a lie; where it is true: f12, f21, f104
        }
        play.servers().network().answer_next_with(1, with);
        play.next("c1 -> s0");
        play.settle();
        play.wait(1s);
        const bool was_refused = play.lines_with("c1 not granted") == 1;
        if (was_refused) {
          ++refused;
          EXPECT_EQ(play.lines_with("c1 not granted: " + error.message()), 1) << play.timeline();
          EXPECT_EQ(play.nodes(), first_use ? 0U : 1U);
          EXPECT_EQ(play.servers().view().watches(1).in_client, 0U);
        }
        EXPECT_TRUE(!was_refused || recipes::classify(with) == outcome::not_done) << play.timeline();
        play.finish();
        granted += static_cast<int>(play.client(1).grants());
        ASSERT_EQ(play.client(1).grants(), was_refused ? 0U : 1U) << step << " " << play.timeline();
        ASSERT_FALSE(::testing::Test::HasFailure()) << "step " << step << ", " << recipes::name(with);
      }
    }
  }
  EXPECT_GT(refused, 50);
  EXPECT_GT(granted, 50);
}

/// For each write (make the lock node, create, remove), each code that leaves its outcome unknown, and each way in
/// which it can have been: the next contenders wait for no ghost, and no attempt has had two nodes.
TEST(write, f05_of_unknown_outcome_is_looked_up_whether_it_was_a_loss_or_a_timeout) {
  for (const code with : {code::connection_loss, code::operation_timeout}) {
    for (const bool applied : {false, true}) {
      for (const std::string_view write : {"create /l", "create /l/", "remove /l/"}) {
        stage play({.name = "", .programs = {{acquire, release}, {acquire, release}}, .lock_node_there = false});
        play.next("c0 acquires");
        if (write == "create /l") {
          play.next("c0 -> s0: create");  // has no parent yet
          play.settle("c0 -> s0: create");
        } else if (write == "remove /l/") {
          play.settle();
          play.next("c0 releases");
        } else {
          play.next("c0 -> s0: create");
          play.settle("c0 -> s0: create /l/");
          while (play.possible("c0 -> s0: create /l") && !play.possible("c0 -> s0: create /l/")) {
            play.next("c0 -> s0");
          }
        }
        ASSERT_TRUE(play.possible("c0 -> s0: " + std::string(write))) << play.timeline();
        play.servers().network().answer_next_with(0, with, applied);
        play.next("c0 -> s0");
        play.settle();
        play.wait(1s);
        EXPECT_EQ(play.client(0).grants(), 1U) << write << "\n" << play.timeline();
        EXPECT_LE(play.nodes(), 1U);
        play.finish();
        EXPECT_EQ(play.client(0).ids().size(), 1U) << write;
        EXPECT_EQ(play.client(1).grants(), 1U) << write;
      }
    }
  }
}

/// The peer falls silent: the C client gives up after two thirds of the timeout. The create was done, or comes late.
TEST(create, f05_that_ends_with_a_timeout_is_recovered_like_one_that_ends_with_a_loss) {
  for (const bool up : {false, true}) {
    stage play({.name = "", .programs = {{acquire, release}, {rest(timeout), acquire, release}}});
    play.next("c0 acquires");
    play.servers().network().hold(0, up, !up);
    play.wait(timeout * 2 / 3 + 100ms);
    EXPECT_GE(play.lines_with("ZOPERATIONTIMEOUT"), 1) << play.timeline();
    EXPECT_EQ(play.nodes(), up ? 0U : 1U);
    play.servers().network().hold(0, false, false);
    play.settle();
    play.wait(200ms);
    EXPECT_EQ(play.client(0).grants(), 1U) << play.timeline();
    EXPECT_EQ(play.nodes(), 1U);
    play.finish();
    EXPECT_EQ(play.client(0).ids().size(), 1U);
  }
}

// ---- time limits and tries ------------------------------------------------------------------------------------------

/// Whatever the network does, at whichever request: limit_kept asks for the answer at the limit.
TEST(limit, f27_is_when_the_caller_is_answered_whatever_the_network_does) {
  for (const trouble_kind kind :
       {trouble_kind::connection_cut, trouble_kind::connection_refused, trouble_kind::uplink_lost,
        trouble_kind::downlink_lost, trouble_kind::server_silent, trouble_kind::server_restarted}) {
    for (int step = 0; step <= 4; ++step) {
      stage play(
          {.name = "", .programs = {{acquire, rest(10s), release}, {acquire_within(200ms)}}, .done_before = {1, 0}});
      play.next("c0 rests");
      play.next("c1 acquires");
      const instant limit = play.now() + 200ms;
      static_cast<void>(stops_before_request(play, "c1", step));
      play.strike(kind, hits_client(kind) ? 1 : 0);
      play.settle("c1 -> s0: connect");
      play.wait(200ms);
      EXPECT_EQ(play.now(), limit);
      EXPECT_EQ(play.lines_with("c1 not granted"), 1) << name(kind) << " " << step << "\n" << play.timeline();
      EXPECT_FALSE(play.client(1).waiting());
      play.finish();
      ASSERT_EQ(play.nodes(), 0U) << name(kind) << " " << step;
    }
  }
}

TEST(limit, f27_ends_an_acquire_that_has_found_no_server_at_all) {
  stage play({.name = "", .programs = {{acquire_within(2s), acquire, release}}});
  play.servers().network().refuse(0, true);
  play.strike(trouble_kind::connection_cut);
  play.settle();
  const std::uint64_t before = play.client(0).requests();
  play.next("c0 acquires");
  play.wait(2s);
  EXPECT_EQ(play.lines_with("c0 not granted: " + make_error_code(errc::not_connected).message()), 1);
  EXPECT_EQ(play.client(0).requests(), before + 1) << "a heartbeat, and no create";
  play.servers().network().refuse(0, false);
  play.finish();
  EXPECT_EQ(play.client(0).grants(), 1U);
}

/// The removal that cleans up after a lost race meets a connection that is gone, for a while.
TEST(one_try, f30_leaves_neither_node_nor_watch_although_its_removal_fails) {
  for (const trouble_kind kind : {trouble_kind::request_lost, trouble_kind::request_applied,
                                  trouble_kind::connection_refused, trouble_kind::downlink_lost}) {
    stage play(
        {.name = "", .programs = {{acquire, rest(20s), release}, {try_once, acquire, release}}, .done_before = {1, 0}});
    play.next("c0 rests");
    play.next("c1 tries once");
    play.until("c1 -> s0: remove");
    play.strike(kind, 1);
    play.wait(3 * timeout);
    EXPECT_FALSE(play.client(1).waiting());
    EXPECT_EQ(play.nodes(), 1U) << name(kind) << "\n" << play.timeline();
    EXPECT_EQ(play.servers().view().watches(1).in_client, 0U);
    play.next("c1 acquires");
    play.finish();
    EXPECT_EQ(play.client(1).grants(), 1U);
  }
}

TEST(one_try, f30_a_hundred_that_fail_make_no_node_but_their_own_and_leave_none) {
  scenario plays{.name = "", .programs = {{acquire, release}, script(100, try_once)}, .done_before = {1, 0}};
  stage play(plays);
  for (int i = 0; i < 100; ++i) {
    play.next("c1 tries once");
    if (i % 3 == 0) {
      play.until(i == 0 ? "c1 -> s0: remove" : "c1 -> s0: get");  // behind the first it reads first
      play.strike(i % 2 == 0 ? trouble_kind::request_lost : trouble_kind::request_applied, 1);
    }
    play.settle();
    ASSERT_EQ(play.servers().node_count(), 2U) << "the lock node, and the holder's";
    ASSERT_EQ(play.servers().view().watches(1).in_client + play.servers().view().watches(1).on_servers, 0U);
  }
  play.finish();
  EXPECT_EQ(play.client(1).grants(), 0U);
}

/// People set their clocks while one client waits with a limit and another one holds: not a step is different.
TEST(limit, f33_is_the_same_whatever_people_do_to_the_wall_clock) {
  const auto timeline_with = [](std::chrono::hours shown, std::chrono::hours later) {
    stage play({.name = "", .programs = {{acquire, rest(20s), release}, {acquire_within(9s), acquire, release}}});
    for (std::size_t i = 0; i < 2; ++i) {
      play.client(i).set_wall_clock(shown);
    }
    play.play("c1");
    play.wait(100ms);
    play.next("c1 acquires");
    play.wait(3s);
    for (std::size_t i = 0; i < 2; ++i) {
      play.client(i).set_wall_clock(later);
    }
    play.finish();
    EXPECT_EQ(play.lines_with("c1 not granted: not in time"), 1);
    EXPECT_EQ(play.client(1).grants(), 1U);
    return play.timeline();
  };
  const std::string plain = timeline_with(1000h, 1000h);
  EXPECT_EQ(plain, timeline_with(1000h, 1001h));
  EXPECT_EQ(plain, timeline_with(1000h, 999h));
  EXPECT_EQ(plain, timeline_with(-1h, 1h));
}

// ---- time slips -----------------------------------------------------------------------------------------------------

/// Asked while the connection is gone and the program does not know it yet: the C client keeps the request, and it runs
/// after the reconnect, or fails with the next attempt. Abandoned meanwhile or not.
TEST(request, f85_made_while_disconnected_runs_later_or_fails_and_leaves_nothing_either_way) {
  for (const bool fails : {false, true}) {
    for (const bool abandons : {false, true}) {
      stage play({.name = "", .programs = {{acquire, abandon, release}, {rest(1s), acquire, release}}});
      play.strike(trouble_kind::connection_cut);
      play.next("c0 acquires");
      play.servers().network().refuse(0, fails);
      if (abandons) {
        play.next("c0 abandons");
        EXPECT_EQ(play.lines_with("c0 not granted"), 1) << "answered at once";
      }
      play.settle();
      play.wait(300ms);
      play.servers().network().refuse(0, false);
      play.wait(300ms);
      EXPECT_EQ(play.client(0).grants(), abandons ? 0U : 1U) << play.timeline();
      EXPECT_EQ(play.nodes(), abandons ? 0U : 1U) << play.timeline();
      EXPECT_EQ(play.client(0).ids().size(), 1U);
      play.finish();
    }
  }
}

/// Each answer comes before anything else can happen, or as late as can be: behind all that the others do.
TEST(answer, f85_makes_no_difference_by_coming_at_once_or_late) {
  for (const bool at_once : {true, false}) {
    stage play({.name = "", .programs = {{acquire, drop, acquire, release}, {acquire, abandon, acquire, release}}});
    play.next("c0 acquires");
    play.settle(at_once ? "" : "c0 <-");
    play.next("c1 acquires");
    play.settle(at_once ? "" : "<-");
    EXPECT_EQ(play.client(0).grants(), at_once ? 1U : 0U);
    play.next("c1 abandons");
    play.settle(at_once ? "" : "<-");
    play.settle();
    EXPECT_EQ(play.client(0).grants(), 1U);
    EXPECT_EQ(play.nodes(), 1U) << "the create of the abandoned acquire is followed by its removal";
    play.finish();
    EXPECT_EQ(play.client(0).grants(), 2U);
    EXPECT_EQ(play.client(1).grants(), 1U);
  }
}

}  // namespace
}  // namespace zklock::sim
