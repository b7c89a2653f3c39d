#pragma once

#include <optional>
#include <set>
#include <vector>

#include <zklock/clock.hpp>

#include "src/cli/process_tree.hpp"

namespace zklock::cli {

/// Ends a process tree: SIGTERM at once, SIGKILL at a given instant, repeated until nothing is left. The caller's loop
/// asks when something is due, and brings the time.
class process_tree_terminator {
 public:
  explicit process_tree_terminator(process_tree& tree) : tree_(tree) {}

  /// The first time counts.
  void begin(boot_clock::time_point kill_at);
  [[nodiscard]] bool begun() const noexcept { return next_kill_.has_value(); }

  /// Does what is due by then, if anything is.
  void continue_at(boot_clock::time_point now);
  [[nodiscard]] const std::optional<boot_clock::time_point>& next_due() const noexcept { return next_kill_; }
  /// What is left may not be signalled (another user's), or cannot be seen (hidden; no descriptor): that was reported, and is not
  /// waited for.
  [[nodiscard]] bool given_up() const noexcept { return given_up_; }

 private:
  enum class children_are : char { gone, changing, the_same };
  [[nodiscard]] children_are kill_children();
  struct walked {
    bool any_new_killed = false;  ///< such as had not been killed before
    bool any_left = false;
    bool any_killed = false;
    bool is_whole = false;  ///< there was time enough, and descriptors
  };
  [[nodiscard]] walked kill_survivors();
  void tell_of_refused(pid_t pid);

  process_tree& tree_;
  std::optional<boot_clock::time_point> next_kill_;  ///< none: not begun
  boot_clock::duration pause_{};
  std::vector<pid_t> children_;  ///< those that lived when they were killed last
  std::set<pid_t> met_;
  std::set<pid_t> refused_;  ///< in the last walk
  std::set<pid_t> told_;
  int unseen_rounds_ = 0;          ///< one after the other
  int refused_rounds_ = 0;         ///< likewise: none of those that were seen could be killed
  bool any_child_killed_ = false;  ///< in this round
  bool given_up_ = false;
};

}  // namespace zklock::cli
