// What a leader tells that was deposed, and what servers could not tell: schedules, replayed exactly.
#include <gtest/gtest.h>

#include <utility>

#include "tests/sim/stage.hpp"

namespace zklock::sim {
namespace {

using namespace std::chrono_literals;

/// The second client creates its node through the new leader, hears nothing of that, and is with the old one next.
TEST(contender, f170_a_node_that_a_deposed_leader_does_not_know_is_not_left_behind) {
  stage play({.name = "", .programs = {{acquire, release}, {acquire, abandon}}, .servers = 3, .sync_limit = 20});
  play.strike(trouble_kind::leader_deposed);
  play.settle();
  play.next("c1 acquires");
  play.next("c1 -> s2: create");
  play.next("leader <- s2");
  ASSERT_EQ(play.nodes(), 1U);
  play.strike(trouble_kind::connection_cut, 1);
  play.next("c1 abandons");
  play.settle();
  EXPECT_TRUE(play.servers().view().with_deposed(1)) << play.timeline();
  play.servers().control().join_follower(0);
  play.finish();
}

/// The servers hear of the holder when it connects, and of nothing that it asks before that is answered.
TEST(a_holder, f181_whose_reconnect_is_answered_late_is_proven_by_it_and_by_nothing_later) {
  stage play({.name = "", .programs = {{acquire, rest(20s), release}}, .done_before = {1}});
  const std::shared_ptr<detail::hold> hold = play.client(0).held();
  play.next("c0 rests");
  play.wait(1s);
  play.servers().network().hold(0, false, true);
  play.strike(trouble_kind::connection_cut);
  play.settle();
  const instant connect = play.now();
  const instant before = hold->valid_until();
  play.wait(2s);
  play.servers().network().hold(0, false, false);
  play.settle();
  EXPECT_GE(hold->valid_until(), before);
  EXPECT_LT(hold->valid_until(), connect + 6s - 500ms);
  play.wait(2s);
  EXPECT_GT(hold->valid_until(), connect + 6s) << "by answers that it gets";
  play.finish();
}

/// Its client leaves the server 2/3 of a timeout after the last answer: the deadline is ahead then, whenever it froze.
TEST(a_holder, is_not_lost_by_a_frozen_follower) {
  for (const auto& [idle, quiet] : {std::pair(0ms, 0ms), {3500ms, 0ms}, {4000ms, 0ms}, {0ms, 20'000ms}}) {
    for (instant held = quiet + (idle == 0ms ? 20ms : 520ms); held < quiet + 8s;
         held += 170ms) {  // T/12: until the first beat
      stage play({.name = "", .programs = {{}, {acquire, rest(60s), release}}, .servers = 3});
      play.wait(idle);
      play.next("c1 acquires");
      play.settle();
      const std::shared_ptr<detail::hold> hold = play.client(1).held();
      ASSERT_TRUE(hold);
      play.next("c1 rests");
      play.wait(held);
      play.strike(trouble_kind::server_silent, 1);
      play.wait(11s);
      ASSERT_TRUE(hold->held_at(play.now())) << "frozen " << held << " behind its grant, idle " << idle << " before";
    }
  }
}

/// The holder's connection is cut when the servers have lowered the greatest timeout; nothing reaches it for a while.
struct lowered_timeout : ::testing::Test {
  static constexpr auto timeout = 6000ms;

  lowered_timeout() {
    play.next("c0 rests");
    play.wait(1s);
    play.servers().administrator().bound_timeouts(500ms, timeout / 2);
    play.servers().network().hold(0, false, true);
    play.strike(trouble_kind::connection_cut);
    play.settle();
  }
  void tell_after(instant time) {
    play.wait(time);
    play.servers().network().hold(0, false, false);
    play.settle();
  }

  stage play{{.name = "", .programs = {{acquire, rest(20s), release}, {acquire, release}}, .done_before = {1, 1}}};
  std::shared_ptr<detail::hold> hold = play.client(0).held();
};

TEST_F(lowered_timeout, f140_moves_the_deadline_back_when_it_is_told) {
  const instant before = hold->valid_until();
  tell_after(1s);
  EXPECT_LT(hold->valid_until(), before);
  EXPECT_TRUE(hold->held_at(play.now()));
  play.wait(2 * timeout);
  EXPECT_EQ(play.client(1).grants(), 0U) << "the holder goes on with the smaller timeout";
  play.finish();
  EXPECT_FALSE(play.world().judges().excused_by_untold_timeout());
}

/// The named limitation: what the client was never told it cannot know.
TEST_F(lowered_timeout, f171_that_is_never_told_leaves_two_holders_which_is_counted_apart) {
  play.wait(timeout * 2 / 3 - 1ms);
  EXPECT_EQ(play.client(1).grants(), 1U) << play.timeline();
  EXPECT_TRUE(hold->held_at(play.now())) << "it reckons with the timeout that it knows";
  EXPECT_TRUE(play.world().judges().excused_by_untold_timeout());
  play.servers().network().hold(0, false, false);
  play.finish();
}

}  // namespace
}  // namespace zklock::sim
