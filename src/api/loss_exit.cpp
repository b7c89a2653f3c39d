#include "src/api/loss_exit.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>

#include <zklock/error.hpp>
#include <zklock/exit_on_loss.hpp>

#include "src/api/acquirable_state.hpp"
#include "src/api/boot_now.hpp"
#include "src/api/session_impl.hpp"

namespace zklock::detail {
namespace {

constexpr long says_within_ns = 50'000'000;
constexpr std::size_t line_start_max = 900;

/// Nothing may delay the end: if stderr does not take it, the kernel ends the process. Nothing is allocated: another thread may
/// have been stopped within malloc().
void say(const std::string& start, std::string_view reason, const std::string& end) noexcept {
  sigset_t all;
  sigfillset(&all);  // SIGPIPE, or a handler of the program's, if this is its thread
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  pollfd ready{STDERR_FILENO, POLLOUT, 0};
  sigevent ends{};
  ends.sigev_notify = SIGEV_SIGNAL;
  ends.sigev_signo = SIGKILL;
  timer_t late{};
  const itimerspec when{{}, {0, says_within_ns}};
  if (poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0 || timer_create(CLOCK_MONOTONIC, &ends, &late) != 0 ||
      timer_settime(late, 0, &when, nullptr) != 0) {
    return;
  }
  const auto part = [](std::string_view text) { return iovec{const_cast<char*>(text.data()), text.size()}; };
  const std::array<iovec, 3> line{part(start), part(reason), part(end)};
  static_cast<void>(!writev(STDERR_FILENO, line.data(), line.size()));
  timer_delete(late);  // it was in time
}

std::string start_of_line(const hold& watched) {
  std::string path = watched.path();
  std::replace(path.begin(), path.end(), '\n', ' ');  // a multi-lock's
  return ("zklock: lost " + path).substr(0, line_start_max);
}

/// No handler of the program's runs on a thread that is started meanwhile.
class all_signals_blocked {
 public:
  all_signals_blocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  all_signals_blocked(const all_signals_blocked&) = delete;
  all_signals_blocked& operator=(const all_signals_blocked&) = delete;
  ~all_signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

bool is_over(hold& one) noexcept { return !one.held_at(boot_now()) && one.why_lost() == loss_reason::none; }

}  // namespace

void loss_exit::watch(std::shared_ptr<hold> of, int status) {
  watched made{std::move(of), status, {}, "): the process ends with status " + std::to_string(status) + '\n'};
  made.line_start = start_of_line(*made.of) + " (";
  {
    const scoped_lock_on lock(mutex_);
    if (!thread_) {
      start();
    }
    if (all_.size() >= prune_at_) {
      std::erase_if(all_, [](const watched& each) { return is_over(*each.of); });
      prune_at_ = std::max<std::size_t>(8, 2 * all_.size());
    }
    all_.push_back(std::move(made));
  }
  static_cast<void>(look());
  look_soon();  // and sets its alarm
}

void loss_exit::start() {
  auto made = std::make_unique<time_thread>([this] {
    time_thread& own = *running_.load();
    own.clear();
    own.set(look());
  });
  const all_signals_blocked meanwhile;
  made->start();
  thread_ = std::move(made);
  running_ = thread_.get();  // nobody rings before: it would take that for its end
}

void loss_exit::look_soon() noexcept {
  if (time_thread* const one = running_.load()) {
    one->ring();
  }
}

void loss_exit::stop() noexcept {
  if (time_thread* const one = running_.load()) {
    one->stop();
    static_cast<void>(look());
  }
}

instant loss_exit::look() noexcept {
  instant next = instant::max();
  const scoped_lock_on lock(mutex_);
  for (const watched& each : all_) {
    if (each.of->held_at(boot_now())) {
      next = std::min(next, each.of->valid_until());
    } else if (const loss_reason why = each.of->why_lost(); why != loss_reason::none) {
      say(each.line_start, to_string(why), each.line_end);
      _exit(each.status);
    }
  }
  std::erase_if(all_, [](const watched& each) { return is_over(*each.of); });
  return next;
}

}  // namespace zklock::detail

namespace zklock {

void exit_on_loss(const grant& held, int status) {
  const std::shared_ptr<detail::hold>& of = detail::grant_access::held(held);
  if (!of) {
    throw error(errc::not_owner, "exit on a loss", "");
  }
  if (status < 0 || status > 255) {
    throw error(errc::invalid_option, "exit on a loss of", of->path(), "status = " + std::to_string(status));
  }
  const std::shared_ptr<detail::session_impl>& session = detail::grant_access::session(held);
  if (session->forked()) {
    throw error(errc::forked, "exit on a loss of", of->path());
  }
  session->exit_on_loss(of, status);
}

}  // namespace zklock
