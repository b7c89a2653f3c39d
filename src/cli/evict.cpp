#include "src/cli/evict.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <string>

#include <zklock/zklock.hpp>

#include "src/cli/contender_at.hpp"
#include "src/cli/participants_output.hpp"
#include "src/cli/print_error.hpp"
#include "src/cli/usage_error.hpp"

namespace zklock::cli {
namespace {

std::string describe_with_end(const contender_at_lock& one, const terminal_characters& characters) {
  return describe(one, characters) +
         (one.is.may_be_idle && one.is.state == participant_state::held
              ? "Its client may keep it between two holds, and hold nothing now.\n"
              : "") +
         (one.is.state == participant_state::held
              ? "The next one gets the lock at once. This one may be told later, and works on until then:\n"
                "a store has to compare tokens.\n"
              : "Its call queues anew at the end, or fails, as its library has it.\n");
}

/// On a terminal alone.
bool agrees() {
  std::cerr << "evict it? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  if (!std::cin) {
    std::cerr << '\n';
  }
  std::transform(answer.begin(), answer.end(), answer.begin(),
                 [](unsigned char one) { return static_cast<char>(std::tolower(one)); });
  return answer == "y" || answer == "yes";
}

int evict_in(session& in, const evict_arguments& wanted, const terminal_characters& characters) {
  const std::string node = path_text(wanted.node, characters);
  const auto seen = in.get(wanted.node);
  const auto found = seen ? find_contender(in, wanted.node) : std::nullopt;
  if (!seen || (!found && !in.get(wanted.node))) {
    return leave_alone(node + ": there is no such node");
  }
  if (!found) {
    return leave_alone(node +
                       (parent_of(wanted.node).empty() ? ": stands at the root, where no lock of zklock is"
                                                       : ": is no contender of a lock") +
                       "; it was left alone");
  }
  std::cerr << describe_with_end(*found, characters);
  if (!wanted.yes && !agrees()) {
    return leave_alone(node + ": left alone");
  }
  // A waiter whose turn has come writes nothing: its node is as it was.
  if (const auto now = find_contender(in, wanted.node); now && now->is.state != found->is.state) {
    return leave_alone(node + ": holds by now, and was left alone");
  }
  std::error_code ec;
  static_cast<void>(in.transaction().remove(wanted.node, seen->version).commit(ec));
  if (ec == errc::outcome_unknown && !in.get(wanted.node, {.fresh = true})) {
    ec.clear();
  }
  if (ec == errc::version_mismatch) {
    return leave_alone(node + ": has changed since it was shown, and was left alone");
  }
  if (ec == errc::node_missing) {
    return leave_alone(node + ": went by itself");
  }
  if (ec == errc::node_not_empty) {
    return leave_alone(node + ": has children, and was left alone: zkCli.sh deleteall removes it with them");
  }
  if (ec) {
    throw error(ec, "remove", wanted.node);
  }
  print_error("evicted " + node);
  return 0;
}

}  // namespace

int evict(const evict_arguments& wanted) {
  const terminal_characters characters;
  if (!wanted.yes && isatty(STDIN_FILENO) == 0) {
    throw usage_error("evict asks before it removes, and stdin is no terminal: --yes removes without a question");
  }
  return in_session_at(wanted.node, wanted.servers, wanted.access, wanted.verbose,
                       [&](session& in) { return evict_in(in, wanted, characters); });
}

}  // namespace zklock::cli
