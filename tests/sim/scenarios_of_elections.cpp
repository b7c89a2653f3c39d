// Some stand for an election, others observe who leads.
#include <algorithm>
#include <utility>

#include "tests/sim/scenario.hpp"

namespace zklock::sim {

bool is_about_an_election(const scenario& plays) {
  return std::any_of(plays.programs.begin(), plays.programs.end(), [](const script& one) {
    return std::any_of(one.begin(), one.end(), [](const user_action& each) {
      return each.what == user_action::kind::observe || each.what == user_action::kind::lead;
    });
  });
}

std::vector<scenario> observed_elections() {
  using kind = user_action::kind;
  const user_action stand{kind::acquire};
  const user_action resign{kind::drop};
  const user_action observe{kind::observe};
  const user_action proclaim{kind::proclaim};
  const std::vector<lock_plan> names{{.layout = recipes::layout::curator}};
  std::vector<scenario> out;
  out.push_back({.name = "election",
                 .programs = {{stand, resign}, {stand, resign}, {observe}},
                 .done_before = {1, 1, 1},
                 .locks = names,
                 .deviations = 1});
  out.push_back({.name = "election-of-nobody",
                 .programs = {{stand, resign, stand, resign}, {observe}},
                 .done_before = {0, 1},
                 .locks = names,
                 .deviations = 2});
  out.push_back({.name = "election-first-use",
                 .programs = {{stand, resign}, {observe}},
                 .locks = names,
                 .lock_node_there = false,
                 .deviations = 2});
  out.push_back({.name = "election-proclaimed",
                 .programs = {{stand, proclaim, proclaim, resign}, {stand, resign}, {observe}},
                 .done_before = {1, 1, 1},
                 .locks = names,
                 .deviations = 1});
  // an operator removes the leader's node as well
  out.push_back({.name = "election-then-removed",
                 .programs = {{stand, proclaim, resign}, {stand, resign}, {stand, resign}, {observe}, {observe}},
                 .done_before = {1, 1, 1, 1, 1},
                 .locks = names,
                 .followed_by = {{trouble_kind::node_removed, 0}},
                 .deviations = 0});
  out.push_back({.name = "election-unobserved",
                 .programs = {{stand, resign}, {observe, {kind::unfollow}, observe}},
                 .done_before = {1, 1},
                 .locks = names,
                 .deviations = 2});
  out.push_back({.name = "election-on-three",
                 .programs = {{stand, proclaim, resign}, {stand, resign}, {observe}, {observe}},
                 .done_before = {1, 1, 1, 1},
                 .locks = names,
                 .servers = 3,
                 .deviations = 0});
  // the observer's first server is behind; it is with another one, and its next session begins with the first one again
  scenario local{.name = "election-in-a-local-session",
                 .programs = {{stand, {kind::rest, std::chrono::milliseconds(1)}, resign}, {observe}},
                 .done_before = {1, 1},
                 .locks = names,
                 .servers = 3};
  local.sync_limit = 20;
  local.local_sessions = true;
  local.suffered_before = {{trouble_kind::follower_cut, 1}, {trouble_kind::connection_cut, 1}};
  local.deviations = 2;
  out.push_back(local);
  const user_action lead{kind::lead}, returns{kind::return_from_work}, stop{kind::stop_leading};
  out.push_back({.name = "candidates",
                 .programs = {{lead, returns, stop, returns}, {lead, returns, stop, returns}, {observe}},
                 .done_before = {1, 1, 1},
                 .locks = names,
                 .deviations = 1});
  out.push_back({.name = "candidate-that-throws",
                 .programs = {{lead, {kind::throw_from_work}}, {stand, resign}, {observe}},
                 .done_before = {1, 1, 1},
                 .locks = names,
                 .deviations = 1});
  out.push_back({.name = "candidate-that-rests",
                 .programs = {{{kind::lead, std::chrono::seconds(2)},
                               {kind::rest, std::chrono::seconds(3)},
                               returns,
                               returns,
                               stop,
                               returns},
                              {stand, resign}},
                 .done_before = {1},
                 .locks = names,
                 .deviations = 2});
  out.push_back({.name = "candidates-on-three",
                 .programs = {{lead, returns, stop, returns}, {lead, returns, stop, returns}, {observe}},
                 .done_before = {1, 1, 1},
                 .locks = names,
                 .servers = 3,
                 .deviations = 0});
  out.push_back({.name = "election-hidden",
                 .programs = {{stand, proclaim, proclaim, resign}, {observe}},
                 .done_before = {0, 1},
                 .locks = {{.layout = recipes::layout::curator, .hidden = true}},
                 .deviations = 2});
  scenario lost{.name = "election-back-after-long",
                .programs = {{stand, resign, stand, resign}, {observe}},
                .done_before = {1, 1},
                .locks = names};
  lost.about_return = true;
  lost.deviations = 1;
  out.push_back(lost);
  return out;
}

}  // namespace zklock::sim
