#include "src/cli/watch.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <zklock/zklock.hpp>

#include "src/api/participants_list.hpp"
#include "src/api/queue_watch.hpp"
#include "src/cli/asking.hpp"
#include "src/cli/connect_limit.hpp"
#include "src/cli/credentials.hpp"
#include "src/cli/exit_status.hpp"
#include "src/cli/full_screen.hpp"
#include "src/cli/grants_in_a_minute.hpp"
#include "src/cli/inherited_signals.hpp"
#include "src/cli/library_log.hpp"
#include "src/cli/owned_descriptor.hpp"
#include "src/cli/participants_output.hpp"
#include "src/cli/print_error.hpp"
#include "src/cli/terminal.hpp"
#include "src/cli/watch_output.hpp"

namespace zklock::cli {
namespace {

using detail::queue_head;
using std::chrono::steady_clock;

constexpr int redraw_after_ms = 1'000;  ///< ages grow
constexpr std::size_t described_in_a_line = 3;

/// The latest head of the queue, from the session's notification thread to this one.
class latest_head {
 public:
  latest_head() : arrived_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd") {}
  void put(const queue_head& head) {
    {
      const std::lock_guard lock(mutex_);
      head_ = head;
    }
    const std::uint64_t one = 1;
    static_cast<void>(::write(arrived_.get(), &one, sizeof one));
  }
  [[nodiscard]] int descriptor() const noexcept { return arrived_.get(); }
  /// Nothing: none has come since.
  [[nodiscard]] std::optional<queue_head> take() {
    std::uint64_t times = 0;
    static_cast<void>(::read(arrived_.get(), &times, sizeof times));
    const std::lock_guard lock(mutex_);
    return std::exchange(head_, std::nullopt);
  }

 private:
  owned_descriptor arrived_;
  std::mutex mutex_;
  std::optional<queue_head> head_;
};

/// The signals that concern a full screen, as something to poll for; without one they do what they always do. Construct it
/// before any thread.
class screen_signals {
 public:
  explicit screen_signals(bool on_screen) {
    sigemptyset(&all_);
    if (!on_screen) {
      return;
    }
    for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH}) {
      if (!inherited_signals::is_ignored(number)) {
        sigaddset(&all_, number);
      }
    }
    block();                   // of all threads to come
    sigset_t from_background;  // the terminal is given back from there as well
    sigemptyset(&from_background);
    sigaddset(&from_background, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &from_background, nullptr);
    descriptor_ = owned_descriptor(signalfd(-1, &all_, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
  }
  void block() const { pthread_sigmask(SIG_BLOCK, &all_, nullptr); }
  /// In this thread.
  void let_through() const { pthread_sigmask(SIG_UNBLOCK, &all_, nullptr); }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }
  [[nodiscard]] std::optional<int> take() const {
    signalfd_siginfo info{};
    const bool one = ::read(descriptor_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info);
    return one ? std::optional(static_cast<int>(info.ssi_signo)) : std::nullopt;
  }

 private:
  sigset_t all_{};
  owned_descriptor descriptor_;
};

/// As if it had not been blocked. Returns only if that does not end this process.
int end_by(int signal_number, const screen_signals& signals) {
  kill(getpid(), signal_number);
  signals.let_through();
  return exit_status::signal_base + signal_number;
}

void wait_for(const latest_head& heads, const screen_signals& signals, int limit_ms) {
  std::array<pollfd, 2> both{{{heads.descriptor(), POLLIN, 0}, {signals.descriptor(), POLLIN, 0}}};
  static_cast<void>(poll(both.data(), both.size(), limit_ms));
}

int stdout_failed() {
  print_error(std::string("stdout: ") + std::strerror(errno));
  return exit_status::internal_error;
}

/// What is to be shown, as it comes in.
class shown_lock {
 public:
  explicit shown_lock(std::string path) { seen_.path = std::move(path); }

  void see(queue_head&& next, steady_clock::time_point now) {
    if (!next.current && seen_.queue.current) {
      lost_at_ = now;
    } else if (next.current) {
      lost_at_.reset();
    }
    known_ = known_ || next.current;
    grants_.note(next.grants, now);
    seen_.queue = std::move(next);
  }
  /// The queue was listed once.
  [[nodiscard]] bool known() const noexcept { return known_; }
  /// Why nothing is seen any more.
  [[nodiscard]] const std::error_code& failure() const noexcept { return seen_.queue.error; }
  [[nodiscard]] const watched_lock& at(steady_clock::time_point now) {
    seen_.grants = grants_.count(now);
    seen_.now = std::chrono::system_clock::now();
    seen_.out_of_reach_for =
        lost_at_ ? std::optional(std::chrono::floor<std::chrono::seconds>(now - *lost_at_)) : std::nullopt;
    return seen_;
  }

 private:
  watched_lock seen_;
  grants_in_a_minute grants_;
  std::optional<steady_clock::time_point> lost_at_;
  bool known_ = false;
};

int refuse(const std::string& path, const std::error_code& why, const terminal_characters& characters) {
  print_error("watch the queue of " + path_text(path, characters) + ": " + why.message());
  return exit_status::of(why);
}

int watch_on_screen(session& in, const watch_arguments& wanted, const screen_signals& signals) {
  const terminal_characters characters;
  latest_head heads;
  shown_lock shown(wanted.path);
  screen_size size = full_screen::size();
  detail::queue_watch follows(in, wanted.path, room_for_contenders(size),
                              [&heads](const queue_head& head) { heads.put(head); });
  full_screen screen;
  for (;;) {
    if (shown.known() &&
        !full_screen::draw(drawing_of(screen_of(shown.at(steady_clock::now()), size, characters), size))) {
      const int why = errno;
      screen.leave();
      errno = why;
      return stdout_failed();
    }
    wait_for(heads, signals, redraw_after_ms);
    if (auto next = heads.take()) {
      shown.see(std::move(*next), steady_clock::now());
    }
    if (shown.failure()) {
      screen.leave();
      return refuse(wanted.path, shown.failure(), characters);
    }
    while (const auto signal_number = signals.take()) {
      if (*signal_number == SIGWINCH) {
        size = full_screen::size();
        follows.show(room_for_contenders(size));
        continue;
      }
      screen.leave();
      if (*signal_number != SIGTSTP) {
        return end_by(*signal_number, signals);
      }
      stop_by(SIGTSTP);
      screen.enter();
    }
  }
}

int watch_in_lines(session& in, const watch_arguments& wanted, const screen_signals& signals) {
  const terminal_characters characters;
  latest_head heads;
  shown_lock shown(wanted.path);
  const detail::queue_watch follows(in, wanted.path, described_in_a_line,
                                    [&heads](const queue_head& head) { heads.put(head); });
  const auto print = [&](const watched_lock& seen) {
    return print_text(wanted.json ? as_json_line(seen) : as_line(seen, characters));
  };
  std::optional<queue_head> printed;  // nothing: the last line says that no server is in reach, or there is none yet
  for (bool out_of_reach = false;;) {
    wait_for(heads, signals, -1);
    auto next = heads.take();
    if (!next) {
      continue;
    }
    shown.see(std::move(*next), steady_clock::now());
    if (shown.failure()) {
      return refuse(wanted.path, shown.failure(), characters);
    }
    const watched_lock& now = shown.at(steady_clock::now());
    if (now.out_of_reach_for) {
      if (!std::exchange(out_of_reach, true) && !print(now)) {
        return stdout_failed();
      }
      printed.reset();
    } else if (now.queue.complete && !(printed && same_queue(*printed, now.queue))) {
      const bool again = std::exchange(out_of_reach, false);
      if (again && !wanted.json && !print_text(to_text(now.now) + " a server is in reach again\n")) {
        return stdout_failed();
      }
      if (!print(now)) {
        return stdout_failed();
      }
      printed = now.queue;
    }
  }
}

}  // namespace

int watch(const watch_arguments& wanted) {
  const bool on_screen = !wanted.json && full_screen::is_possible();
  set_library_log(wanted.verbose && !(on_screen && isatty(STDERR_FILENO) == 1));  // it would write across the screen
  try {
    const screen_signals signals(on_screen);
    session session(wanted.servers, with_access(wanted.access, {.timeout = session_timeout_of_asking}));
    detail::require_node_path(wanted.path);  // before anything is sent
    signals.let_through();                   // there is nothing to restore yet
    if (!session.wait_connected_for(connect_limit(wanted.servers, session_timeout_of_asking))) {
      throw error(make_error_code(errc::not_connected), "connect to", wanted.servers,
                  session.last_connection_failure());
    }
    signals.block();
    return on_screen ? watch_on_screen(session, wanted, signals) : watch_in_lines(session, wanted, signals);
  } catch (const error& failure) {
    print_error(failure.what());
    return exit_status::of(failure.code());
  }
}

}  // namespace zklock::cli
