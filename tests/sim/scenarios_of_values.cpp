// Some follow a node's value, another one changes it.
#include <algorithm>
#include <utility>

#include "tests/sim/scenario.hpp"

namespace zklock::sim {

bool is_about_a_value(const scenario& plays) {
  return std::any_of(plays.programs.begin(), plays.programs.end(), [](const script& one) {
    return std::any_of(one.begin(), one.end(), [](const user_action& each) {
      return each.what == user_action::kind::follow || each.what == user_action::kind::update_value;
    });
  });
}

namespace {

/// The second program's first server is behind; it is with another one, and its next session begins with the first one
/// again.
scenario in_a_local_session(std::string name, std::vector<script> programs, std::size_t done_before) {
  scenario made{
      .name = std::move(name), .programs = std::move(programs), .done_before = {0, done_before}, .servers = 3};
  made.sync_limit = 20;
  made.local_sessions = true;
  made.suffered_before = {{trouble_kind::follower_cut, 1}, {trouble_kind::connection_cut, 1}};
  made.deviations = 3;
  return made;
}

/// Until all that was suffered before has been suffered.
const user_action so_long{user_action::kind::rest, std::chrono::milliseconds(1)};

std::vector<scenario> only_followed() {
  using kind = user_action::kind;
  const user_action follow{kind::follow};
  const user_action set{kind::set_value};
  const user_action make{kind::make_value};
  const user_action hide{kind::hide_value};
  const user_action remove{kind::remove_value};
  std::vector<scenario> out;
  out.push_back({.name = "value", .programs = {{follow}, {set, set}}, .deviations = 3});
  out.push_back(
      {.name = "value-made-anew", .programs = {{follow}, {remove, make}}, .done_before = {1, 0}, .deviations = 3});
  out.push_back({.name = "value-hidden",
                 .programs = {{follow}, {hide, set, remove, make}},
                 .done_before = {1, 0},
                 .deviations = 3});
  out.push_back({.name = "value-unfollowed",
                 .programs = {{follow, {kind::unfollow}, follow}, {set}},
                 .done_before = {1, 0},
                 .deviations = 3});
  out.push_back({.name = "value-on-three",
                 .programs = {{follow}, {follow}, {set, remove, make}},
                 .done_before = {1, 1, 0},
                 .servers = 3,
                 .deviations = 1});
  out.push_back(in_a_local_session("value-in-a-local-session", {{so_long, set}, {follow}}, 1));
  scenario lost{.name = "value-back-after-long", .programs = {{follow}, {set, make}}, .done_before = {1, 1}};
  lost.about_return = true;
  lost.deviations = 1;
  out.push_back(lost);
  return out;
}

/// Some follow it and update it.
std::vector<scenario> updated_values() {
  using kind = user_action::kind;
  const user_action acquire{kind::acquire};
  const user_action follow{kind::follow};
  const user_action update{kind::update_value};
  const user_action alike{kind::update_alike};
  const user_action drop{kind::drop};
  std::vector<scenario> out;
  out.push_back(
      {.name = "update", .programs = {{follow, update}, {follow, update}}, .done_before = {1, 1}, .deviations = 1});
  out.push_back(
      {.name = "update-alike", .programs = {{follow, alike}, {follow, alike}}, .done_before = {1, 1}, .deviations = 2});
  out.push_back({.name = "update-guarded",
                 .programs = {{acquire, follow, alike, drop}, {acquire, follow, alike, drop}},
                 .done_before = {2, 2},
                 .deviations = 1});
  // somebody removes the holder's node as well: the next one may write the same before the holder is told
  out.push_back(out.back());
  out.back().name = "update-guarded-then-removed";
  out.back().followed_by = {{trouble_kind::node_removed, 0}};
  out.push_back({.name = "update-on-three",
                 .programs = {{follow, update}, {follow, update}},
                 .done_before = {1, 1},
                 .servers = 3,
                 .deviations = 0});
  // it does not follow it: that has a quorum write of its own, which would do for both
  out.push_back(in_a_local_session("update-in-a-local-session", {{}, {so_long, update}}, 0));
  // it comes to the server when its hold is lost at its deadline, and its session still stands there
  const user_action rest{kind::rest, std::chrono::seconds(7)};
  scenario late{.name = "update-late", .programs = {{acquire, update, rest, drop}}, .done_before = {1}};
  late.slow_for = {std::chrono::milliseconds(5200), std::chrono::milliseconds(5600), std::chrono::milliseconds(5800)};
  late.deviations = 3;
  out.push_back(late);
  return out;
}

}  // namespace

std::vector<scenario> followed_values() {
  std::vector<scenario> out = only_followed();
  for (scenario& one : updated_values()) {
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace zklock::sim
