#include "tests/sim/scenario.hpp"

#include <algorithm>

namespace zklock::sim {
namespace {

using kind = deed::kind;

/// Shorter than any timer of session, client or servers.
constexpr instant short_limit = std::chrono::milliseconds(1);

std::vector<scenario> two_contenders() {
  const deed acquire{kind::acquire};
  const deed release{kind::release};
  const deed drop{kind::drop};
  std::vector<scenario> out;
  out.push_back({.name = "acquire", .programs = {{acquire, release}, {acquire, drop}}});
  out.push_back({.name = "first-use", .programs = {{acquire, release}, {acquire, release}}, .lock_node_there = false});
  out.push_back({.name = "time-out",
                 .programs = {{acquire, release}, {{kind::acquire, short_limit}, release}},
                 .done_before = {1, 0}});
  out.push_back({.name = "one-try", .programs = {{acquire, release}, {{kind::try_once}, release}}});
  out.push_back({.name = "abandon",
                 .programs = {{acquire, release}, {acquire, {kind::abandon}, release}},
                 .done_before = {1, 0}});
  out.push_back(
      {.name = "release", .programs = {{acquire, release, acquire, drop}, {acquire, drop}}, .done_before = {1, 1}});
  out.push_back({.name = "re-entry",
                 .programs = {{acquire, {kind::reenter}, drop, release}, {acquire, release}},
                 .done_before = {1, 0}});
  out.push_back({.name = "write",
                 .programs = {{acquire, {kind::write}, release}, {acquire, {kind::write}, drop}},
                 .done_before = {1, 0}});
  out.push_back({.name = "look", .programs = {{acquire, drop}, {{kind::look}}}, .done_before = {1, 0}});
  return out;
}

/// The client of the first program is with the leader, the other's with a follower.
std::vector<scenario> on_three_servers() {
  std::vector<scenario> out;
  for (const scenario& one : two_contenders()) {
    if (one.name == "acquire" || one.name == "time-out" || one.name == "abandon" || one.name == "release" ||
        one.name == "re-entry" || one.name == "write" || one.name == "look") {
      out.push_back(one);
      out.back().name += "-on-three";
      out.back().servers = 3;
    }
  }
  return out;
}

std::vector<scenario> all_of_them() {
  std::vector<scenario> out = two_contenders();
  for (scenario& one : on_three_servers()) {
    out.push_back(std::move(one));
  }
  for (scenario& one : out) {
    one.keep_awake = false;
  }
  return out;
}

}  // namespace

const std::vector<scenario>& exhaustive_scenarios() {
  static const std::vector<scenario> all = all_of_them();
  return all;
}

const scenario* find_scenario(std::string_view name) {
  const std::vector<scenario>& all = exhaustive_scenarios();
  const auto found = std::find_if(all.begin(), all.end(), [name](const scenario& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace zklock::sim
