#include "src/cli/command_start.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>
#include <vector>

#include "src/cli/exit_status.hpp"

namespace zklock::cli {
namespace {

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

std::vector<std::string> merged_environment(std::span<const std::string> ours) {
  std::vector<std::string> all(ours.begin(), ours.end());
  for (char** inherited = environ; *inherited != nullptr; ++inherited) {
    const bool replaced =
        std::ranges::any_of(ours, [inherited](const std::string& one) { return name_of(one) == name_of(*inherited); });
    if (!replaced) {
      all.emplace_back(*inherited);
    }
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

/// In the child, which has all signals blocked: from the background, too, the terminal may be taken then.
void take_terminal() {
  const int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal >= 0) {
    tcsetpgrp(terminal, getpid());
    close(terminal);
  }
}

/// In the child.
void live_no_longer_than(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {  // it was gone before; and nobody shall take this for COMMAND's end
    kill(getpid(), SIGKILL);
  }
}

}  // namespace

command_start::command_start(std::span<const std::string> command, const surroundings& around) {
  std::vector<std::string> arguments(command.begin(), command.end());
  std::vector<std::string> variables = merged_environment(around.environment);
  const std::vector<char*> argument_pointers = pointers_to(arguments);
  const std::vector<char*> variable_pointers = pointers_to(variables);
  std::array<int, 2> ends{-1, -1};
  const int result = pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK);
  news_ = owned_descriptor(result < 0 ? result : ends[0], "pipe");
  const owned_descriptor news_of_child(ends[1], "pipe");
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    setpgid(0, 0);
    live_no_longer_than(parent);
    if (around.in_foreground) take_terminal();
    around.signals.restore();
    execvpe(argument_pointers.front(), argument_pointers.data(), variable_pointers.data());
    const int failure = errno;
    static_cast<void>(write(news_of_child.get(), &failure, sizeof failure));
    _exit(failure == ENOENT || failure == ENOTDIR ? exit_status::not_found : exit_status::not_executable);
  }
  setpgid(pid_, pid_);  // here as well: from now on it can be signalled
}

std::optional<int> command_start::error_number() const {
  int failure = 0;
  const ssize_t size = read(news_.get(), &failure, sizeof failure);
  if (size < 0) return std::nullopt;
  return size == 0 ? 0 : failure;  // closed by exec(), or with the process
}

}  // namespace zklock::cli
