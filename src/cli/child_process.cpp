#include "src/cli/child_process.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
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

}  // namespace

std::optional<child_process> child_process::start(std::span<const std::string> command,
                                                  std::span<const std::string> environment, const sigset_t& mask,
                                                  std::error_code& ec) {
  std::vector<std::string> arguments(command.begin(), command.end());
  std::vector<std::string> variables = merged_environment(environment);
  posix_spawnattr_t attributes;  // not fork(): this process has threads
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &mask);
  pid_t pid = 0;
  const int failure = posix_spawnp(&pid, arguments.front().c_str(), nullptr, &attributes, pointers_to(arguments).data(),
                                   pointers_to(variables).data());
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    ec.assign(failure, std::generic_category());
    return std::nullopt;
  }
  ec.clear();
  return child_process(pid);
}

std::optional<int> child_process::status() noexcept {
  int word = 0;
  if (!status_ && waitpid(pid_, &word, WNOHANG) == pid_) {
    status_ = WIFSIGNALED(word) ? exit_status::signal_base + WTERMSIG(word) : WEXITSTATUS(word);
  }
  return status_;
}

void child_process::send(int signal_number) noexcept {
  if (!status_) {
    kill(pid_, signal_number);
  }
}

bool child_process::in_our_group() const noexcept { return getpgid(pid_) == getpgrp(); }

int status_of_failed_start(const std::error_code& ec) noexcept {
  const bool missing = ec == std::errc::no_such_file_or_directory || ec == std::errc::not_a_directory;
  return missing ? exit_status::not_found : exit_status::not_executable;
}

}  // namespace zklock::cli
