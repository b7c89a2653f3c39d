#include "src/cli/contender_at.hpp"

#include <algorithm>
#include <vector>

#include <zklock/zklock.hpp>

#include "src/api/participants_list.hpp"
#include "src/cli/asking.hpp"
#include "src/cli/connect_limit.hpp"
#include "src/cli/credentials.hpp"
#include "src/cli/exit_status.hpp"
#include "src/cli/library_log.hpp"
#include "src/cli/participants_output.hpp"
#include "src/cli/print_error.hpp"
#include "src/cli/wait_description.hpp"

namespace zklock::cli {

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

namespace {

std::optional<contender_at_lock> find_at(session& in, const std::string& lock, const std::string& node) {
  const std::vector<participant> queue = lock.empty() ? std::vector<participant>() : participants(in, lock);
  const auto found = std::find_if(queue.begin(), queue.end(), [&](const auto& one) { return one.node == node; });
  return found != queue.end() ? std::optional(contender_at_lock{*found, lock}) : std::nullopt;
}

}  // namespace

/// Its node stands at its lock; of a semaphore in Curator's layout one below, which looks like a lock of its own.
std::optional<contender_at_lock> find_contender(session& in, const std::string& node) {
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

std::string contender_hint(const std::string& path, const terminal_characters& characters) {
  const std::string lock(detail::lock_by_name_of(path));
  return lock.empty() ? std::string() : ": this may be a contender's node, of the lock " + path_text(lock, characters);
}

std::string describe(const contender_at_lock& one, const terminal_characters& characters) {
  const bool holds = one.is.state == participant_state::held;
  return path_text(one.is.node, characters) + "\n" + (holds ? "holds " : "waits for ") +
         path_text(one.lock, characters) + " (" + std::string(to_string(one.is.kind)) +
         "): " + describe_participant(one.is, "a client", characters) + "\n";
}

int leave_alone(const std::string& why) {
  print_error(why);
  return exit_status::problem_found;
}

int in_session_at(const std::string& node, const std::string& servers, const access_arguments& access, bool verbose,
                  const std::function<int(session&)>& what) {
  set_library_log(verbose);
  try {
    session session(servers, with_access(access, {.timeout = session_timeout_of_asking}));
    detail::require_node_path(node);  // before anything is sent
    if (!session.wait_connected_for(connect_limit(servers, session_timeout_of_asking))) {
      throw error(make_error_code(errc::not_connected), "connect to", servers, session.last_connection_failure());
    }
    return what(session);
  } catch (const error& failure) {
    print_error(failure.what());
    return exit_status::of(failure.code());
  }
}

}  // namespace zklock::cli
