#include "src/cli/ls.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

#include <zklock/zklock.hpp>

#include "src/cli/complain.hpp"
#include "src/cli/connect_limit.hpp"
#include "src/cli/connecting.hpp"
#include "src/cli/exit_status.hpp"
#include "src/cli/queue_listing.hpp"
#include "src/locks/lock_listing.hpp"
#include "src/runtime/log.hpp"

namespace zklock::cli {
namespace {

using std::chrono::milliseconds;

/// Short, so that a server that does not answer is given up soon for the next one; nothing is held that could be lost.
constexpr milliseconds session_timeout{3'000};
constexpr milliseconds listing_limit{10'000};

detail::lock_listing read_queue(const ls_arguments& wanted) {
  const auto begun = std::chrono::steady_clock::now();
  session session(wanted.servers, {.timeout = session_timeout});
  const auto list_within = [&](milliseconds limit) {
    return detail::list_lock(session, wanted.path, {.label = {}, .acl = {}, .try_limit = limit});
  };
  static_cast<void>(recursive_mutex(session, wanted.path));  // a bad PATH is refused before anything is sent
  if (!wait_connected(session, wanted.timeout.value_or(connect_limit(wanted.servers, session_timeout)), {})) {
    throw error(errc::not_connected, "connect to", wanted.servers);
  }
  if (!wanted.timeout) {
    return list_within(listing_limit);
  }
  const auto spent = std::chrono::ceil<milliseconds>(std::chrono::steady_clock::now() - begun);
  return list_within(std::max(*wanted.timeout - spent, milliseconds{1}));
}

int print(const std::string& text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return 0;
  }
  complain(std::string("stdout: ") + std::strerror(errno));
  return exit_status::internal_error;
}

}  // namespace

int ls(const ls_arguments& wanted) {
  log::set_level(wanted.verbose ? log::level::debug : log::level::off);
  try {
    const detail::lock_listing seen = read_queue(wanted);  // its session is over when somebody reads slowly
    if (wanted.json) {
      return print(as_json(seen.queue, seen.limit));
    }
    if (seen.queue.empty()) {
      complain(wanted.path + ": nobody holds it, nobody waits" +
               (seen.limit ? " (limit " + std::to_string(*seen.limit) + ")" : std::string()));
    }
    return print(as_table(seen.queue, seen.limit, terminal_characters()));
  } catch (const error& failure) {
    complain(failure.what());
    return exit_status::of(failure.code());
  }
}

}  // namespace zklock::cli
