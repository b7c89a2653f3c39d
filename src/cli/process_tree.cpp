#include "src/cli/process_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "src/cli/owned_descriptor.hpp"

namespace zklock::cli {
namespace {

constexpr int of_directory = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/// Opened once, and kept: what is mounted there later, or unmounted, does not matter.
int proc() {
  static const owned_descriptor opened(open("/proc", of_directory), "/proc");
  return opened.get();
}

std::vector<process> all_processes() {
  std::vector<process> all;
  owned_descriptor own(openat(proc(), ".", of_directory), "/proc");
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(fdopendir(own.get()), &closedir);
  if (!directory) throw std::system_error(errno, std::generic_category(), "/proc");
  static_cast<void>(own.release());
  while (const dirent* entry = readdir(directory.get())) {
    pid_t pid = 0;
    const std::string_view name(entry->d_name);
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (failure != std::errc{} || end != name.data() + name.size()) continue;
    if (const auto one = look_at(pid)) all.push_back(*one);
  }
  return all;
}

/// Parents before their children.
std::vector<process> descendants_of(pid_t ancestor) {
  std::vector<process> rest = all_processes();
  std::vector<process> found;
  const auto take_children = [&](pid_t parent) {
    const auto children =
        std::partition(rest.begin(), rest.end(), [parent](const process& one) { return one.parent != parent; });
    found.insert(found.end(), children, rest.end());
    rest.erase(children, rest.end());
  };
  take_children(ancestor);
  for (std::size_t next = 0; next < found.size(); ++next) {
    take_children(pid_t{found[next].pid});
  }
  return found;
}

process_end end_of(const siginfo_t& told) { return {told.si_status, told.si_code != CLD_EXITED}; }

}  // namespace

/// The start of /proc/PID/stat: "PID (NAME) STATE PARENT GROUP". A name may contain anything.
std::optional<process> look_at(pid_t pid) {
  const std::string path = std::to_string(pid) + "/stat";
  const int number = openat(proc(), path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) return std::nullopt;  // it has ended meanwhile
  std::array<char, 512> text{};
  const ssize_t size = read(number, text.data(), text.size() - 1);
  close(number);
  const std::string_view line(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  const auto name_end = line.rfind(')');
  process one{.pid = pid};
  if (name_end == line.npos ||
      std::sscanf(text.data() + name_end + 1, " %c %d %d", &one.state, &one.parent, &one.group) != 3) {
    return std::nullopt;
  }
  return one;
}

/// Of another pid namespace, it has our number for another process: `self` is the pid that it knows us by.
void require_proc() {
  bool shows_us = false;
  try {
    std::array<char, 32> self{};
    const ssize_t size = readlinkat(proc(), "self", self.data(), self.size());
    shows_us = size > 0 && std::string_view(self.data(), static_cast<std::size_t>(size)) == std::to_string(getpid()) &&
               look_at(getpid());
  } catch (const std::system_error&) {  // there is no directory
  }
  if (!shows_us) {
    throw std::runtime_error("/proc does not show this process: the command was not started");
  }
}

void adopt_orphans() {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    throw std::system_error(errno, std::generic_category(), "prctl");
  }
}

process_tree::process_tree(pid_t leader) : leader_(leader) {
  siginfo_t told{};
  if (leader > 0 && waitid(P_PID, static_cast<id_t>(leader), &told, WEXITED | WNOHANG | WNOWAIT) != 0) {
    leader_ = 0;
  }
}

std::optional<process_end> process_tree::leader_end() {
  siginfo_t told{};
  if (!leader_end_ && leader_ != 0 &&
      waitid(P_PID, static_cast<id_t>(leader_), &told, WEXITED | WNOHANG | WNOWAIT) == 0 && told.si_pid != 0) {
    leader_end_ = end_of(told);
  }
  return leader_end_;
}

std::optional<int> process_tree::leader_stopped() {
  siginfo_t told{};
  if (leader_ == 0 || waitid(P_PID, static_cast<id_t>(leader_), &told, WSTOPPED | WNOHANG) != 0 || told.si_pid == 0) {
    return std::nullopt;
  }
  return told.si_status;
}

void process_tree::bury_orphans() {
  for (;;) {
    siginfo_t told{};
    if (waitid(P_ALL, 0, &told, WEXITED | WNOHANG | WNOWAIT) != 0 || told.si_pid == 0 || told.si_pid == leader_) {
      return;
    }
    waitpid(told.si_pid, nullptr, WNOHANG);
  }
}

bool process_tree::buried(const process& one) const {
  if (one.pid == leader_) {
    siginfo_t told{};
    return waitid(P_PID, static_cast<id_t>(leader_), &told, WEXITED | WNOHANG | WNOWAIT) != 0 || told.si_pid != 0;
  }
  // A child's state in /proc is its first thread's; others of it may run on. Its parent's wait knows better.
  return one.parent == getpid() ? waitpid(one.pid, nullptr, WNOHANG) != 0 : one.state == 'Z' || one.state == 'X';
}

std::vector<process> process_tree::survivors() {
  std::vector<process> all = descendants_of(getpid());
  std::erase_if(all, [this](const process& one) { return buried(one); });
  return all;
}

bool process_tree::extinct() {
  if (!survivors().empty()) return false;
  if (leader_ != 0) {
    if (!leader_end()) return false;
    waitpid(leader_, nullptr, WNOHANG);
    leader_ = 0;
  }
  // A list of processes is no snapshot; the kernel knows whether there are children.
  siginfo_t told{};
  return waitid(P_ALL, 0, &told, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
}

bool process_tree::unreachable() {
  const auto refuses = [](const process& one) { return kill(one.pid, 0) != 0 && errno == EPERM; };
  return std::ranges::all_of(survivors(), refuses) && !extinct();
}

void process_tree::signal_group(int signal_number) const {
  if (leader_ != 0) {
    kill(-leader_, signal_number);
  }
}

void process_tree::signal_all(int signal_number) {
  signal_group(signal_number);
  for (const process& one : survivors()) {
    if (leader_ == 0 || one.group != leader_) {
      kill(one.pid, signal_number);
    }
  }
}

}  // namespace zklock::cli
