#include "tests/soak/worker_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace zklock::soak {

worker_process::worker_process(const std::string& program, const std::vector<std::string>& arguments) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  const test_support::descriptor input(ends[0]);
  orders_ = test_support::descriptor(ends[1]);
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files{};
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, input.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  const int error = ::posix_spawn(&pid_, program.c_str(), &files, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::system_error(error, std::generic_category(), program);
}

worker_process::~worker_process() { kill(); }

void worker_process::say(const std::string& order) const {
  const std::string line = order + "\n";
  if (::write(orders_.get(), line.data(), line.size()) < 0 && errno != EPIPE) {
    throw std::system_error(errno, std::generic_category(), "worker");
  }
}

void worker_process::stop() const {
  if (pid_ != 0) ::kill(pid_, SIGSTOP);  // 0 would be our own group
}

void worker_process::cont() const {
  if (pid_ != 0) ::kill(pid_, SIGCONT);
}

void worker_process::kill() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
  pid_ = 0;
}

std::optional<std::string> worker_process::ended() {
  int status = 0;
  if (pid_ == 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  pid_ = 0;
  return WIFSIGNALED(status) ? "by signal " + std::to_string(WTERMSIG(status))
                             : "with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace zklock::soak
