#include "src/cli/process_tree_terminator.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>

#include "src/cli/print_error.hpp"

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;

constexpr boot_clock::duration pause_first = 5ms;
constexpr boot_clock::duration pause_longest = 500ms;
constexpr int rounds_without_pause = 100;
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
  // A process that forks while it is being killed has children that the list did not show. As long as new ones come up,
  // the next round follows at once.
  bool new_ones = true;
  for (int round = 0; round < rounds_without_pause && new_ones; ++round) {
    new_ones = kill_survivors();
  }
  refused_rounds_ = refused_ones_only_ ? refused_rounds_ + 1 : 0;
  given_up_ = refused_rounds_ >= refused_rounds_max;  // one that forks may not have been in a list beside them
  unseen_rounds_ = !given_up_ && tree_.unreachable() ? unseen_rounds_ + 1 : 0;
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
  tree_.signal_group(SIGKILL);  // in one go: no process of the group escapes by a fork
  bool anything_new = false, any_left = false, any_killed = false;
  tree_.for_each_survivor([&](const descendant& one) {
    any_left = true;
    any_killed = may_be_killed(one) || any_killed;
    anything_new = met_.insert(one.seen().pid).second || anything_new;
  });
  refused_ones_only_ = any_left && !any_killed;
  return anything_new;
}

bool process_tree_terminator::may_be_killed(const descendant& one) {
  if (one.signal(SIGKILL) || errno != EPERM) return true;
  if (refused_.insert(one.seen().pid).second) {
    print_error("process " + std::to_string(one.seen().pid) + " may not be signalled: it goes on without the lock");
  }
  return false;
}

}  // namespace zklock::cli
