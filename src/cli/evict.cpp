#include "src/cli/evict.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <zklock/zklock.hpp>

#include "src/cli/asking.hpp"
#include "src/cli/connect_limit.hpp"
#include "src/cli/credentials.hpp"
#include "src/cli/exit_status.hpp"
#include "src/cli/library_log.hpp"
#include "src/cli/participants_output.hpp"
#include "src/cli/print_error.hpp"
#include "src/cli/usage_error.hpp"
#include "src/cli/wait_description.hpp"

namespace zklock::cli {
namespace {

struct contender_of_lock {
  participant is;
  std::string lock;
};

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::optional<contender_of_lock> find_at(session& in, const std::string& lock, const std::string& node) {
  const std::vector<participant> queue = lock.empty() ? std::vector<participant>() : participants(in, lock);
  const auto found = std::find_if(queue.begin(), queue.end(), [&](const auto& one) { return one.node == node; });
  return found != queue.end() ? std::optional(contender_of_lock{*found, lock}) : std::nullopt;
}

/// Its node stands at its lock; of a semaphore in Curator's layout one below, which looks like a lock of its own.
std::optional<contender_of_lock> find(session& in, const std::string& node) {
  const std::string parent = parent_of(node);
  if (parent.ends_with("/leases") || parent.ends_with("/locks")) {
    try {
      if (auto found = find_at(in, parent_of(parent), node)) {
        return found;
      }
    } catch (const error& hidden) {
      if (hidden.code() != errc::permission_denied) {
        throw;
      }
    }
  }
  return find_at(in, parent, node);
}

std::string describe(const contender_of_lock& one, const terminal_characters& characters) {
  const bool holds = one.is.state == participant_state::held;
  return path_text(one.is.node, characters) + "\n" + (holds ? "holds " : "waits for ") +
         path_text(one.lock, characters) + " (" + std::string(to_string(one.is.kind)) +
         "): " + describe_participant(one.is, "a client", characters) + "\n" +
         (holds ? "The next one gets the lock at once. This one may be told later, and works on until then:\n"
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

int refuse(const std::string& why) {
  print_error(why);
  return exit_status::problem_found;
}

int evict_in(session& in, const evict_arguments& wanted, const terminal_characters& characters) {
  const std::string node = path_text(wanted.node, characters);
  const auto seen = in.get(wanted.node);
  const auto found = seen ? find(in, wanted.node) : std::nullopt;
  if (!seen || (!found && !in.get(wanted.node))) {
    return refuse(node + ": there is no such node");
  }
  if (!found) {
    return refuse(node +
                  (parent_of(wanted.node).empty() ? ": stands at the root, where no lock of zklock is"
                                                  : ": is no contender of a lock") +
                  "; it was left alone");
  }
  std::cerr << describe(*found, characters);
  if (!wanted.yes && !agrees()) {
    return refuse(node + ": left alone");
  }
  // A waiter whose turn has come writes nothing: its node is as it was.
  if (const auto now = find(in, wanted.node); now && now->is.state != found->is.state) {
    return refuse(node + ": holds by now, and was left alone");
  }
  std::error_code ec;
  static_cast<void>(in.transaction().remove(wanted.node, seen->version).commit(ec));
  if (ec == errc::outcome_unknown && !in.get(wanted.node, {.fresh = true})) {
    ec.clear();
  }
  if (ec == errc::version_mismatch) {
    return refuse(node + ": has changed since it was shown, and was left alone");
  }
  if (ec == errc::node_missing) {
    return refuse(node + ": went by itself");
  }
  if (ec == errc::node_not_empty) {
    return refuse(node + ": has children, and was left alone: zkCli.sh deleteall removes it with them");
  }
  if (ec) {
    throw error(ec, "remove", wanted.node);
  }
  print_error("evicted " + node);
  return 0;
}

}  // namespace

int evict(const evict_arguments& wanted) {
  set_library_log(wanted.verbose);
  const terminal_characters characters;
  if (!wanted.yes && isatty(STDIN_FILENO) == 0) {
    throw usage_error("evict asks before it removes, and stdin is no terminal: --yes removes without a question");
  }
  try {
    session session(wanted.servers, with_access(wanted.access, {.timeout = session_timeout_of_asking}));
    static_cast<void>(recursive_mutex(session, wanted.node));  // a bad NODE is refused before anything is sent
    if (!session.wait_connected_for(connect_limit(wanted.servers, session_timeout_of_asking))) {
      throw error(make_error_code(errc::not_connected), "connect to", wanted.servers,
                  session.last_connection_failure());
    }
    return evict_in(session, wanted, characters);
  } catch (const error& failure) {
    print_error(failure.what());
    return exit_status::of(failure.code());
  }
}

}  // namespace zklock::cli
