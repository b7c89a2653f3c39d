// Multi-locks, led by hand through what has gone wrong elsewhere (section 10 of the fault catalogue).
#include "recipes/code.hpp"
#include "src/errors/error_of.hpp"
#include "tests/sim/stage.hpp"

namespace zklock::sim {
namespace {

using recipes::code;

const user_action both = acquires({{0}, {1}});
const user_action both_backwards = acquires({{1}, {0}});
const user_action second = acquires({{1}});

scenario two_locks(std::vector<script> programs, std::vector<std::size_t> done_before) {
  return {.name = "multi-lock",
          .programs = std::move(programs),
          .done_before = std::move(done_before),
          .locks = {{.path = "/l"}, {.path = "/m"}}};
}

TEST(simulated_multi_lock, f64_one_limit_counts_for_all_the_parts) {
  const user_action both_in_time{user_action::kind::acquire, std::chrono::seconds(1), {{0}, {1}}};
  stage play(two_locks({{acquire, drop}, {second, drop}, {both_in_time, drop}}, {1, 1, 1}));
  play.wait(std::chrono::milliseconds(500));
  play.next("c0 drops");
  play.settle();
  play.wait(std::chrono::milliseconds(400));
  EXPECT_TRUE(play.client(2).waiting());
  play.wait(std::chrono::milliseconds(200));
  EXPECT_FALSE(play.client(2).waiting()) << play.timeline();
  EXPECT_EQ(play.client(2).grants(), 0U);
  EXPECT_EQ(play.nodes("/l"), 0U) << "nothing is left of the part that was free";
  EXPECT_EQ(play.nodes("/m"), 1U);
}

TEST(simulated_multi_lock, f65_opposite_lists_of_the_same_locks_both_finish) {
  stage play(two_locks({{both, drop}, {both_backwards, drop}}, {}));
  play.play("drops");
  EXPECT_EQ(play.client(0).grants() + play.client(1).grants(), 1U) << play.timeline();
  play.finish();
  EXPECT_EQ(play.client(0).grants() + play.client(1).grants(), 2U);
}

TEST(simulated_multi_lock, f66_when_one_part_fails_none_is_kept_although_removals_fail) {
  // one try, and the second part is taken
  stage play(two_locks({{second, drop}, {{user_action::kind::try_once, std::nullopt, {{0}, {1}}}, drop}}, {1, 0}));
  play.next("c1 tries");
  play.until("c1 -> s0: remove");
  play.strike(trouble_kind::request_lost, 1);
  play.wait(std::chrono::seconds(1));
  EXPECT_EQ(play.client(1).grants(), 0U);
  EXPECT_EQ(play.nodes("/l"), 0U) << play.timeline();
  EXPECT_EQ(play.nodes("/m"), 1U);
}

TEST(simulated_multi_lock, f67_with_its_first_lost_part_it_is_lost_and_the_others_are_released) {
  stage play(two_locks({{both, drop}, {second, drop}}, {1, 1}));
  const auto hold = play.client(0).held();
  play.wait(std::chrono::seconds(1));  // its nodes are watched
  play.strike(trouble_kind::node_removed, 0);
  play.settle();
  EXPECT_EQ(hold->why_lost(), loss_reason::node_removed) << play.timeline();
  EXPECT_EQ(hold->lost_part(), "/l");
  EXPECT_TRUE(play.client(1).held()) << "the other part is released";
}

TEST(simulated_multi_lock, f108_a_part_that_is_gone_already_keeps_no_other_from_being_removed) {
  stage play(two_locks({{both, drop}, {second, drop}}, {1, 1}));
  play.strike(trouble_kind::node_removed, 0);  // and no server has told of it yet
  play.next("c0 drops");
  play.settle();
  EXPECT_EQ(play.nodes("/l"), 0U);
  EXPECT_TRUE(play.client(1).held()) << play.timeline();
}

TEST(simulated_multi_lock, f109_a_part_that_is_held_already_is_not_waited_for) {
  stage play(two_locks({{acquire, both, drop}}, {1}));
  play.next("c0 acquires");
  EXPECT_EQ(play.lines_with("it holds a part already"), 1) << play.timeline();
  EXPECT_FALSE(play.client(0).waiting());
}

TEST(simulated_multi_lock, f65_parts_stand_in_the_same_order_in_every_queue) {
  stage play(two_locks({{both, drop}, {both_backwards, drop}, {both, drop}, {both_backwards, drop}}, {1, 1, 1, 1}));
  const auto first = play.servers().children("/l");
  const auto other = play.servers().children("/m");
  ASSERT_EQ(first.size(), 4U);
  ASSERT_EQ(other.size(), 4U);
  const auto tokens = [](const auto& children) {
    std::vector<std::int64_t> all;
    for (const auto& child : children) {
      all.push_back(child.czxid);
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  EXPECT_EQ(tokens(first), tokens(other)) << "each pair was created by one transaction";
}

TEST(simulated_multi_lock, f66_after_an_unknown_outcome_it_is_found_again_or_made_anew_but_never_half) {
  for (const trouble_kind loss :
       {trouble_kind::request_lost, trouble_kind::request_applied, trouble_kind::reply_lost}) {
    stage play(two_locks({{both, drop}}, {}));
    play.next("c0 acquires");
    if (loss == trouble_kind::reply_lost) {
      play.until("c0 <- s0: reply #2");
    }
    play.strike(loss, 0);
    play.wait(std::chrono::seconds(1));
    EXPECT_TRUE(play.client(0).held()) << play.timeline();
    EXPECT_EQ(play.nodes("/l"), 1U);
    EXPECT_EQ(play.nodes("/m"), 1U);
    play.finish();
  }
}

/// What the leader says when a local session creates ephemeral nodes: the session is over, although it lives.
TEST(simulated_multi_lock, f194_refused_as_a_whole_it_is_told_so_and_asks_no_more) {
  for (const code with : {code::session_expired, code::ephemeral_on_local_session, code::authentication_required}) {
    stage play(two_locks({{both, drop}}, {}));
    play.world().judges().may_be_refused_with(
        detail::error_of(with == code::session_expired ? code::ephemeral_on_local_session : with));
    play.next("c0 acquires");
    play.servers().network().answer_next_with(0, with);
    play.settle();
    play.wait(std::chrono::seconds(3));
    EXPECT_EQ(play.lines_with("c0 not granted"), 1) << recipes::name(with) << "\n" << play.timeline();
    EXPECT_EQ(play.lines_with("c0 -> s0: multi {create"), 1) << play.timeline();
    EXPECT_EQ(play.nodes("/l") + play.nodes("/m"), 0U);
    play.finish();
  }
}

}  // namespace
}  // namespace zklock::sim
