// Linked from the objects of recipes/ and the standard library, and nothing else: one acquisition from start to end.
#include <array>
#include <cstdio>
#include <span>
#include <string>

#include "recipes/contender.hpp"
#include "recipes/local_deadline.hpp"

int main() {
  using namespace zklock::recipes;
  using namespace std::chrono_literals;
  contender machine(contender_id(1, 2), {}, false);
  std::size_t actions = machine.resume(event::connected{}).size();
  const std::string own = std::string(machine.prefix()) + "0000000000";
  actions += machine.resume(event::created{code::ok, own, {7}}).size();
  const std::array<std::string, 1> children{own};
  actions += machine.resume(event::listed{code::ok, std::span<const std::string>(children)}).size();
  const bool granted = machine.is_granted() && machine.token() == fencing_token{7};
  actions += machine.resume(event::release{}).size();
  actions += machine.resume(event::removed{code::ok}).size();
  const bool finished = machine.life() == node_life::state::finished;

  local_deadline deadline({10s, 2s, 1s});
  deadline.opened(100s, false);
  deadline.connected(10s);
  deadline.sent(1, local_deadline::request_kind::write, 101s);
  const bool proven = deadline.answered(1, 101s) == 109s - 10ms;

  std::printf("%zu actions, granted %d, finished %d, deadline %d\n", actions, granted, finished, proven);
  return actions == 5 && granted && finished && proven ? 0 : 1;
}
