#include "src/cli/ls.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include <zklock/zklock.hpp>

#include "src/api/participants_list.hpp"
#include "src/cli/asking.hpp"
#include "src/cli/connect_limit.hpp"
#include "src/cli/contender_at.hpp"
#include "src/cli/credentials.hpp"
#include "src/cli/exit_status.hpp"
#include "src/cli/library_log.hpp"
#include "src/cli/participants_output.hpp"
#include "src/cli/print_error.hpp"

namespace zklock::cli {
namespace {

using std::chrono::milliseconds;

/// `list` gets the session, which is over when it returns (the reader of the output may be slow), and the time that is left for it.
template <class List>
auto listed_by(const ls_arguments& wanted, List&& list) {
  const auto begun = std::chrono::steady_clock::now();
  session session(wanted.servers, with_access(wanted.access, {.timeout = session_timeout_of_asking}));
  if (!wanted.recursive || wanted.path != "/") {
    detail::require_node_path(wanted.path);  // before anything is sent
  }
  if (!session.wait_connected_for(wanted.timeout.value_or(connect_limit(wanted.servers, session_timeout_of_asking)))) {
    throw error(make_error_code(errc::not_connected), "connect to", wanted.servers, session.last_connection_failure());
  }
  if (!wanted.timeout) {
    return list(session, participants_time_limit);
  }
  const auto spent = std::chrono::ceil<milliseconds>(std::chrono::steady_clock::now() - begun);
  return list(session, std::max(*wanted.timeout - spent, milliseconds{1}));
}

table_form form_of(const ls_arguments& wanted) { return wanted.whole ? table_form::whole : table_form::narrow; }

int print(const std::string& text) {
  if (print_text(text)) {
    return 0;
  }
  print_error(std::string("stdout: ") + std::strerror(errno));
  return exit_status::internal_error;
}

int list_one(const ls_arguments& wanted) {
  const detail::participants_list seen = listed_by(wanted, [&wanted](session& in, milliseconds limit) {
    return detail::list_lock(in, wanted.path, {.label = {}, .acl = {}, .try_time_limit = limit});
  });
  if (wanted.json) {
    return print(as_json(seen.queue, seen.limit));
  }
  if (seen.queue.empty()) {
    print_error(wanted.path + ": no client holds it, no client waits" +
                (seen.limit ? " (limit " + std::to_string(*seen.limit) + ")" : std::string()) +
                contender_hint(wanted.path, terminal_characters()));
  }
  return print(as_table(seen.queue, seen.limit, form_of(wanted), terminal_characters()));
}

/// What could not be read is said beside the rest, and in the exit status.
int list_all(const ls_arguments& wanted) {
  const std::vector<listed_lock> seen =
      listed_by(wanted, [&wanted](session& in, milliseconds limit) { return locks_below(in, wanted.path, limit); });
  const terminal_characters characters;
  if (seen.empty() && !wanted.json) {
    print_error(wanted.path + ": no lock is held or waited for here or below");
  }
  int status = 0;
  for (const listed_lock& one : seen) {
    if (one.error) {
      print_error(path_text(one.path, characters) + ": " + one.error.message());
      status = exit_status::of(one.error);
    }
  }
  const int printed = print(wanted.json ? as_json(seen) : as_table(seen, form_of(wanted), characters));
  return printed != 0 ? printed : status;
}

}  // namespace

int ls(const ls_arguments& wanted) {
  set_library_log(wanted.verbose);
  try {
    return wanted.recursive ? list_all(wanted) : list_one(wanted);
  } catch (const error& failure) {
    print_error(failure.what());
    return exit_status::of(failure.code());
  }
}

}  // namespace zklock::cli
