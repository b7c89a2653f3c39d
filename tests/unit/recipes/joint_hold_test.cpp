#include "recipes/joint_hold.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace zklock::recipes {
namespace {

using enum joint_action::kind;
using state = joint_hold::state;
using actions = joint_hold::action_vector;
namespace event = joint_event;

constexpr std::size_t places = 3;
const actions lost_by_all{{report_loss}, {lose, 0}, {lose, 1}, {lose, 2}};
const actions removed{{stop, 2}, {stop, 1}, {stop, 0}, {ungroup}};

actions operator+(actions first, const actions& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

joint_hold held() { return {places, true}; }

joint_hold told(joint_hold machine, const std::vector<joint_hold_event>& several) {
  for (const joint_hold_event& one : several) {
    static_cast<void>(machine.resume(one));
  }
  return machine;
}

/// By the local deadline, on a handle that lives on.
joint_hold kept() { return told(held(), {event::holds_over{true}, event::ended{true}}); }

joint_hold closed() { return told(held(), {event::holds_over{false}, event::ended{true}}); }

TEST(joint_hold, f67_f108_with_the_first_that_is_lost_all_are_and_their_nodes_go_the_last_first) {
  joint_hold machine = held();
  EXPECT_EQ(machine.resume(event::lost{1, true}), (actions{{blame, 1}}));
  EXPECT_EQ(machine.resume(event::ended{true}), lost_by_all + removed);
  EXPECT_EQ(machine.now(), state::apart);
}

TEST(joint_hold, f67_no_part_is_to_blame_for_what_ends_the_session) {
  EXPECT_EQ(held().resume(event::lost{1, false}), actions{{end}});
  EXPECT_EQ(held().resume(event::holds_over{true}), actions{{end}});
  EXPECT_EQ(held().resume(event::holds_over{false}), actions{{end}});
}

TEST(joint_hold, of_permits_has_no_part_that_could_be_to_blame) {
  EXPECT_EQ(joint_hold(places, false).resume(event::lost{1, true}), actions{{end}});
}

TEST(joint_hold, that_was_given_back_just_before_a_loss_loses_only_what_has_gone) {
  joint_hold by_place = told(held(), {event::lost{1, true}});
  EXPECT_EQ(by_place.resume(event::ended{false}), (actions{{lose, 1}, {ungroup}}));
  joint_hold by_session = told(held(), {event::holds_over{true}});
  EXPECT_EQ(by_session.resume(event::ended{false}), actions{{ungroup}}) << "each contender hears it for itself";
}

TEST(joint_hold, past_the_local_deadline_the_nodes_stand_until_the_margin_is_over) {
  joint_hold machine = told(held(), {event::holds_over{true}});
  EXPECT_EQ(machine.resume(event::ended{true}), lost_by_all + actions{{keep}});
  EXPECT_EQ(machine.resume(event::holds_over{true}), actions{}) << "it is lost already";
  EXPECT_EQ(machine.resume(event::lost{1, true}), (actions{{forget, 1}})) << "the others stay";
  EXPECT_EQ(machine.resume(event::lost{1, true}), actions{});
  EXPECT_EQ(machine.resume(event::margin_over{}), (actions{{release, 2}, {release, 0}, {ungroup}}));
}

TEST(joint_hold, nodes_that_stand_go_with_their_session) {
  EXPECT_EQ(kept().resume(event::session_over{}), actions{{ungroup}});
  EXPECT_EQ(held().resume(event::session_over{}), actions{}) << "its contenders say so";
}

TEST(joint_hold, what_comes_too_late_or_too_early_changes_nothing) {
  const joint_hold ending = told(held(), {event::lost{1, true}});
  const std::vector<std::pair<joint_hold, std::vector<joint_hold_event>>> all{
      {held(), {event::ended{true}, event::margin_over{}, event::session_over{}}},
      {ending, {event::lost{0, true}, event::holds_over{true}, event::margin_over{}, event::session_over{}}},
      {closed(),
       {event::lost{0, true}, event::holds_over{true}, event::ended{true}, event::margin_over{},
        event::session_over{}}},
      {kept(), {event::holds_over{true}, event::ended{true}}}};
  for (const auto& [before, several] : all) {
    for (const joint_hold_event& one : several) {
      joint_hold machine = before;
      EXPECT_EQ(machine.resume(one), actions{}) << static_cast<int>(before.now()) << " " << one.index();
      EXPECT_EQ(machine, before);
    }
  }
}

TEST(joint_hold, falls_apart_when_a_contender_is_released_and_says_nothing_more) {
  for (joint_hold machine : {held(), kept(), closed()}) {
    EXPECT_EQ(machine.resume(event::released{}), actions{{ungroup}});
    const joint_hold apart = machine;
    for (const joint_hold_event& one :
         std::vector<joint_hold_event>{event::lost{0, true}, event::holds_over{true}, event::ended{true},
                                       event::released{}, event::margin_over{}, event::session_over{}, event::stop{}}) {
      EXPECT_EQ(machine.resume(one), actions{});
      EXPECT_EQ(machine, apart);
    }
  }
}

TEST(joint_hold, f29_stopped_in_any_state_removes_what_is_there) {
  for (joint_hold machine : {held(), told(held(), {event::lost{1, true}}), kept(), closed()}) {
    EXPECT_EQ(machine.resume(event::stop{}), removed);
  }
  joint_hold one_gone = told(kept(), {event::lost{2, true}});
  EXPECT_EQ(one_gone.resume(event::stop{}), (actions{{stop, 1}, {stop, 0}, {ungroup}}));
}

}  // namespace
}  // namespace zklock::recipes
