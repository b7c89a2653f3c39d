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
  const bool new_in_walk = left == children_are::the_same && kill_survivors();
  const bool new_ones = new_in_walk || children_ != before;
  refused_ones_only_ = refused_ones_only_ && left == children_are::the_same;
  refused_rounds_ = refused_ones_only_ ? refused_rounds_ + 1 : 0;
  given_up_ = refused_rounds_ >= refused_rounds_max;  // one that forks may not have been in a list beside them
  unseen_rounds_ = !given_up_ && left != children_are::changing && tree_.unreachable() ? unseen_rounds_ + 1 : 0;
  if (unseen_rounds_ == unseen_rounds_max) {
    print_error("a process that /proc does not show goes on without the lock");
    given_up_ = true;
  }
  pause_ = new_ones ? pause_first : pause_;
  next_kill_ = now + pause_;
  pause_ = std::min(2 * pause_, pause_longest);
}

/// Whether there were such as had not been met before.
bool process_tree_terminator::kill_survivors() {
  bool anything_new = false, any_left = false, any_killed = false;
  tree_.for_each_survivor([&](const descendant& one) {
    any_left = true;
    any_killed = may_be_killed(one) || any_killed;
    anything_new = met_.insert(one.seen().pid).second || anything_new;
  });
  refused_ones_only_ = any_left && !any_killed;
  return anything_new;
}

/// As long as others come up: those that a list did not show, since they were forked meanwhile.
process_tree_terminator::children_are process_tree_terminator::kill_children() {
  const auto begun = std::chrono::steady_clock::now();
  auto changed = begun;
  children_ = tree_.kill_children();
  for (auto now = begun; now < begun + kills_at_most; now = std::chrono::steady_clock::now()) {
    std::vector<pid_t> left = tree_.kill_children();
    if (left.empty() && children_.empty()) return children_are::gone;
    if (left != children_) {
      changed = now;
    } else if (now >= changed + waits_at_most) {
      return children_are::the_same;
    } else {
      std::this_thread::sleep_for(100us);
    }
    children_ = std::move(left);
  }
  return children_are::changing;
}

bool process_tree_terminator::may_be_killed(const descendant& one) {
  if (one.signal(SIGKILL) || errno != EPERM) return true;
  if (refused_.insert(one.seen().pid).second) {
    print_error("process " + std::to_string(one.seen().pid) + " may not be signalled: it goes on without the lock");
  }
  return false;
}

}  // namespace zklock::cli
