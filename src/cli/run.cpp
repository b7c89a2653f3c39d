#include "src/cli/run.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <exception>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include <zklock/zklock.hpp>

#include "src/cli/child_process.hpp"
#include "src/cli/connecting.hpp"
#include "src/cli/duration.hpp"
#include "src/cli/exit_status.hpp"
#include "src/cli/own_descriptors.hpp"
#include "src/cli/signal_inbox.hpp"
#include "src/log.hpp"

namespace zklock::cli {
namespace {

constexpr std::chrono::milliseconds connect_limit{1'000};

/// What another thread rings, and the loop below polls for.
class bell {
 public:
  bell() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (descriptor_ < 0) {
      throw std::system_error(errno, std::generic_category(), "eventfd");
    }
  }
  ~bell() { close(descriptor_); }
  bell(const bell&) = delete;
  bell& operator=(const bell&) = delete;

  void ring() const noexcept { static_cast<void>(eventfd_write(descriptor_, 1)); }
  [[nodiscard]] bool take() const noexcept {
    eventfd_t rung = 0;
    return eventfd_read(descriptor_, &rung) == 0;
  }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

/// Returns when one of the two has something; it may be nothing, too.
void wait_for_either(const signal_inbox& signals, const bell& rung) {
  std::array<pollfd, 2> sources{pollfd{signals.descriptor(), POLLIN, 0}, pollfd{rung.descriptor(), POLLIN, 0}};
  static_cast<void>(poll(sources.data(), sources.size(), -1));
}

// ---- waiting for the lock -------------------------------------------------------------------------------------------

grant acquire(session& session, recursive_mutex& mutex, const run_arguments& wanted, const std::stop_token& stop) {
  const bool once = wanted.timeout && wanted.timeout->count() == 0;
  const auto until = std::chrono::steady_clock::now() + wanted.timeout.value_or(duration_max);
  const auto limit = wanted.timeout && !once ? std::min(*wanted.timeout, connect_limit) : connect_limit;
  if (!wait_connected(session, limit, stop)) {
    throw error(errc::not_connected, "connect to", wanted.servers);
  }
  if (once) {
    return mutex.try_acquire_for(std::chrono::seconds{0}, stop);
  }
  return wanted.timeout ? mutex.try_acquire_until(until, stop) : mutex.acquire(stop);
}

std::string describe_refusal(const run_arguments& wanted) {
  const std::string limit = to_text(wanted.timeout.value_or(duration_max));
  return wanted.path + ": not granted " + (limit == "0" ? "at once" : "within " + limit) + "; others are first";
}

/// What the wait has come to: a grant, or the status to exit with.
struct attempt {
  grant taken;
  int status = exit_status::not_in_time;
  std::string message;
};

attempt attempt_to_acquire(session& session, recursive_mutex& mutex, const run_arguments& wanted,
                           const std::stop_token& stop) noexcept {
  attempt made;
  try {
    made.taken = acquire(session, mutex, wanted, stop);
    made.message = describe_refusal(wanted);
  } catch (const error& failure) {
    made.status = exit_status::of(failure.code());
    made.message = failure.what();
  } catch (const std::exception& failure) {
    made.status = exit_status::internal_error;
    made.message = failure.what();
  }
  return made;
}

attempt wait_for_lock(session& session, recursive_mutex& mutex, const run_arguments& wanted, signal_inbox& signals) {
  attempt made;
  const bell done;
  std::jthread waiting([&](const std::stop_token& stop) {
    made = attempt_to_acquire(session, mutex, wanted, stop);
    done.ring();
  });
  int ended_by = 0;
  while (!done.take()) {
    wait_for_either(signals, done);
    while (const auto received = signals.take()) {
      if (received->number != SIGCHLD && ended_by == 0) {
        ended_by = received->number;
        waiting.request_stop();
      }
    }
  }
  waiting.join();
  if (ended_by == 0) {
    return made;
  }
  return {{}, exit_status::signal_base + ended_by, {}};  // a grant that came all the same is given back here
}

// ---- holding it -----------------------------------------------------------------------------------------------------

std::string describe_loss(const grant& held) {
  return "lost the lock " + held.path() + " (" + std::string(to_string(held.loss_reason())) + ")";
}

void pass_on(const signal_inbox::message& received, child_process& child) {
  const bool has_got_it = received.by_kernel && child.in_our_group();  // both are in the terminal's group
  if (received.number != SIGCHLD && !has_got_it) {
    child.send(received.number);
  }
}

void end_without_lock(const grant& held, child_process& child) {
  complain(describe_loss(held) + ": sending SIGTERM to the command");
  child.send(SIGTERM);
  child.send(SIGCONT);  // a stopped one would not hear of it
}

int watch_over(child_process& child, const grant& held, signal_inbox& signals) {
  const bell lost;
  const std::stop_callback on_loss(held.lost(), [&lost] { lost.ring(); });
  bool told = false;
  std::optional<int> status;
  while (!(status = child.status())) {
    wait_for_either(signals, lost);
    while (const auto received = signals.take()) {
      pass_on(*received, child);
    }
    if (lost.take() && !std::exchange(told, true)) {
      end_without_lock(held, child);
    }
  }
  if (held.held()) {
    return *status;
  }
  if (!told) {
    complain(describe_loss(held) + " while the command ran");
  }
  return exit_status::lock_lost;
}

int run_child(const run_arguments& wanted, const grant& held, const own_descriptors& descriptors,
              signal_inbox& signals) {
  const std::array<std::string, 3> environment{"ZKLOCK_PATH=" + wanted.path, "ZKLOCK_NODE=" + held.node(),
                                               "ZKLOCK_TOKEN=" + std::to_string(held.token().value)};
  descriptors.keep_from_children();
  std::error_code ec;
  auto child = child_process::start(wanted.command, environment, signals.original_mask(), ec);
  if (!child) {
    complain(wanted.command.front() + ": " + ec.message());
    return status_of_failed_start(ec);
  }
  return watch_over(*child, held, signals);
}

void give_back(grant held) {
  const std::string node = held.node();
  std::error_code ec;
  held.release(ec);
  if (ec && ec != errc::lost) {
    complain("release " + node + ": " + ec.message() + "; at the latest it goes with its session");
  }
}

}  // namespace

void complain(const std::string& message) {
  const std::string line = "zklock: " + message + "\n";
  static_cast<void>(std::fputs(line.c_str(), stderr));
}

int run(const run_arguments& wanted) {
  const own_descriptors descriptors;  // before anything is opened
  log::set_level(wanted.verbose ? log::level::debug : log::level::off);
  try {
    signal_inbox signals;
    session session(wanted.servers, {.timeout = wanted.session_timeout, .label = wanted.label});
    recursive_mutex mutex(session, wanted.path);
    attempt made = wait_for_lock(session, mutex, wanted, signals);
    if (!made.taken) {
      if (!made.message.empty()) {
        complain(made.message);
      }
      return made.status;
    }
    const int status = run_child(wanted, made.taken, descriptors, signals);
    give_back(std::move(made.taken));
    return status;
  } catch (const error& failure) {
    complain(failure.what());
    return exit_status::of(failure.code());
  }
}

}  // namespace zklock::cli
