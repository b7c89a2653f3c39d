// Rows of docs/design/faults.md about names, sequence numbers and tokens, replayed exactly. The checkers are
// asked in each (stage.hpp).
#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include <cstdint>

#include "tests/sim/stage.hpp"

namespace zklock::sim {
namespace {

using namespace std::chrono_literals;

TEST(order, f46_is_by_sequence_number_whatever_the_ids) {
  for (std::uint64_t salt = 2; salt < 40; ++salt) {
    stage play({.name = "",
                .programs = {{acquire, release}, {acquire, release}, {acquire, release}},
                .done_before = {1, 1, 1},
                .salt = salt});
    play.next("c0 releases");
    play.settle();
    ASSERT_EQ(play.client(1).grants(), 1U);
    ASSERT_EQ(play.client(2).grants(), 0U);
    play.finish();
  }
}

TEST(token, f48_rises_although_the_numbering_restarts_with_the_lock_node) {
  stage play({.name = "", .programs = {{acquire, release, acquire, release}}, .done_before = {1}});
  const auto first = play.client(0).held();
  play.next("c0 releases");
  play.settle();
  play.strike(trouble_kind::lock_node_reaped);
  play.next("c0 acquires");
  play.settle();
  const auto second = play.client(0).held();
  EXPECT_TRUE(first->node().ends_with("-0000000000"));
  EXPECT_TRUE(second->node().ends_with("-0000000000"));
  EXPECT_NE(first->node(), second->node());
  EXPECT_GT(second->token(), first->token());
  play.finish();
}

/// The removal is held back on its way until the lock node was removed and made anew.
TEST(removal, f48_that_comes_late_hits_no_other_clients_node) {
  stage play({.name = "", .programs = {{acquire, drop}, {acquire, rest(1s), release}}, .done_before = {1, 0}});
  play.next("c0 drops");
  EXPECT_TRUE(play.possible("c0 -> s0: remove"));
  play.strike(trouble_kind::node_removed);
  play.strike(trouble_kind::lock_node_reaped);
  play.next("c1 acquires");
  play.settle("c0 ->");
  EXPECT_EQ(play.client(1).grants(), 1U);
  play.next("c0 -> s0: remove");
  play.settle();
  EXPECT_EQ(play.nodes(), 1U);
  EXPECT_TRUE(play.client(1).held()->held_at(play.now()));
  play.finish();
}

TEST(children, f49_that_are_no_contenders_are_ignored) {
  stage play({.name = "", .programs = {{acquire, release}, {acquire, release}}});
  for (const char* foreign : {"/l/0", "/l/-", "/l/zzz", "/l/lock"}) {
    ASSERT_TRUE(play.servers().administrator().create_node(foreign));
  }
  play.play();
  EXPECT_EQ(play.client(0).grants(), 1U);
  EXPECT_EQ(play.client(1).grants(), 1U);
  EXPECT_EQ(play.nodes(), 4U);
}

/// The server's counter comes to its end, or is past it, while the first one holds: a contender that comes then is
/// refused with a clear error before any grant, and leaves no node; the holder goes on.
TEST(counter, f47_near_its_end_or_past_it_refuses_newcomers_and_never_grants_a_second) {
  const std::error_code exhausted = make_error_code(errc::queue_exhausted);
  for (const bool wraps : {false, true}) {
    for (const std::int64_t next : {std::int64_t{INT32_MAX} - 2, std::int64_t{INT32_MAX} - 1, std::int64_t{INT32_MAX},
                                    std::int64_t{INT32_MIN}, std::int64_t{INT32_MIN} + 1}) {
      stage play({.name = "",
                  .programs = {{acquire, release}, {acquire, acquire}, {acquire, try_once}, {acquire, acquire}},
                  .done_before = {1},
                  .counter_wraps = wraps});
      play.world().judges().may_be_refused_with(exhausted);
      const auto first = play.client(0).held();
      play.servers().administrator().set_sequence_counter(lock_path, static_cast<std::int32_t>(next));
      for (int round = 0; round < 2; ++round) {
        for (const char* acquires : {"c1 ", "c2 ", "c3 "}) {
          play.next(std::string(acquires) + (round == 1 && acquires[1] == '2' ? "tries" : "acquires"));
        }
        for (const char* creates : {"c1 -> s0: create", "c2 -> s0: create", "c3 -> s0: create"}) {
          play.next(creates);  // all of them stand there at once, when the counter sticks with one number
        }
        play.settle();
      }
      EXPECT_EQ(play.lines_with("not granted: " + exhausted.message()), 6) << next << "\n" << play.timeline();
      EXPECT_TRUE(first->held_at(play.now()));
      EXPECT_EQ(play.nodes(), 1U) << next << "\n" << play.timeline();
      play.finish();
      ASSERT_EQ(play.client(1).grants() + play.client(2).grants() + play.client(3).grants(), 0U) << next;
    }
  }
}

/// Nodes of others stand there with the same number, or with negative ones: no client guesses their order to ours.
TEST(counter, f47_f178_tied_or_negative_numbers_of_others_are_an_error_before_any_grant) {
  const std::error_code exhausted = make_error_code(errc::queue_exhausted);
  const std::string id(32, 'a');
  for (const std::string& number :
       {std::string("0000000000"), std::string("-2147483648"), std::string("-0000000001")}) {
    stage play({.name = "", .programs = {{acquire, try_once, release}}});
    play.world().judges().may_be_refused_with(exhausted);
    ASSERT_TRUE(play.servers().administrator().create_node(std::string(lock_path) + "/" + id + "-lock-" + number));
    play.servers().administrator().set_sequence_counter(lock_path, 0);
    play.next("c0 acquires");
    play.settle();
    EXPECT_EQ(play.lines_with("c0 not granted: " + exhausted.message()), 1) << number << "\n" << play.timeline();
    EXPECT_EQ(play.nodes(), 1U);
    ASSERT_TRUE(play.servers().administrator().remove_node(std::string(lock_path) + "/" + id + "-lock-" + number));
    play.finish();
  }
}

/// The servers have forgotten how many contenders there were: a newcomer gets a smaller number than the holder has.
TEST(counter, f178_gone_back_behind_a_holders_number_refuses_the_newcomer) {
  const std::error_code exhausted = make_error_code(errc::queue_exhausted);
  for (const std::int32_t next : {0, 6, 7}) {
    stage play({.name = "", .programs = {{acquire, release}, {acquire, acquire, release}}});
    play.world().judges().may_be_refused_with(exhausted);
    play.servers().administrator().set_sequence_counter(lock_path, 7);
    play.next("c0 acquires");
    play.settle();
    const auto first = play.client(0).held();
    ASSERT_TRUE(first->held_at(play.now()));
    play.servers().administrator().set_sequence_counter(lock_path, next);
    play.next("c1 acquires");
    play.settle();
    EXPECT_EQ(play.lines_with("c1 not granted: " + exhausted.message()), 1) << next << "\n" << play.timeline();
    EXPECT_TRUE(first->held_at(play.now()));
    EXPECT_EQ(play.nodes(), 1U);
    play.servers().administrator().set_sequence_counter(lock_path, 8);
    play.finish();
    EXPECT_EQ(play.client(1).grants(), 1U);
  }
}

/// c0 and c1 are two threads of one session. c1's number follows c0's, but after an election that says nothing of what stands
/// between: c2 has that number, too.
TEST(counter, f178_gone_back_by_an_election_lets_no_number_in_a_row_count) {
  const std::error_code exhausted = make_error_code(errc::queue_exhausted);
  stage play({.name = "",
              .programs = {{acquire, release}, {acquire, release}, {acquire, release}},
              .thread_of = {-1, 0, -1},
              .servers = 3});
  play.world().judges().may_be_refused_with(exhausted);
  play.servers().administrator().set_sequence_counter(lock_path, 7);
  play.next("c0 acquires");
  play.settle();
  play.next("c2 acquires");
  play.settle();
  play.strike(trouble_kind::leader_killed);
  play.settle();
  ASSERT_TRUE(play.client(0).held()->held_at(play.now())) << play.timeline();
  play.servers().administrator().set_sequence_counter(lock_path, 8);
  play.next("c1 acquires");
  play.settle();
  EXPECT_EQ(play.lines_with("c1 not granted: " + exhausted.message()), 1) << play.timeline();
  play.next("c0 releases");
  play.settle();
  EXPECT_EQ(play.client(2).grants(), 1U);
  EXPECT_EQ(play.client(1).grants(), 0U);
  play.finish();
}

/// c0 was alone with the number 7. Behind an election that number is c1's, which holds: the next one tells c0 nothing.
TEST(counter, f178_gone_back_by_an_election_tells_nobody_that_it_is_alone) {
  stage play({.name = "", .programs = {{acquire, release, acquire, release}, {acquire, release}}, .servers = 3});
  play.servers().administrator().set_sequence_counter(lock_path, 7);
  for (const char* const step : {"c0 acquires", "c0 releases"}) {
    play.next(step);
    play.settle();
  }
  play.strike(trouble_kind::leader_killed);
  play.settle();
  play.servers().administrator().set_sequence_counter(lock_path, 7);
  for (const char* const step : {"c1 acquires", "c0 acquires"}) {
    play.next(step);
    play.settle();
  }
  EXPECT_EQ(play.client(1).grants(), 1U) << play.timeline();
  EXPECT_EQ(play.client(0).grants(), 1U) << play.timeline();
  play.next("c1 releases");
  play.settle();
  EXPECT_EQ(play.client(0).grants(), 2U);
  play.finish();
}

/// The parts of a multi-lock learn their czxid from the whole.
TEST(counter, f178_gone_back_refuses_a_multi_lock_beside_an_older_holder) {
  const std::error_code exhausted = make_error_code(errc::queue_exhausted);
  stage play({.name = "",
              .programs = {{acquire, release}, {acquires({{0}, {1}}), release}},
              .locks = {{.path = "/l"}, {.path = "/m"}}});
  play.world().judges().may_be_refused_with(exhausted);
  play.servers().administrator().set_sequence_counter(lock_path, 7);
  play.next("c0 acquires");
  play.settle();
  play.servers().administrator().set_sequence_counter(lock_path, 3);
  play.next("c1 acquires");
  play.settle();
  EXPECT_EQ(play.lines_with("c1 not granted: " + exhausted.message()), 1) << play.timeline();
  EXPECT_TRUE(play.client(0).held()->held_at(play.now()));
  EXPECT_EQ(play.nodes(), 1U);
  play.finish();
}

/// c0 was alone with the number 0; so is c1's, in a lock node that was made anew.
TEST(counter, f229_of_a_lock_node_that_was_made_anew_tells_nobody_that_it_is_alone) {
  for (const std::size_t cycles : {1U, 2U}) {  // it asks; a watch tells it
    std::vector<user_action> mine, others;
    for (std::size_t i = 0; i < cycles; ++i) {
      for (const user_action& one : {acquire, release}) {
        mine.push_back(one);
        others.push_back(one);
      }
    }
    mine.insert(mine.end(), {acquire, release});
    stage play({.name = "", .programs = {mine, others}, .done_before = {2 * cycles, 0}});
    play.strike(trouble_kind::lock_node_reaped);
    play.settle();
    for (std::size_t i = 0; i + 1 < cycles; ++i) {
      for (const char* const step : {"c1 acquires", "c1 releases"}) {
        play.next(step);
        play.settle();
      }
    }
    for (const char* const step : {"c1 acquires", "c0 acquires"}) {
      play.next(step);
      play.settle();
    }
    EXPECT_EQ(play.client(1).grants(), cycles) << play.timeline();
    EXPECT_EQ(play.client(0).grants(), cycles) << play.timeline();
    play.next("c1 releases");
    play.settle();
    EXPECT_EQ(play.client(0).grants(), cycles + 1);
    play.finish();
  }
}

/// Emptied and made anew, the lock node counts from zero: what helps, as the error says.
TEST(counter, f47_starts_afresh_with_the_lock_node) {
  stage play({.name = "", .programs = {{acquire, acquire, release}}});
  play.world().judges().may_be_refused_with(make_error_code(errc::queue_exhausted));
  play.servers().administrator().set_sequence_counter(lock_path, INT32_MAX);
  play.next("c0 acquires");
  play.settle();
  EXPECT_EQ(play.client(0).grants(), 0U);
  play.strike(trouble_kind::lock_node_reaped);
  play.next("c0 acquires");
  play.settle();
  EXPECT_EQ(play.client(0).grants(), 1U);
  play.finish();
}

}  // namespace
}  // namespace zklock::sim
