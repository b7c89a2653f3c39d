#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "recipes/multi_contender.hpp"

/// Contenders that are begun one by one, as Curator does, where one step may pass when the next is held.
namespace zklock::recipes {
namespace {

using enum multi_action;
using state = multi_contender::state;
using actions = multi_contender::action_vector;
namespace event = multi_event;

/// A mutex, two permits of a semaphore (the mutex beside its leases, then both leases), and another mutex.
const std::vector<place_turn> mutex_permits_mutex{{0}, {1, true}, {2}, {2}, {3}};
constexpr std::size_t places = 5;

multi_contender begun() {
  multi_contender machine(mutex_permits_mutex);
  static_cast<void>(machine.resume(event::connected{}));
  return machine;
}

/// With the places before this one granted.
multi_contender waiting_for(std::size_t place) {
  multi_contender machine = begun();
  for (std::size_t one = 0; one < place; ++one) {
    static_cast<void>(machine.resume(event::granted{one, {static_cast<std::int64_t>(100 + one)}}));
  }
  return machine;
}

TEST(multi_contender_in_turn, f109_each_step_begins_when_the_one_before_is_held_and_the_last_is_the_grant) {
  multi_contender machine(mutex_permits_mutex);
  EXPECT_TRUE(machine.needs_connection());
  EXPECT_EQ(machine.resume(event::connected{}), actions{begin_step});
  EXPECT_EQ(machine.step(), 0U);
  EXPECT_FALSE(machine.needs_connection()) << "its contenders ask for themselves";
  EXPECT_EQ(machine.resume(event::connected{}), actions{}) << "only once";
  EXPECT_EQ(machine.resume(event::granted{0, {7}}), actions{begin_step});
  EXPECT_EQ(machine.step(), 1U);
  EXPECT_EQ(machine.resume(event::granted{1, {8}}), actions{begin_step}) << "the passing one is needed still";
  EXPECT_EQ(machine.resume(event::granted{2, {9}}), actions{}) << "all of a step have to be held";
  EXPECT_EQ(machine.resume(event::granted{3, {10}}), (actions{let_pass, begin_step}));
  EXPECT_EQ(machine.step(), 3U) << "it passes while the next is asked for";
  EXPECT_EQ(machine.resume(event::granted{4, {11}}), actions{grant});
  EXPECT_EQ(machine.now(), state::granted);
  EXPECT_EQ(machine.token().czxid, 7);
}

TEST(multi_contender_in_turn, f58_the_last_of_a_step_has_not_counted_one_made_after_it_and_all_begin_again) {
  multi_contender machine = waiting_for(2);
  EXPECT_EQ(machine.resume(event::granted{3, {10}}), (actions{dissolve, start_over}));
  EXPECT_EQ(machine.resume(event::granted{2, {9}}), actions{}) << "it is being removed";
}

TEST(multi_contender_in_turn, a_semaphore_alone_lets_its_mutex_pass_before_it_is_granted) {
  multi_contender machine(std::vector<place_turn>{{0, true}, {1}});
  static_cast<void>(machine.resume(event::connected{}));
  EXPECT_EQ(machine.resume(event::granted{0, {8}}), actions{begin_step});
  EXPECT_EQ(machine.resume(event::granted{1, {9}}), (actions{let_pass, grant}));
  EXPECT_EQ(machine.token().czxid, 9) << "never that of the mutex, which has gone by then";
}

TEST(multi_contender_in_turn, f66_a_contender_that_is_refused_at_any_step_ends_it_and_is_named) {
  for (std::size_t step = 0; step < places; ++step) {
    multi_contender machine = waiting_for(step);
    EXPECT_EQ(machine.resume(event::refused{step, refusal::server_error, code::no_auth}), (actions{refuse, dissolve}));
    EXPECT_EQ(machine.now(), state::over);
    EXPECT_EQ(machine.place(), step);
    EXPECT_EQ(machine.why_refused(), refusal::server_error);
    EXPECT_EQ(machine.refused_with(), code::no_auth);
    EXPECT_EQ(machine.resume(event::granted{step, {1}}), actions{});
    EXPECT_EQ(machine.resume(event::refused{0, refusal::abandoned}), actions{}) << "that is the dissolving";
  }
}

/// Granted, too: as long as it is told, the caller has not heard of the grant.
TEST(multi_contender_in_turn, f66_a_contender_that_goes_is_a_new_start_with_all) {
  for (std::size_t held = 0; held <= places; ++held) {
    for (std::size_t gone = 0; gone <= std::min(held, places - 1); ++gone) {
      multi_contender machine = waiting_for(held);
      EXPECT_EQ(machine.resume(event::gone{gone}), (actions{dissolve, start_over})) << held << " " << gone;
      EXPECT_FALSE(machine.lock_nodes_missing()) << "each makes its own";
      EXPECT_EQ(machine.resume(event::gone{gone}), actions{});
    }
  }
}

TEST(multi_contender_in_turn, f29_stopping_in_any_state_answers_once_and_dissolves) {
  std::vector<multi_contender> all{multi_contender(mutex_permits_mutex)};
  for (std::size_t place = 0; place <= places; ++place) {
    all.push_back(waiting_for(place));
  }
  for (multi_contender machine : all) {
    EXPECT_EQ(machine.resume(event::stop{refusal::not_in_time}), (actions{refuse, dissolve}));
    EXPECT_EQ(machine.place(), places) << "none in particular";
    EXPECT_EQ(machine.resume(event::stop{refusal::closed}), actions{});
    EXPECT_EQ(machine.resume(event::connected{}), actions{});
  }
}

TEST(multi_contender_in_turn, f66_whatever_it_is_told_it_answers_once_and_grants_only_what_is_held) {
  std::mt19937 random(66);  // NOLINT: the same walks every time
  std::uniform_int_distribution<int> pick(0, 9);
  std::uniform_int_distribution<std::size_t> place(0, places - 1);
  int grants = 0;
  for (int round = 0; round < 20'000; ++round) {
    multi_contender machine(mutex_permits_mutex);
    std::vector<bool> held(places, false);
    int granted = 0;
    int others = 0;  // one of these may follow a grant, of which the caller has not been told yet
    int ends = 0;
    for (int told = 0; told < 12; ++told) {
      const std::size_t one = place(random);
      const int what = pick(random);
      actions done;
      if (what < 2) {
        done = machine.resume(event::connected{});
      } else if (what < 9) {
        held[one] = held[one] || machine.now() == state::waiting;
        done = machine.resume(event::granted{one, {1}});
      } else {
        done =
            round % 2 == 0 ? machine.resume(event::gone{one}) : machine.resume(event::refused{one, refusal::abandoned});
      }
      for (const multi_action action : done) {
        if (action == grant) {
          ++granted;
          ASSERT_EQ(others, 0);
          ASSERT_EQ(held, std::vector<bool>(places, true));
        }
        others += action == refuse || action == start_over ? 1 : 0;
        ends += action == dissolve ? 1 : 0;
      }
    }
    grants += granted;
    ASSERT_LE(granted, 1);
    ASSERT_LE(others, 1);
    ASSERT_EQ(ends, others);
  }
  EXPECT_GT(grants, 0);
}

}  // namespace
}  // namespace zklock::recipes
