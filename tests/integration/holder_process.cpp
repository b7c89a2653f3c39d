#include "tests/integration/holder_process.hpp"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "tests/support/eventually.hpp"

namespace zklock::test {
namespace {

using test_support::descriptor;

pid_t spawn(std::array<std::string, 3> words, int talk) {
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, talk, 0);
  posix_spawn_file_actions_adddup2(&files, talk, 1);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);  // or it would keep the C client's connections of ours open
  pid_t pid = -1;
  const int failure = posix_spawn(&pid, words[0].c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) {
    throw std::system_error(failure, std::generic_category(), words[0]);
  }
  return pid;
}

}  // namespace

holder_process::holder_process(const std::string& servers, std::chrono::milliseconds timeout) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  talk_ = descriptor(ends[0]);
  const descriptor theirs(ends[1]);
  pid_ = spawn({ZKLOCK_HOLDER, servers, std::to_string(timeout.count())}, theirs.get());
}

holder_process::~holder_process() { kill(); }

void holder_process::order(const std::string& what, const std::string& path) {
  const std::string line = what + " " + path + "\n";
  static_cast<void>(
      ::send(talk_.get(), line.data(), line.size(), MSG_NOSIGNAL));  // it may be dead: then no answer comes
}

std::optional<std::string> holder_process::answer() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
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

holder_process::granted holder_process::granted_answer() {
  const std::string text = answer().value_or("no answer");
  std::istringstream words(text);
  granted told;
  if (!(words >> told.token >> told.node)) {
    throw std::runtime_error("the holder was not granted: " + text);
  }
  return told;
}

bool holder_process::stops() {
  return test_support::eventually([this] {
    int status = 0;
    return ::waitpid(pid_, &status, WUNTRACED | WNOHANG) == pid_ && WIFSTOPPED(status);
  });
}

void holder_process::cont() { ::kill(pid_, SIGCONT); }

void holder_process::kill() {
  if (!gone_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    gone_ = true;
  }
}

}  // namespace zklock::test
