#include "tests/integration/talking_process.hpp"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "tests/support/eventually.hpp"

namespace zklock::test {
namespace {

using test_support::descriptor;

pid_t spawn(std::vector<std::string>& command, int talk) {
  std::vector<char*> arguments;
  for (std::string& word : command) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, talk, 0);
  posix_spawn_file_actions_adddup2(&files, talk, 1);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);  // or it would keep the C client's connections of ours open
  pid_t pid = -1;
  const int failure = posix_spawnp(&pid, command.front().c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) {
    throw std::system_error(failure, std::generic_category(), command.front());
  }
  return pid;
}

}  // namespace

talking_process::talking_process(std::vector<std::string> command) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  talk_ = descriptor(ends[0]);
  const descriptor theirs(ends[1]);
  pid_ = spawn(command, theirs.get());
}

talking_process::~talking_process() { kill(); }

void talking_process::order(const std::string& line) {
  const std::string text = line + "\n";
  static_cast<void>(
      ::send(talk_.get(), text.data(), text.size(), MSG_NOSIGNAL));  // it may be dead: then no answer comes
}

std::optional<std::string> talking_process::answer(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (;;) {
    if (const std::size_t end = heard_.find('\n'); end != std::string::npos) {
      std::string line = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      return line;
    }
    pollfd wanted{talk_.get(), POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    std::array<char, 1024> chunk{};
    const bool comes = left.count() > 0 && ::poll(&wanted, 1, static_cast<int>(left.count())) > 0;
    const ssize_t count = comes ? ::recv(talk_.get(), chunk.data(), chunk.size(), 0) : 0;
    if (count <= 0) {
      return std::nullopt;
    }
    heard_.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

bool talking_process::stops() {
  return test_support::eventually([this] {
    int status = 0;
    return ::waitpid(pid_, &status, WUNTRACED | WNOHANG) == pid_ && WIFSTOPPED(status);
  });
}

void talking_process::cont() { ::kill(pid_, SIGCONT); }

void talking_process::kill() {
  if (!gone_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    gone_ = true;
  }
}

bool talking_process::leave() {
  ::shutdown(talk_.get(), SHUT_WR);
  gone_ = gone_ || test_support::eventually([this] { return ::waitpid(pid_, &status_, WNOHANG) == pid_; });
  return gone_;
}

std::optional<int> talking_process::exit_status() {
  return leave() && WIFEXITED(status_) ? std::optional(WEXITSTATUS(status_)) : std::nullopt;
}

}  // namespace zklock::test
