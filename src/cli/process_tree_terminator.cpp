#include "src/cli/process_tree_terminator.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/cli/print_error.hpp"

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;

constexpr boot_clock::duration pause_first = 5ms;
constexpr boot_clock::duration pause_longest = 500ms;
/// As long as lists of children differ, and while they are the same: a killed process takes a moment to end, the longer the busier
/// the machine is.
constexpr boot_clock::duration kills_at_most = 100ms;
constexpr boot_clock::duration waits_at_most = 10ms;
/// Some two seconds: what has just been killed, or forked, can be missing in a list.
constexpr int unseen_rounds_max = 10;
constexpr int refused_rounds_max = 3;

}  // namespace

void process_tree_terminator::begin(boot_clock::time_point kill_at) {
  if (begun()) return;
  next_kill_ = kill_at;
  pause_ = pause_first;
  tree_.signal_all(SIGTERM);
  tree_.signal_all(SIGCONT);  // a stopped one would not hear of it
}

void process_tree_terminator::continue_at(boot_clock::time_point now) {
  if (!begun() || now < *next_kill_) return;
  tree_.signal_group(SIGKILL);  // in one go: no process of the group escapes by a fork
  const std::vector<pid_t> before = children_;
  const children_are left = kill_children();
  const bool another_users_change = left == children_are::changing && !any_child_killed_;
  const bool is_walked = left == children_are::the_same || another_users_change;
  const walked below = is_walked ? kill_survivors() : walked{};
  const bool new_ones = below.any_new_killed || (any_child_killed_ && children_ != before);
  const bool none_killed =
      below.is_whole && !below.any_killed && !any_child_killed_ && (below.any_left || another_users_change);
  refused_rounds_ = none_killed ? refused_rounds_ + 1 : 0;
  given_up_ = refused_rounds_ >= refused_rounds_max;  // one that forks may not have been in a list beside them
  if (given_up_ && (another_users_change || told_.empty())) {
    print_error("processes that may not be signalled come and go: they go on without the lock");
  }
  const bool is_one_of_ours_left = left == children_are::changing && !another_users_change;
  unseen_rounds_ = !given_up_ && !is_one_of_ours_left && tree_.unreachable() ? unseen_rounds_ + 1 : 0;
  if (unseen_rounds_ == unseen_rounds_max) {
    print_error("a process that cannot be seen goes on without the lock");
    given_up_ = true;
  }
  pause_ = new_ones ? pause_first : pause_;
  next_kill_ = now + pause_;
  pause_ = std::min(2 * pause_, pause_longest);
}

/// Those that stand are told one by one. Of those that come and go all the time there is no end.
process_tree_terminator::walked process_tree_terminator::kill_survivors() {
  walked now;
  std::set<pid_t> refused;
  now.is_whole = tree_.for_each_survivor([&](const descendant& one) {
    const int error = one.signal(SIGKILL) ? 0 : errno;
    if (error == ESRCH) return;  // it has just ended
    now.any_left = true;
    now.any_killed = now.any_killed || error == 0;
    const pid_t pid = one.seen().pid;
    if (error == 0) {
      now.any_new_killed = met_.insert(pid).second || now.any_new_killed;
    } else if (refused.insert(pid); refused_.count(pid) != 0) {
      tell_of_refused(pid);
    }
  });
  refused_ = std::move(refused);
  return now;
}

/// As long as others come up: those that a list did not show, since they were forked meanwhile.
process_tree_terminator::children_are process_tree_terminator::kill_children() {
  const auto begun = std::chrono::steady_clock::now();
  auto changed = begun;
  bool any_change = false;
  any_child_killed_ = false;
  const auto kill_all = [this] {
    killed_children some = tree_.kill_children();
    any_child_killed_ = any_child_killed_ || some.any_killed;
    return std::move(some.lived);
  };
  children_ = kill_all();
  for (auto now = begun; now < begun + kills_at_most; now = std::chrono::steady_clock::now()) {
    std::vector<pid_t> left = kill_all();
    if (left.empty() && children_.empty()) return children_are::gone;
    if (left != children_) {
      changed = now;
      any_change = true;
    } else if (now >= changed + waits_at_most) {
      return children_are::the_same;
    } else {
      std::this_thread::sleep_for(100us);
    }
    children_ = std::move(left);
  }
  return any_change ? children_are::changing : children_are::the_same;
}

void process_tree_terminator::tell_of_refused(pid_t pid) {
  if (told_.insert(pid).second) {
    print_error("process " + std::to_string(pid) + " may not be signalled: it goes on without the lock");
  }
}

}  // namespace zklock::cli
