#include "src/api/election_view.hpp"

#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"

namespace zklock::detail {

leader_view view_of_leader(recipes::leader_watch::value known, const recipes::seen_leader& leader, recipes::code why,
                           const std::string& path) {
  using value = recipes::leader_watch::value;
  leader_view told;
  switch (known) {
    case value::unknown: break;
    case value::present:
      told.is = leader_view::state::present;
      told.token = {leader.czxid};
      told.data = leader.data;
      told.hidden = leader.hidden;
      told.node = path + "/" + leader.node;
      told.session_id = leader.session;
      break;
    case value::absent: told.is = leader_view::state::none; break;
    case value::refused:
      told.is = leader_view::state::refused;
      told.error = error_of(why);
      break;
    case value::mixed:
      told.is = leader_view::state::refused;
      told.error = errc::wrong_recipe;
      break;
  }
  return told;
}

void leader_slot::seen(const operations::leader_report& what, engine::out& wants) {
  leader_view next = view_of_leader(what.known, what.leader, what.why, path_);
  next.current = what.current;
  next.as_of = boot_clock::time_point(what.as_of);
  show(std::move(next), "an observer of an election", wants);
}

}  // namespace zklock::detail
