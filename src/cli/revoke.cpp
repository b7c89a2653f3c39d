#include "src/cli/revoke.hpp"

#include <iostream>
#include <string>

#include <zklock/zklock.hpp>

#include "src/cli/contender_at.hpp"
#include "src/cli/participants_output.hpp"
#include "src/cli/print_error.hpp"

namespace zklock::cli {
namespace {

int revoke_in(session& in, const revoke_arguments& wanted, const terminal_characters& characters) {
  const std::string node = path_text(wanted.node, characters);
  const auto found = find_contender(in, wanted.node);
  if (!found) {
    const bool stands = in.get(wanted.node).has_value();
    return leave_alone(node + (stands ? ": is no contender of a lock; it was left alone" : ": there is no such node"));
  }
  std::cerr << describe(*found, characters);
  if (found->is.state != participant_state::held) {
    return leave_alone(node + ": holds nothing that it could let go of; zklock evict ends its wait");
  }
  try {
    zklock::revoke(in, wanted.node, {.replace_data = wanted.replace_data});
  } catch (const error& refused) {
    if (refused.code() == errc::node_missing) {
      return leave_alone(node + ": went by itself");
    }
    if (refused.code() != errc::wrong_recipe) {
      throw;
    }
    return leave_alone(found->is.kind == participant_kind::latch
                           ? node + ": is a candidate, which is never asked; zklock evict ends its lead"
                           : node +
                                 ": may be a leader's, whose data are its address: they would be replaced. Of a mutex: "
                                 "--replace-data");
  }
  print_error((found->is.revocation_requested ? "the holder had been asked before: " : "asked the holder to let go: ") +
              node);
  return 0;
}

}  // namespace

int revoke(const revoke_arguments& wanted) {
  const terminal_characters characters;
  return in_session_at(wanted.node, wanted.servers, wanted.access, wanted.verbose,
                       [&](session& in) { return revoke_in(in, wanted, characters); });
}

}  // namespace zklock::cli
