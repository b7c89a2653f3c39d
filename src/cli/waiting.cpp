#include "src/cli/waiting.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <stop_token>
#include <thread>

#include "src/api/participants_list.hpp"
#include "src/cli/blocking_participants.hpp"
#include "src/cli/connect_limit.hpp"
#include "src/cli/duration.hpp"
#include "src/cli/event_notifier.hpp"
#include "src/cli/exit_status.hpp"
#include "src/cli/granted_timeout.hpp"
#include "src/cli/job_control.hpp"
#include "src/cli/outage_notice.hpp"
#include "src/cli/print_error.hpp"
#include "src/cli/terminal.hpp"
#include "src/cli/waiting_notice.hpp"

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;

/// `others_are_first`: a server has said so.
grant try_once(named_locks& locks, const std::stop_token& stop, bool& others_are_first) {
  participant who;
  grant taken = locks.acquire([&](auto& one) { return one.try_acquire(who, stop); });
  others_are_first = !taken && !who.node.empty();
  return taken;
}

grant acquire(session& session, named_locks& locks, const run_arguments& wanted, session_relay& relay,
              const std::stop_token& stop, bool& others_are_first) {
  const bool once = wanted.timeout && wanted.timeout->count() == 0;
  const auto until = std::chrono::steady_clock::now() + wanted.timeout.value_or(duration_max);
  const auto limit = wanted.timeout && !once ? *wanted.timeout : connect_limit(wanted.servers, wanted.session_timeout);
  if (!session.wait_connected_for(limit, stop)) {
    throw error(make_error_code(errc::not_connected), "connect to", wanted.servers, session.last_connection_failure());
  }
  print_granted_timeout(session, wanted.session_timeout);
  relay.look();  // before there is a node
  if (once) {
    return try_once(locks, stop, others_are_first);
  }
  const waiting_notice notice(locks, wanted.kind);
  return locks.acquire(
      [&](auto& one) { return wanted.timeout ? one.try_acquire_until(until, stop) : one.acquire(stop); });
}

std::string describe_refusal(const run_arguments& wanted, const std::string& why) {
  const std::string limit = to_text(wanted.timeout.value_or(duration_max));
  return wanted.names() + ": not granted " + (limit == "0" ? "at once" : "within " + limit) + "; " + why;
}

enum class others : std::uint8_t {
  are_first,
  are_gone,
  not_known,  ///< no server has answered
};

/// Whether others stand in the way now, by one list of each PATH, for a second at most. That the lock was not granted in time
/// does not say so: perhaps no answer has come.
others ask_for_others(const named_locks& locks, const lock_kind& kind) {
  const auto until = std::chrono::steady_clock::now() + 1s;
  try {
    const auto blocks = [&](const lock_view& one) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
      return !blocking_participants(detail::list_names(one, std::max(left, 1ms)), kind).empty();
    };
    return std::ranges::any_of(locks.views(), blocks) ? others::are_first : others::are_gone;
  } catch (const error&) {
    return others::not_known;
  }
}

void acquire_in_time(attempt& made, session& session, named_locks& locks, const run_arguments& wanted,
                     session_relay& relay, const std::stop_token& stop) {
  bool seen = false;
  made.taken = acquire(session, locks, wanted, relay, stop, seen);
  if (made.taken || stop.stop_requested()) {
    return;
  }
  others found = seen ? others::are_first : ask_for_others(locks, wanted.kind);
  if (found == others::are_gone) {  // at this moment; or none was ever there, and no answer came in time
    made.taken = try_once(locks, stop, seen);
    found = made.taken || seen ? others::are_first : ask_for_others(locks, wanted.kind);
  }
  made.status = found == others::are_first ? wanted.status_not_in_time : exit_status::unavailable;
  const std::string unanswered =
      session.state() == session_state::connected ? "no server has answered" : describe_no_server(session);
  made.message = describe_refusal(wanted, found == others::are_first  ? "others are first"
                                          : found == others::are_gone ? "nobody is there now"
                                                                      : unanswered);
}

attempt attempt_to_acquire(session& session, named_locks& locks, const run_arguments& wanted, session_relay& relay,
                           const std::stop_token& stop) noexcept {
  attempt made;
  made.status = wanted.status_not_in_time;
  try {
    acquire_in_time(made, session, locks, wanted, relay, stop);
  } catch (const error& failure) {
    made.status = exit_status::of(failure.code());
    made.message = failure.what();
  } catch (const std::exception& failure) {
    made.status = exit_status::internal_error;
    made.message = failure.what();
  }
  return made;
}

}  // namespace

void print_granted_timeout(const session& of, std::chrono::milliseconds asked) {
  if (const std::string text = describe_granted_timeout(asked, of.timeout()); !text.empty()) {
    print_error(text);
  }
}

int wait_for_signal(signal_inbox& signals, const event_notifier& done, session_relay& relay, outage_notice& outages,
                    const wait_terms& terms) {
  bool over = false;
  while (!done.take() && !over) {
    outages.look();
    std::array<pollfd, 4> sources{pollfd{signals.descriptor(), POLLIN, 0}, pollfd{done.descriptor(), POLLIN, 0},
                                  pollfd{relay.descriptor(), POLLIN, 0}, pollfd{terms.also_readable, POLLIN, 0}};
    static_cast<void>(poll(sources.data(), sources.size(), outages.milliseconds_left()));
    over = sources.back().revents != 0;
    relay.look();
    while (const auto number = signals.take()) {
      if (is_job_control(*number)) {
        stop_by(*number);
      } else if (*number != SIGCHLD && *number != SIGCONT && terms.is_ended_by(*number)) {
        return *number;
      }
    }
  }
  return 0;
}

attempt wait_for_lock(session& session, named_locks& locks, const run_arguments& wanted, signal_inbox& signals,
                      session_relay& relay) {
  attempt made;
  const event_notifier done;
  std::jthread waiting([&](const std::stop_token& stop) {
    made = attempt_to_acquire(session, locks, wanted, relay, stop);
    done.ring();
  });
  std::optional<waiting_notice> again;  // after an outage another one may be in our way
  outage_notice outages(session, [&] { again.emplace(locks, wanted.kind); });
  const int ended_by = wait_for_signal(signals, done, relay, outages, {.is_ended_by = [](int) { return true; }});
  again.reset();
  waiting.request_stop();
  waiting.join();
  if (ended_by != 0) {
    const bool interrupted = ended_by == SIGINT || ended_by == SIGQUIT;
    return {.status = exit_status::signal_base + ended_by,
            .interrupted_by = interrupted ? std::optional(ended_by) : std::nullopt};
  }
  return made;  // a grant that came beside a signal is given back
}

}  // namespace zklock::cli
