#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <vector>

#include "src/cli/guardian_protocol.hpp"
#include "src/cli/owned_descriptor.hpp"

namespace zklock::cli {

/// Opens /proc, for all that is below. Throws std::runtime_error if it does not show this process.
void require_proc();

/// From now on every descendant of this process becomes its child when its own parent has ended. So no descendant gets
/// away, not even by setsid() and a double fork. Opens this process's list of children. Throws std::system_error.
void adopt_orphans();

struct process {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  char state = '?';  ///< as ps has it: T: stopped, Z: ended and not buried yet ...
};
/// None when there is none of that number (any more).
[[nodiscard]] std::optional<process> look_at(pid_t pid);

/// A process that is signalled, or none: a number may be another process's by now, however short ago it was read (this process
/// may have been stopped since). Our own children keep theirs until we bury them; all others are named by a pidfd.
class descendant {
 public:
  /// `parent`: null: this process. Nothing: it is not known (any more) to be that one's child, or ours.
  [[nodiscard]] static std::optional<descendant> known(pid_t pid, const descendant* parent);

  [[nodiscard]] const process& seen() const noexcept { return seen_; }
  [[nodiscard]] bool ours() const noexcept { return handle_.get() < 0; }
  /// False: errno says why.
  bool signal(int number) const;
  /// Not one of ours: whether it has ended.
  [[nodiscard]] bool ended() const;

 private:
  descendant(const process& seen, owned_descriptor&& handle) : seen_(seen), handle_(std::move(handle)) {}
  /// Whether its number is still its own.
  [[nodiscard]] bool stands() const;

  process seen_;
  owned_descriptor handle_;  ///< none: a child of ours
};

struct killed_children {
  std::vector<pid_t> lived;  ///< when they were killed, in the kernel's order
  bool any_killed = false;   ///< none: they are another user's
};

/// COMMAND, its process group and all that descends from it. All children of this process, which adopts orphans, belong
/// to it. Behind adopt_orphans().
///
/// COMMAND itself, the leader, is kept as a zombie until the last of the others has ended. Until then no other process
/// has its pid, which is the group's, and the group can be signalled. One thread only, the process's first. Needs /proc.
class process_tree {
 public:
  /// Of a leader that is no child of this process (any more) nothing is known but what it has left behind.
  explicit process_tree(pid_t leader);

  /// Whether and how it has ended; also after its burial.
  [[nodiscard]] std::optional<process_end> leader_end();
  /// The signal that has stopped the leader since the last question.
  [[nodiscard]] std::optional<int> leader_stopped();
  /// Buries orphans that have ended, as init would. Cheap; for as long as the leader lives.
  void bury_orphans();

  /// All that live, the leader too, parents before their children; for 50 ms at the most, then those are left out that are no
  /// children of this process. Buries what has ended. False: others may live, for which there was no time or no descriptor.
  bool for_each_survivor(const std::function<void(const descendant&)>& use);
  [[nodiscard]] std::vector<process> survivors();
  /// Whether nothing is left, and never will be. The leader is buried as well then.
  [[nodiscard]] bool extinct();
  /// Whether something is left, but none that can be seen (any more, yet) and that may be signalled: another user's, or one that
  /// there is no descriptor for.
  [[nodiscard]] bool unreachable();

  /// SIGKILL to all children of this process, whether /proc shows them or not, and buries what had ended.
  /// What ends leaves its children to us, so again and again it ends a tree of any depth, also one of processes that end as soon
  /// as they have forked, faster than they could be looked at.
  killed_children kill_children();
  void signal_group(int signal_number) const;
  /// The group, and all processes that have left it.
  void signal_all(int signal_number);

 private:
  [[nodiscard]] bool buried(const descendant& one) const;
  /// A child of ours, or the leader: whether it has ended. Buries it, but not the leader.
  [[nodiscard]] bool child_buried(pid_t child) const;

  pid_t leader_;  ///< 0: it is not ours (any more), and its number may be another process's
  std::optional<process_end> leader_end_;
};

}  // namespace zklock::cli
