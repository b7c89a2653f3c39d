// Semaphores, led by hand through what has gone wrong elsewhere (section 9 of the fault catalogue).
#include "tests/sim/stage.hpp"

namespace zklock::sim {
namespace {

using detail::side;

const user_action one = acquires({permits(1)});
const user_action two = acquires({permits(2)});

scenario semaphore_of(std::uint32_t limit, std::vector<script> programs, std::vector<std::size_t> done_before,
                      bool asserted = true) {
  return {.name = "semaphore",
          .programs = std::move(programs),
          .done_before = std::move(done_before),
          .locks = {{.kind = recipe::semaphore, .limit = limit, .asserted = asserted}}};
}

TEST(simulated_semaphore, f58_two_clients_that_want_all_the_permits_get_them_one_after_the_other) {
  stage play(semaphore_of(2, {{two, drop}, {two, drop}}, {}));
  play.play("drops");
  EXPECT_EQ(play.client(0).grants() + play.client(1).grants(), 1U) << play.timeline();
  EXPECT_EQ(play.nodes(), 2U) << "all of them in one node each";
  play.finish();
  EXPECT_EQ(play.client(0).grants() + play.client(1).grants(), 2U);
}

TEST(simulated_semaphore, f59_whichever_permit_comes_back_the_first_waiter_is_granted) {
  for (const char* leaver : {"c0 drops", "c1 drops", "c2 drops"}) {
    stage play(semaphore_of(3, {{one, drop}, {one, drop}, {one, drop}, {one, drop}, {one, drop}}, {1, 1, 1, 1, 1}));
    ASSERT_FALSE(play.client(3).held());
    play.next(leaver);
    play.settle();
    EXPECT_TRUE(play.client(3).held()) << leaver << "\n" << play.timeline();
    EXPECT_FALSE(play.client(4).held());
    play.finish();
  }
}

TEST(simulated_semaphore, f60_a_dead_first_waiter_delays_the_others_by_a_session_timeout_at_the_most) {
  stage play(semaphore_of(2, {{one, drop}, {one, drop}, {one, drop}, {one, drop}}, {1, 1, 1, 1}));
  play.strike(trouble_kind::client_crashed, 2);
  play.next("c0 drops");
  play.wait(std::chrono::seconds(7));
  EXPECT_TRUE(play.client(3).held()) << play.timeline();
}

TEST(simulated_semaphore, f61_a_permit_whose_node_was_made_without_word_of_it_is_not_lost) {
  stage play(semaphore_of(1, {{one, drop}, {one, drop}}, {}));
  play.next("c0 acquires");
  play.strike(trouble_kind::request_applied, 0);
  play.play("drops");
  EXPECT_EQ(play.client(0).grants(), 1U) << play.timeline();
  play.finish();
  EXPECT_EQ(play.client(1).grants(), 1U);
  EXPECT_EQ(play.nodes(), 0U);
}

TEST(simulated_semaphore, f62_a_release_gives_back_its_own_permits_and_no_others) {
  stage play(semaphore_of(5, {{two, drop}, {one, drop}, {two, drop}}, {1, 1, 1}));
  play.next("c1 drops");
  play.settle();
  EXPECT_EQ(play.nodes(), 2U);
  EXPECT_TRUE(play.client(0).held()->held_at(play.now()));
  EXPECT_TRUE(play.client(2).held()->held_at(play.now()));
  for (const auto& child : play.servers().children(lock_path)) {
    EXPECT_NE(child.name.find("-2-"), std::string::npos) << child.name << " is a node of two";
  }
}

TEST(simulated_semaphore, f107_thousands_of_permits_are_one_node_that_is_found_again_if_its_reply_is_lost) {
  const user_action many = acquires({permits(5000)});
  stage play(semaphore_of(6000, {{many, drop}, {many, drop}}, {}));
  play.next("c0 acquires");
  play.strike(trouble_kind::request_applied, 0);
  play.play("drops");
  EXPECT_EQ(play.client(0).grants(), 1U) << play.timeline();
  EXPECT_EQ(play.nodes(), 2U) << "one each, the second one waits";
  play.finish();
  EXPECT_EQ(play.client(1).grants(), 1U);
}

TEST(simulated_semaphore, f63_a_raised_limit_wakes_the_waiter_that_fits_now) {
  stage play(semaphore_of(1, {{one, drop}, {one, drop}, {sets_limit(2)}}, {1, 1, 0}, false));
  ASSERT_FALSE(play.client(1).held());
  play.next("c2 sets");
  play.settle();
  EXPECT_TRUE(play.client(1).held()) << play.timeline();
}

TEST(simulated_semaphore, f106_a_holder_granted_at_once_lets_the_one_behind_it_know) {
  // a: the second holder has been granted by its own first list, which showed the waiter behind it
  stage play(semaphore_of(2, {{one, drop}, {one, drop}, {one, drop}, {one, drop}}, {1, 1, 0, 0}));
  play.next("c2 acquires");
  play.until("c2 -> s0: list");
  play.next("c3 acquires");
  play.settle("c2 ->");
  play.next("c0 drops");
  play.settle("c2 ->");  // gone before c2 has looked
  play.settle();
  ASSERT_TRUE(play.client(2).held()) << play.timeline();
  play.next("c1 drops");
  play.settle();
  EXPECT_TRUE(play.client(3).held()) << "a permit is free\n" << play.timeline();
}

TEST(simulated_semaphore, f106_a_waiter_behind_holders_of_a_higher_limit_hears_of_all_of_them) {
  // b: the limit was three when they came
  for (const char* last : {"c0 drops", "c1 drops", "c2 drops"}) {
    stage play(
        semaphore_of(3, {{one, drop}, {one, drop}, {one, drop}, {one, drop}, {sets_limit(2)}}, {1, 1, 1, 0, 1}, false));
    play.next("c3 acquires");
    play.settle();
    for (const char* leaver : {"c0 drops", "c1 drops", "c2 drops"}) {
      if (leaver != last) {
        play.next(leaver);
        play.settle();
      }
    }
    EXPECT_TRUE(play.client(3).held()) << "while " << last << " last\n" << play.timeline();
    play.finish();
  }
}

TEST(simulated_semaphore, f59_a_first_waiter_keeps_its_watches_when_a_list_without_one_fails) {
  // the limit is raised, and the connection breaks while the first waiter looks whether it fits now
  stage play(semaphore_of(2, {{two, drop}, {two, drop}, {sets_limit(3)}}, {1, 1, 0}, false));
  play.next("c2 sets");
  play.until("c1 -> s0: list /l");
  play.strike(trouble_kind::request_lost, 1);
  play.wait(std::chrono::milliseconds(400));
  ASSERT_TRUE(play.client(1).waiting());
  play.next("c0 drops");
  play.settle();
  EXPECT_TRUE(play.client(1).held()) << play.timeline();
}

TEST(simulated_semaphore, f106_comings_and_goings_wake_the_first_waiter_alone) {
  stage play(semaphore_of(2, {{one, drop}, {one, drop}, {two, drop}, {one, drop}, {one, drop}, {one, drop}},
                          {1, 1, 1, 1, 1, 0}));
  play.next("c5 acquires");
  play.settle();
  play.next("c0 drops");
  play.settle();
  EXPECT_EQ(play.lines_with("c2 <- s0: children changed /l"), 2) << play.timeline();
  EXPECT_EQ(play.lines_with("children changed /l"), 2);
  EXPECT_EQ(play.lines_with("c3 <- s0: deleted"), 0);
}

TEST(simulated_semaphore, f191_permits_that_come_free_at_once_let_in_all_of_a_session_that_fit) {
  scenario plays = semaphore_of(4, {{acquires({permits(4)}), drop}, {one, drop}, {one, drop}, {one, drop}, {one, drop}},
                                {1, 1, 1, 1, 1});
  plays.thread_of = {-1, -1, 1, 1, 1};
  stage play(std::move(plays));
  const std::ptrdiff_t lists = play.lines_with("c1 -> s0: list /l");
  play.next("c0 drops");
  play.until("c1 -> s0: list /l");
  play.next("c1 -> s0: list /l");
  play.settle("c1 ->");
  for (int client = 1; client <= 4; ++client) {
    EXPECT_TRUE(play.client(client).held()) << client << "\n" << play.timeline();
  }
  EXPECT_EQ(play.lines_with("c1 -> s0: list /l"), lists + 1);
  play.finish();
}

}  // namespace
}  // namespace zklock::sim
