#include "src/cli/stand.hpp"

#include <poll.h>

#include <atomic>
#include <csignal>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <semaphore>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include <zklock/zklock.hpp>

#include "src/cli/connect_limit.hpp"
#include "src/cli/credentials.hpp"
#include "src/cli/event_notifier.hpp"
#include "src/cli/exit_status.hpp"
#include "src/cli/guarded.hpp"
#include "src/cli/holding.hpp"
#include "src/cli/job_control.hpp"
#include "src/cli/library_log.hpp"
#include "src/cli/metrics_file.hpp"
#include "src/cli/outage_notice.hpp"
#include "src/cli/print_error.hpp"
#include "src/cli/session_relay.hpp"
#include "src/cli/terminal.hpp"
#include "src/cli/waiting.hpp"

namespace zklock::cli {
namespace {

/// A candidate on a thread of its own. Each of its terms lasts until the main thread, which has the guardian, says that nothing of
/// COMMAND is left.
class candidate {
 public:
  candidate(session& in, const stand_arguments& wanted, session_relay& relay, const beginning& begun)
      : session_(in),
        wanted_(wanted),
        relay_(relay),
        begun_anew_(begun.anew),
        election_(in, wanted.path,
                  {.data = wanted.data,
                   .names = wanted.latch ? election_names::latch : election_names::selector,
                   .max_hold = wanted.max_hold}) {
    thread_ = std::jthread([this](const std::stop_token& stop) {
      stand(stop);
      over_ = true;
      news_.ring();
    });
  }
  candidate(const candidate&) = delete;
  candidate& operator=(const candidate&) = delete;
  ~candidate() { static_cast<void>(stop()); }

  /// Rings when there is a term, and when it stands no more.
  [[nodiscard]] const event_notifier& news() const noexcept { return news_; }
  [[nodiscard]] bool over() const noexcept { return over_; }
  /// Null: it does not.
  [[nodiscard]] const term* leads() const noexcept { return term_; }
  /// The term is given back, and it stands again.
  void end_term() { term_ended_.release(); }
  /// Gives back what there is. What has made it stand no more, if anything has.
  outcome stop() {
    thread_.request_stop();
    term_ended_.release();  // also of a term that begins at this moment
    if (thread_.joinable()) {
      thread_.join();
    }
    return failure_;
  }

 private:
  void stand(const std::stop_token& stop) noexcept {
    try {
      const auto limit = connect_limit(wanted_.servers, wanted_.session_timeout);
      bool connected = session_.wait_connected_for(limit, stop);
      while (!connected && begun_anew_ && !stop.stop_requested()) {  // it goes on through an outage
        connected = session_.wait_connected_for(limit, stop);
      }
      if (!connected && !stop.stop_requested()) {
        throw error(make_error_code(errc::not_connected), "connect to", wanted_.servers,
                    session_.last_connection_failure());
      }
      relay_.look();  // before there is a node
      if (!stop.stop_requested()) {
        print_granted_timeout(session_, wanted_.session_timeout);
        print_error("stands for " + wanted_.path);
      }
      election_.run([this](const term& now, const std::stop_token&) { lead(now); }, stop);
    } catch (const error& refused) {
      failure_ = {.status = exit_status::of(refused.code())};
      print_error(refused.what());
    } catch (const std::exception& refused) {
      failure_ = {.status = exit_status::internal_error};
      print_error(refused.what());
    }
  }
  void lead(const term& now) {
    term_ = &now;
    news_.ring();
    term_ended_.acquire();
    term_ = nullptr;
  }

  session& session_;
  const stand_arguments& wanted_;
  session_relay& relay_;
  const bool begun_anew_;
  election election_;
  event_notifier news_;
  std::atomic<const term*> term_{nullptr};
  std::atomic<bool> over_{false};
  std::counting_semaphore<> term_ended_{0};
  outcome failure_{};
  std::jthread thread_;
};

/// What ends a candidate while it stands. What may be meant for a COMMAND, to read its configuration anew, say, means nothing while
/// there is none; but a terminal that goes takes with it what was started there.
std::function<bool(int)> what_ends_a_candidate(const beginning& begun) {
  return [&begun](int signal_number) {
    return asks_to_end(signal_number) || (signal_number == SIGHUP && begun.at_a_terminal);
  };
}

outcome ended_by(int signal_number) {
  const bool interrupted = signal_number == SIGINT || signal_number == SIGQUIT;
  return {.status = exit_status::signal_base + signal_number,
          .interrupted_by = interrupted ? std::optional(signal_number) : std::nullopt};
}

bool is_gone(guardian_process& guardian) {
  while (guardian.hear()) {}  // of a COMMAND that is over
  return guardian.gone();
}

/// Another guardian cannot be had: this process has threads.
outcome begin_anew() {
  print_error("its guardian was killed: begins anew");
  return {.status = exit_status::internal_error, .begins_anew = true};
}

/// Of a COMMAND that has ended by itself: of another one its end is known.
std::string describe_end(const run_facts& facts) {
  if (facts.lock_lost || !facts.how) return {};
  return std::string("the command has ended ") + (facts.how->by_signal ? "by signal " : "with status ") +
         std::to_string(facts.how->number) + "; ";
}

outcome run_terms(const stand_arguments& wanted, session& session, signal_inbox& signals, guardian_process& guardian,
                  session_relay& relay, const beginning& begun) {
  const command_terms terms{wanted.command.front(), "the lead of " + wanted.path, false, wanted.kill_after, {}};
  const std::function<bool(int)> ends_it = what_ends_a_candidate(begun);
  outage_notice outages(session);
  candidate one(session, wanted, relay, begun);
  for (;;) {
    if (is_gone(guardian)) {
      return begin_anew();
    }
    const int signal_number = wait_for_signal(signals, one.news(), relay, outages,
                                              {.is_ended_by = ends_it, .also_readable = guardian.descriptor()});
    if (signal_number != 0) {
      return ended_by(signal_number);
    }
    relay.look();  // there may be a new session although there was nothing to wait for
    if (one.over()) {
      return one.stop();
    }
    if (is_gone(guardian)) {
      return begin_anew();
    }
    const term* const now = one.leads();
    if (now == nullptr) {
      continue;  // the guardian has said something of a COMMAND that is over
    }
    print_error("leads " + wanted.path + ", token " + to_string(now->token()));
    const run_facts facts = holding(terms, session, *now, signals, guardian).run();
    const bool ended_for_guardian = facts.ended_for_guardian && (wanted.again || !facts.at_its_bound);
    if (ended_for_guardian && facts.all_gone && !facts.asked_to_end) {
      return begin_anew();
    }
    if (!facts.stands_again(wanted.again)) {
      return facts.conclude();
    }
    print_error(describe_end(facts) + "stands again for " + wanted.path);
    one.end_term();
  }
}

/// The signal that has asked to end meanwhile, or a session. Begun anew it waits as long as no name of a server can be resolved, as
/// it does for the servers.
std::variant<std::unique_ptr<session>, int> open_session(const stand_arguments& wanted, const session_options& options,
                                                         signal_inbox& signals, const beginning& begun) {
  const auto ends_it = what_ends_a_candidate(begun);
  constexpr int between_attempts_ms = 1'000;
  for (bool said = false;;) {
    try {
      return std::make_unique<session>(wanted.servers, options);
    } catch (const error& failure) {
      if (!begun.anew || failure.code() != errc::unresolvable_host) {
        throw;
      }
      if (!std::exchange(said, true)) {
        print_error(std::string(failure.what()) + "; it is tried again");
      }
    }
    pollfd signal{signals.descriptor(), POLLIN, 0};
    static_cast<void>(poll(&signal, 1, between_attempts_ms));
    while (const auto number = signals.take()) {
      if (is_job_control(*number)) {
        stop_by(*number);
      } else if (ends_it(*number)) {
        return *number;
      }
    }
  }
}

outcome stand_until_the_end(const stand_arguments& wanted, signal_inbox& signals, guardian_process& guardian,
                            const beginning& begun) {
  try {
    const session_options options = with_access(wanted.access, {.timeout = wanted.session_timeout});
    const auto opened = open_session(wanted, options, signals, begun);
    if (const int* const signal_number = std::get_if<int>(&opened)) {
      return ended_by(*signal_number);
    }
    const auto& in = std::get<std::unique_ptr<session>>(opened);
    session_relay relay(*in, guardian, wanted.servers, options.auth);
    const metrics_file figures(*in, wanted.metrics, wanted.path);
    return run_terms(wanted, *in, signals, guardian, relay, begun);
  } catch (const error& failure) {
    print_error(failure.what());
    return {.status = exit_status::of(failure.code())};
  }
}

}  // namespace

int stand(const stand_arguments& wanted, std::span<char> own_arguments) {
  set_library_log(wanted.verbose);
  return guarded(wanted.command, own_arguments,
                 [&](signal_inbox& signals, guardian_process& guardian, const beginning& begun) {
                   return stand_until_the_end(wanted, signals, guardian, begun);
                 });
}

}  // namespace zklock::cli
