#include "examples/demo/crew.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>

namespace demo {

namespace {

int take_signals() {
  std::signal(SIGPIPE, SIG_IGN);  // a leave may be given to one that has just ended
  sigset_t set{};
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  ::sigaddset(&set, SIGHUP);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  const int opened = ::signalfd(-1, &set, SFD_CLOEXEC);
  if (opened < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
  return opened;
}

[[noreturn]] void heed(const descriptor& signals) {
  signalfd_siginfo info{};
  if (::read(signals.number(), &info, sizeof(info)) < 0) {
    throw std::system_error(errno, std::generic_category(), "signalfd");
  }
  throw interrupted{static_cast<int>(info.ssi_signo)};
}

int milliseconds_until(clock::time_point until) {
  using namespace std::chrono_literals;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now());
  return static_cast<int>(std::clamp(left, 0ms, std::chrono::milliseconds(1h)).count());
}

}  // namespace

crew::crew(const options& chosen, const std::filesystem::path& store, const std::string& lock)
    : signals_(take_signals()) {
  pipe_ends lines = new_pipe();
  lines_ = std::move(lines.read);
  const std::filesystem::path program = sibling("demo_worker");
  for (int number = 1; number <= chosen.workers; ++number) {
    std::vector<std::string> arguments{std::to_string(number), std::to_string(chosen.increments), store.string()};
    if (chosen.with_lock) arguments.insert(arguments.end(), {chosen.servers, lock});
    pipe_ends leave = new_pipe();
    const pid_t pid = spawn(program, arguments, leave.read.number(), lines.write.number());
    processes_.push_back({pid, std::move(leave.write)});
  }
}

crew::~crew() {
  for (process& each : processes_) {
    if (each.status) continue;
    ::kill(each.pid, SIGKILL);
    ::waitpid(each.pid, nullptr, 0);
  }
}

std::optional<event> crew::next(clock::time_point until) {
  for (;;) {
    if (auto said = next_line()) return said;
    std::array<pollfd, 2> awaited{pollfd{signals_.number(), POLLIN, 0}, pollfd{lines_.number(), POLLIN, 0}};
    const int ready = ::poll(awaited.data(), awaited.size(), milliseconds_until(until));
    if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
    if (ready == 0) return std::nullopt;
    if (awaited[0].revents != 0) heed(signals_);
    if (awaited[1].revents == 0) continue;
    std::array<char, 4096> buffer{};
    const ssize_t size = ::read(lines_.number(), buffer.data(), buffer.size());
    if (size < 0) throw std::system_error(errno, std::generic_category(), "read");
    if (size == 0) gone_ = true;
    if (gone_) return std::nullopt;
    unread_.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

std::optional<event> crew::next_line() {
  const std::size_t end = unread_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  const std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  auto said = from_line(line);
  if (!said) throw std::runtime_error("a worker has said what is not understood: '" + line + "'");
  return said;
}

void crew::leave(int worker) {
  const char any = 1;
  if (::write(find(worker).leave.number(), &any, 1) < 0 && errno != EPIPE) {
    throw std::system_error(errno, std::generic_category(), "write to a worker");
  }
}

bool crew::stop(int worker) {
  process& one = find(worker);
  if (one.status) return false;
  ::kill(one.pid, SIGSTOP);
  int word = 0;
  while (::waitpid(one.pid, &word, WUNTRACED) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  }
  if (WIFSTOPPED(word)) return true;
  one.status = WIFSIGNALED(word) ? 128 + WTERMSIG(word) : WEXITSTATUS(word);
  return false;
}

void crew::go_on(int worker) { ::kill(find(worker).pid, SIGCONT); }

void crew::kill(int worker) { ::kill(find(worker).pid, SIGKILL); }

std::vector<int> crew::statuses() {
  std::vector<int> all;
  for (process& each : processes_) {
    if (!each.status) each.status = status_of(each.pid);
    all.push_back(*each.status);
  }
  return all;
}

}  // namespace demo
