#include "src/cli/process_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "src/cli/owned_descriptor.hpp"

namespace zklock::cli {
namespace {

/// How often there was no descriptor, where what it was for may have been there.
unsigned shortages = 0;
bool is_shortage(int error) { return error == EMFILE || error == ENFILE || error == ENOMEM; }
int counted(int descriptor) {
  if (descriptor < 0 && is_shortage(errno)) ++shortages;
  return descriptor;
}

/// This process's list, kept open: there may be no descriptor when it is to be read. None: the kernel lists no children
/// (CONFIG_PROC_CHILDREN: all the distributions' kernels have it).
owned_descriptor own_children;
bool lists_children() { return own_children.get() >= 0; }

// glibc 2.36 declares them without extern "C".
int open_handle(pid_t pid) { return counted(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))); }
int send_by_handle(int handle, int number) {
  return static_cast<int>(syscall(SYS_pidfd_send_signal, handle, number, nullptr, 0));
}

constexpr int of_directory = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/// Opened once, and kept: what is mounted there later, or unmounted, does not matter.
int proc() {
  static const owned_descriptor opened(open("/proc", of_directory), "/proc");
  return opened.get();
}

/// The names in a directory below /proc that are numbers; none if it has gone, or cannot be read now.
std::vector<pid_t> numbers_in(const std::string& path) {
  std::vector<pid_t> all;
  const int number = counted(openat(proc(), path.c_str(), of_directory));
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(number < 0 ? nullptr : fdopendir(number), &closedir);
  if (!directory) {
    if (number >= 0) ++shortages;  // of memory
    if (number >= 0) close(number);
    return all;
  }
  while (const dirent* entry = readdir(directory.get())) {
    pid_t one = 0;
    const std::string_view name(entry->d_name);
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), one);
    if (failure == std::errc{} && end == name.data() + name.size()) all.push_back(one);
  }
  return all;
}

/// None if there is no such file (any more), or no descriptor.
owned_descriptor file_at(const std::string& path) {
  const int number = counted(openat(proc(), path.c_str(), O_RDONLY | O_CLOEXEC));
  return number < 0 ? owned_descriptor() : owned_descriptor(number, "openat");
}

/// As it is now.
std::string content_of(const owned_descriptor& file) {
  std::string text;
  std::array<char, 4096> some{};
  for (ssize_t size = 0; (size = pread(file.get(), some.data(), some.size(), static_cast<off_t>(text.size()))) > 0;) {
    text.append(some.data(), static_cast<std::size_t>(size));
  }
  return text;
}

std::string children_file(pid_t pid, pid_t thread) {
  return std::to_string(pid) + "/task/" + std::to_string(thread) + "/children";
}

/// Those in the text of a `children` file.
void append_children(const std::string& text, std::vector<pid_t>& children) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (pid_t one = 0; at < end; ++at) {  // a space behind each
    const auto read = std::from_chars(at, end, one);
    if (read.ec != std::errc{}) break;
    children.push_back(one);
    at = read.ptr;
  }
}

/// What it costs does not depend on how many other processes the machine has, where the kernel lists children.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  if (!lists_children()) {
    for (const pid_t one : numbers_in(".")) {
      if (const auto seen = look_at(one); seen && seen->parent == parent) children.push_back(one);
    }
    return children;
  }
  if (parent == getpid()) {
    append_children(content_of(own_children), children);
    return children;
  }
  for (const pid_t thread : numbers_in(std::to_string(parent) + "/task")) {
    append_children(content_of(file_at(children_file(parent, thread))), children);
  }
  return children;
}

/// A child that has asked us to trace it tells of its stops, too.
bool tells_of_an_end(const siginfo_t& told) {
  return told.si_pid != 0 && (told.si_code == CLD_EXITED || told.si_code == CLD_KILLED || told.si_code == CLD_DUMPED);
}
process_end end_of(const siginfo_t& told) { return {told.si_status, told.si_code != CLD_EXITED}; }

/// A thread that has asked for it is traced by us, and keeps its process from being buried until it is buried itself.
void bury_traced_threads_of(pid_t child) {
  for (const pid_t thread : numbers_in(std::to_string(child) + "/task")) {
    if (thread != child) waitpid(thread, nullptr, WNOHANG | __WALL);
  }
}

}  // namespace

/// The start of /proc/PID/stat: "PID (NAME) STATE PARENT GROUP". A name may contain anything.
std::optional<process> look_at(pid_t pid) {
  const std::string line = content_of(file_at(std::to_string(pid) + "/stat"));
  const auto name_end = line.rfind(')');
  process one{.pid = pid};
  if (name_end == line.npos ||
      std::sscanf(line.c_str() + name_end + 1, " %c %d %d", &one.state, &one.parent, &one.group) != 3) {
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
  errno = 0;
  own_children = file_at(children_file(getpid(), getpid()));
  if (!lists_children() && is_shortage(errno)) {  // else it is not there, or forbidden: all of /proc is read then
    throw std::system_error(errno, std::generic_category(), "the list of children");
  }
}

/// Our own list has a child of ours whatever else of it is hidden (hidepid hides also what may not be dumped).
///
/// The order matters: the handle is that of who had the number then; it was the parent's child later on; and the parent's number was
/// still the parent's later than that.
std::optional<descendant> descendant::known(pid_t pid, const descendant* parent) {
  owned_descriptor handle;
  if (parent != nullptr) {
    const int number = open_handle(pid);
    if (number >= 0) handle = owned_descriptor(number, "pidfd_open");
  }
  const auto seen = look_at(pid);
  if (!seen && parent == nullptr && lists_children()) {
    return descendant({.pid = pid, .parent = getpid(), .group = std::max(getpgid(pid), 0)}, {});
  }
  if (!seen) return std::nullopt;
  if (seen->parent == getpid()) return descendant(*seen, {});
  const bool its = parent != nullptr && handle.get() >= 0 && seen->parent == parent->seen().pid && parent->stands();
  return its ? std::optional(descendant(*seen, std::move(handle))) : std::nullopt;
}

bool descendant::signal(int number) const {
  return (ours() ? kill(seen_.pid, number) : send_by_handle(handle_.get(), number)) == 0;
}

/// With all its threads: the state in /proc is the first one's.
bool descendant::ended() const {
  pollfd its{handle_.get(), POLLIN, 0};
  return poll(&its, 1, 0) > 0;
}

bool descendant::stands() const { return ours() || signal(0) || errno == EPERM; }

process_tree::process_tree(pid_t leader) : leader_(leader) {
  siginfo_t told{};
  if (leader > 0 && waitid(P_PID, static_cast<id_t>(leader), &told, WEXITED | WNOHANG | WNOWAIT) != 0) {
    leader_ = 0;
  }
}

std::optional<process_end> process_tree::leader_end() {
  siginfo_t told{};
  if (!leader_end_ && leader_ != 0 &&
      waitid(P_PID, static_cast<id_t>(leader_), &told, WEXITED | WNOHANG | WNOWAIT) == 0 && tells_of_an_end(told)) {
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
  constexpr int at_most = 1'000;  // where they come up faster than they are buried, the clock is to be looked at, too
  for (int i = 0; i < at_most; ++i) {
    siginfo_t told{};
    if (waitid(P_ALL, 0, &told, WEXITED | WNOHANG | WNOWAIT) != 0 || told.si_pid == 0 || told.si_pid == leader_) {
      return;
    }
    waitpid(told.si_pid, nullptr, WNOHANG);
  }
}

bool process_tree::child_buried(pid_t child) const {
  if (child == leader_) {
    siginfo_t told{};
    return waitid(P_PID, static_cast<id_t>(leader_), &told, WEXITED | WNOHANG | WNOWAIT) != 0 || tells_of_an_end(told);
  }
  // A child's state in /proc is its first thread's; others of it may run on. Its parent's wait knows better.
  int status = 0;
  const pid_t waited = waitpid(child, &status, WNOHANG);
  return waited < 0 || (waited > 0 && (WIFEXITED(status) || WIFSIGNALED(status)));
}

/// Of those that fork and end all the time thousands have ended, and the few that live are the last of the list: these first, and
/// before any is buried, which lets others fork where no further process may be.
killed_children process_tree::kill_children() {
  const std::vector<pid_t> all = children_of(getpid());
  killed_children now;
  std::vector<pid_t> had_ended;
  for (auto child = all.rbegin(); child != all.rend(); ++child) {
    siginfo_t told{};
    const bool ends = waitid(P_PID, static_cast<id_t>(*child), &told, WEXITED | WNOHANG | WNOWAIT) == 0;
    if (ends && tells_of_an_end(told)) {  // else it lives, or stands still for us, who trace it
      had_ended.push_back(*child);
    } else {
      now.any_killed = kill(*child, SIGKILL) == 0 || now.any_killed;  // its number is its own until we bury it
      now.lived.push_back(*child);
    }
  }
  for (const pid_t child : had_ended) static_cast<void>(child_buried(child));
  std::reverse(now.lived.begin(), now.lived.end());
  return now;
}

bool process_tree::buried(const descendant& one) const {
  return one.ours() ? child_buried(one.seen().pid) : one.ended();
}

/// Ours first, all of them: they are soon told. One that is left out, since its parent ends meanwhile, is a child of ours when it
/// is looked for again. Of a tree that changes faster than it is walked the rest is left out: beside it this process gets a small
/// share of the machine.
bool process_tree::for_each_survivor(const std::function<void(const descendant&)>& use) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  const unsigned shortages_before = shortages;
  bool is_cut = false;
  std::set<pid_t> met;
  std::vector<descendant> ours;
  for (const pid_t child : children_of(getpid())) {
    if (child_buried(child) || !met.insert(child).second) continue;
    if (auto one = descendant::known(child, nullptr)) {
      use(*one);
      ours.push_back(std::move(*one));
    }
  }
  const std::function<void(const descendant&)> walk_below = [&](const descendant& parent) {
    for (const pid_t child : children_of(parent.seen().pid)) {
      is_cut = is_cut || std::chrono::steady_clock::now() >= until;
      if (is_cut) return;
      if (!met.insert(child).second) continue;
      const auto one = descendant::known(child, &parent);
      if (!one || buried(*one)) continue;
      use(*one);
      walk_below(*one);
    }
  };
  for (const descendant& one : ours) walk_below(one);
  return !is_cut && shortages == shortages_before;
}

std::vector<process> process_tree::survivors() {
  std::vector<process> all;
  for_each_survivor([&all](const descendant& one) { all.push_back(one.seen()); });
  return all;
}

/// A list of processes is no snapshot: while it is read one of them forks, and ends. But one that has ended has left its children
/// to us before. So if all our children have ended, and a second list has no other, then there is nothing else.
bool process_tree::extinct() {
  bool all_have_ended = true;
  for (const pid_t child :
       children_of(getpid())) {  // each of them: what has ended behind one that lives is buried, too
    if (child_buried(child)) continue;
    all_have_ended = false;
    if (const auto seen = look_at(child); seen && seen->state == 'Z') bury_traced_threads_of(child);
  }
  if (!all_have_ended) return false;
  const std::vector<pid_t> left = children_of(getpid());  // the leader, which is not buried; else it could not be read
  if (left != (leader_ == 0 ? std::vector<pid_t>() : std::vector<pid_t>{leader_})) return false;
  if (leader_ != 0) {
    if (!leader_end()) return false;
    waitpid(leader_, nullptr, WNOHANG);
    leader_ = 0;
  }
  siginfo_t told{};  // where /proc shows no other user's processes and lists no children, the kernel knows
  return waitid(P_ALL, 0, &told, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
}

bool process_tree::unreachable() {
  bool any_reached = false;
  for_each_survivor([&](const descendant& one) { any_reached = any_reached || one.signal(0); });
  return !any_reached && !extinct();
}

void process_tree::signal_group(int signal_number) const {
  if (leader_ != 0) {
    kill(-leader_, signal_number);
  }
}

void process_tree::signal_all(int signal_number) {
  signal_group(signal_number);
  for_each_survivor([this, signal_number](const descendant& one) {
    if (leader_ == 0 || one.seen().group != leader_) {
      one.signal(signal_number);
    }
  });
}

}  // namespace zklock::cli
