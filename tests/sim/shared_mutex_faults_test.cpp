// Read/write locks, led by hand through what has gone wrong elsewhere (section 8 of the fault catalogue).
#include "tests/sim/stage.hpp"

namespace zklock::sim {
namespace {

using namespace std::chrono_literals;

const user_action read = acquires({reading});
const user_action write_lock = acquires({writing});
const user_action read_too = reenters(reading);

scenario shared_by(std::vector<script> programs, std::vector<std::size_t> done_before) {
  return {.name = "read/write",
          .programs = std::move(programs),
          .done_before = std::move(done_before),
          .locks = {{.kind = recipe::shared}}};
}

TEST(simulated_shared_mutex, f52_no_queued_writer_gets_in_between_a_downgrade_and_the_end_of_the_reading) {
  for (const bool by_unlock : {false, true}) {
    const script first =
        by_unlock ? script{write_lock, read_too, drop_first, drop} : script{write_lock, downgrade, drop};
    stage play(shared_by({first, {write_lock, drop}, {read, drop}}, {by_unlock ? 2U : 1U, 1, 1}));
    const auto token = play.client(0).held()->token();
    play.next(by_unlock ? "c0 drops its first" : "c0 downgrades");
    play.settle();
    EXPECT_TRUE(play.client(0).held()->held_at(play.now()));
    EXPECT_EQ(play.client(0).held()->token(), token);
    EXPECT_FALSE(play.client(1).held()) << play.timeline();
    EXPECT_FALSE(play.client(2).held()) << "it came behind the writer";
    play.next("c0 drops");
    play.settle();
    EXPECT_TRUE(play.client(1).held());
    play.finish();
    EXPECT_EQ(play.nodes(), 0U);
  }
}

TEST(simulated_shared_mutex, f52_a_reader_behind_the_writer_is_let_in_by_its_downgrade) {
  stage play(shared_by({{write_lock, downgrade, drop}, {read, drop}}, {1, 1}));
  ASSERT_FALSE(play.client(1).held());
  play.next("c0 downgrades");
  play.settle();
  EXPECT_TRUE(play.client(1).held()) << play.timeline();
  EXPECT_TRUE(play.client(0).held()->held_at(play.now()));
}

TEST(simulated_shared_mutex, f53_both_halves_are_given_back_in_either_order_and_no_node_is_left) {
  for (const user_action& first : {drop, drop_first}) {
    stage play(shared_by({{write_lock, read_too, first, drop}, {write_lock, drop}}, {2, 1}));
    ASSERT_EQ(play.client(0).counts_held(), 2U) << "the writer's own read is granted at once";
    play.next("c0 drops");
    play.settle();
    EXPECT_TRUE(play.client(0).held()->held_at(play.now())) << "the inner one never ends the outer one";
    EXPECT_FALSE(play.client(1).held());
    play.next("c0 drops");
    play.settle();
    EXPECT_TRUE(play.client(1).held()) << play.timeline();
    play.finish();
    EXPECT_EQ(play.nodes(), 0U);
  }
}

TEST(simulated_shared_mutex, f54_a_reader_that_asks_to_write_is_refused_at_once_and_reads_on) {
  stage play(shared_by({{read, reenters(writing), drop}}, {1}));
  play.next("c0 re-enters");
  EXPECT_EQ(play.lines_with("not re-entered: it reads"), 1) << play.timeline();
  EXPECT_EQ(play.client(0).counts_held(), 1U);
  EXPECT_TRUE(play.client(0).held()->held_at(play.now()));
}

TEST(simulated_shared_mutex, f55_a_reader_never_waits_for_a_writer_that_came_later) {
  stage play(shared_by({{write_lock, drop}, {read, drop}, {write_lock, drop}}, {1, 1, 1}));
  play.next("c0 drops");
  play.settle();
  EXPECT_TRUE(play.client(1).held()) << play.timeline();
  EXPECT_FALSE(play.client(2).held());
  play.finish();
}

TEST(simulated_shared_mutex, f56_reading_on_a_write_hold_that_was_lost_is_refused) {
  stage play(shared_by({{write_lock, read_too, drop, drop}, {write_lock, drop}}, {1, 1}));
  play.strike(trouble_kind::session_expired, 0);
  play.settle();
  EXPECT_TRUE(play.client(1).held());
  play.next("c0 re-enters");
  EXPECT_EQ(play.lines_with("not re-entered: lost"), 1) << play.timeline();
  EXPECT_EQ(play.client(0).counts_held(), 1U);
}

/// A server asks for the right to create before it sees that the reader is there. An operator removes the reader.
TEST(simulated_shared_mutex, f173_a_downgrade_that_may_not_be_repeated_is_not_held_on_when_its_node_has_gone) {
  for (const bool done : {true, false}) {
    scenario plays = shared_by({{write_lock, downgrade, drop}, {write_lock, drop}}, {1, 1});
    plays.locks.front().layout = recipes::layout::curator;
    stage play(std::move(plays));
    play.next("c0 downgrades");
    play.strike(done ? trouble_kind::request_applied : trouble_kind::request_lost, 0);
    const std::string repeat = "c0 -> s0: multi {create";
    for (const instant end = play.now() + 4s; play.now() < end; play.wait(10ms, repeat)) {
      play.settle(repeat);
      if (play.possible(repeat)) {
        play.servers().network().answer_next_with(0, recipes::code::no_auth);
        play.next(repeat);
      }
    }
    EXPECT_TRUE(play.client(0).held()->held_at(play.now())) << play.timeline();
    EXPECT_FALSE(play.client(1).held());
    play.strike(trouble_kind::node_removed, 0);
    play.settle();
    EXPECT_TRUE(play.client(1).held()) << play.timeline();
    EXPECT_EQ(play.lines_with("c0 lost"), 1) << play.timeline();
    play.finish();
    EXPECT_EQ(play.nodes(), 0U);
  }
}

TEST(simulated_shared_mutex, f57_a_writers_release_wakes_the_readers_that_it_lets_in_and_no_other_client) {
  std::vector<script> programs{{write_lock, drop}, {read, drop}, {read, drop}, {write_lock, drop}, {read, drop}};
  stage play(shared_by(std::move(programs), {1, 1, 1, 1, 1}));
  const auto before = play.client(4).requests() + play.client(3).requests();
  play.next("c0 drops");
  play.settle();
  EXPECT_TRUE(play.client(1).held());
  EXPECT_TRUE(play.client(2).held());
  EXPECT_EQ(play.lines_with("deleted /l/write-"), 2) << play.timeline();
  EXPECT_EQ(play.client(4).requests() + play.client(3).requests(), before);
  play.next("c1 drops");
  play.settle();
  play.next("c2 drops");
  play.settle();
  EXPECT_TRUE(play.client(3).held());
  EXPECT_EQ(play.lines_with("c4 <- s0: deleted"), 0) << "at most one wake-up per change of its writer";
}

TEST(simulated_shared_mutex, f100_a_crashed_reader_lets_the_writer_in_and_no_other_client_gets_in_between) {
  stage play(shared_by({{read, drop}, {write_lock, drop}, {read, drop}, {write_lock, drop}}, {1, 1, 1, 1}));
  play.strike(trouble_kind::client_crashed, 0);
  play.wait(std::chrono::seconds(5));
  EXPECT_FALSE(play.client(1).held()) << "its session lives";
  play.wait(std::chrono::seconds(3));
  EXPECT_TRUE(play.client(1).held()) << play.timeline();
  EXPECT_FALSE(play.client(2).held());
}

TEST(simulated_shared_mutex, f105_a_downgraded_grant_keeps_its_token_and_the_next_writers_is_greater) {
  stage play(shared_by({{write_lock, downgrade, drop}, {read, drop}, {write_lock, drop}}, {1, 1, 1}));
  const auto token = play.client(0).held()->token();
  play.next("c0 downgrades");
  play.settle();
  EXPECT_EQ(play.client(0).held()->token(), token);
  EXPECT_GT(play.client(1).held()->token(), token);
  play.next("c0 drops");
  play.next("c1 drops");
  play.settle();
  ASSERT_TRUE(play.client(2).held());
  EXPECT_GT(play.client(2).held()->token(), token);
}

TEST(simulated_shared_mutex, f52_a_downgrade_whose_answer_is_lost_is_repeated_until_it_is_confirmed) {
  for (const trouble_kind loss : {trouble_kind::request_lost, trouble_kind::request_applied}) {
    stage play(shared_by({{write_lock, downgrade, drop}, {read, drop}}, {1, 1}));
    play.next("c0 downgrades");
    play.strike(loss, 0);
    play.wait(std::chrono::seconds(1));
    EXPECT_TRUE(play.client(1).held()) << play.timeline();
    EXPECT_TRUE(play.client(0).held()->held_at(play.now()));
  }
}

}  // namespace
}  // namespace zklock::sim
