#include "src/cli/doctor.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <zklock/zklock.hpp>

#include "src/api/participants_list.hpp"
#include "src/cli/asking.hpp"
#include "src/cli/connect_limit.hpp"
#include "src/cli/contender_at.hpp"
#include "src/cli/credentials.hpp"
#include "src/cli/doctor_output.hpp"
#include "src/cli/exit_status.hpp"
#include "src/cli/library_log.hpp"
#include "src/cli/participants_output.hpp"
#include "src/cli/print_error.hpp"
#include "src/cli/progress_line.hpp"

namespace zklock::cli {
namespace {

using detail::inspected_lock;

constexpr std::chrono::milliseconds limit_by_default = std::chrono::minutes(1);
constexpr std::chrono::milliseconds version_limit{500};

own_host this_host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return {name.data(), [](std::int64_t pid) {
            return pid > 0 && pid <= INT_MAX && kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
          }};
}

/// All locks at the PATHs and below them, each once, by path.
std::vector<inspected_lock> pass(session& in, const std::vector<std::string>& paths,
                                 std::chrono::steady_clock::time_point until,
                                 const operations::locks_below_options& options) {
  std::vector<inspected_lock> all;
  for (const std::string& path : paths) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    auto found = detail::inspect_below(in, path, std::max(left, std::chrono::milliseconds{1}), options);
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  std::sort(all.begin(), all.end(), [](const auto& one, const auto& other) { return one.lock.path < other.lock.path; });
  all.erase(std::unique(all.begin(), all.end(),
                        [](const auto& one, const auto& other) { return one.lock.path == other.lock.path; }),
            all.end());
  return all;
}

diagnosis diagnose(const std::vector<inspected_lock>& first, const std::vector<inspected_lock>& second,
                   const terminal_characters& characters) {
  diagnosis all;
  for (const deadlock& one : find_deadlocks(first, second)) {
    all.findings.push_back(finding_of(one, characters));
  }
  const own_host here = this_host();
  for (const inspected_lock& one : second) {
    if (one.lock.error) {
      all.hidden.push_back(one.lock);
      continue;
    }
    ++all.locks;
    all.open_locks += anyone_may_remove_from(one);
    const std::vector<participant>& queue = one.lock.participants;
    all.kept_locks += queue.size() == 1 && queue.front().may_be_idle;
    auto found = findings_of(one, second, here, characters);
    std::move(found.begin(), found.end(), std::back_inserter(all.findings));
  }
  return all;
}

/// Whether anything was found there or below, hidden or not.
bool has_any(const std::vector<inspected_lock>& locks, const std::string& path) {
  return std::any_of(locks.begin(), locks.end(), [&path](const inspected_lock& one) {
    return one.lock.path == path || one.lock.path.starts_with(path + "/");
  });
}

bool stands(session& in, const std::string& path) {
  std::error_code ec;
  return in.get(path, {}, ec).has_value() || ec;  // not known: it may
}

/// Two passes, in a session that is over when it returns.
diagnosis look(const doctor_arguments& wanted, const terminal_characters& characters) {
  const auto until = std::chrono::steady_clock::now() + wanted.timeout.value_or(limit_by_default);
  session session(wanted.servers, with_access(wanted.access, {.timeout = session_timeout_of_asking}));
  for (const std::string& path : wanted.paths) {
    if (path != "/") {
      detail::require_node_path(path);  // before anything is sent
    }
  }
  if (!session.wait_connected_for(wanted.timeout.value_or(connect_limit(wanted.servers, session_timeout_of_asking)))) {
    throw error(make_error_code(errc::not_connected), "connect to", wanted.servers, session.last_connection_failure());
  }
  const auto seen = std::make_shared<std::atomic<std::size_t>>(0);
  std::atomic<int> passes{1};
  const progress_line progress([&] {
    return "zklock: pass " + std::to_string(passes.load()) + " of 2: " + std::to_string(seen->load()) + " nodes";
  });
  const auto first = pass(session, wanted.paths, until, {.progress = seen});
  passes = 2;
  const auto second = pass(session, wanted.paths, until, {.with_access = true, .progress = seen});
  diagnosis all = diagnose(first, second, characters);
  for (const std::string& path : wanted.paths) {
    if (path != "/" && !has_any(second, path) && !stands(session, path)) {
      all.missing.push_back(path);
    }
  }
  return all;
}

int print(const diagnosis& all, bool json, const std::vector<std::string>& paths,
          const terminal_characters& characters) {
  for (const listed_lock& one : all.hidden) {
    print_error(path_text(one.path, characters) + ": " + one.error.message());
  }
  for (const std::string& path : all.missing) {
    print_error(path_text(path, characters) + ": there is no such node");
  }
  if (all.locks == 0 && all.hidden.empty() && !json) {
    print_error("no lock is held or waited for here or below" +
                (paths.size() == 1 ? contender_hint(paths[0], characters) : ""));
  }
  if (!print_text(json ? as_json(all) : as_text(all, characters))) {
    print_error(std::string("stdout: ") + std::strerror(errno));
    return exit_status::internal_error;
  }
  if (all.count(finding::level::problem) > 0) {
    return exit_status::problem_found;
  }
  return all.hidden.empty() ? 0 : exit_status::partly_hidden;
}

}  // namespace

int doctor(const doctor_arguments& wanted) {
  set_library_log(wanted.verbose);
  const terminal_characters characters;
  try {
    diagnosis all = look(wanted, characters);
    for (const std::string& address : addresses_of(wanted.servers)) {
      all.servers.push_back({address, ask_version(address, version_limit)});
    }
    return print(all, wanted.json, wanted.paths, characters);
  } catch (const error& failure) {
    print_error(failure.what());
    return exit_status::of(failure.code());
  }
}

}  // namespace zklock::cli
