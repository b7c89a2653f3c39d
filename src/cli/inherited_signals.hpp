#pragma once

#include <csignal>

namespace zklock::cli {

/// How this process found its signals: COMMAND shall find them like that. From the construction on all are blocked, until
/// a signal_inbox says which concern it: so none can hit between, and a child of fork() starts with all blocked. A program that
/// was begun anew finds what the first one has found.
class inherited_signals {
 public:
  inherited_signals();

  /// Right before exec(), in a child of fork().
  void restore() const;
  /// Right before an exec() that begins this very program anew: all stay blocked until it asks for them.
  void hand_on(bool at_a_terminal) const;
  [[nodiscard]] bool begun_anew() const noexcept { return begun_anew_; }
  /// What was handed on.
  [[nodiscard]] bool at_a_terminal() const noexcept { return at_a_terminal_; }
  [[nodiscard]] const sigset_t& mask() const noexcept { return mask_; }
  /// nohup has done that, or a script that has started us in its background.
  [[nodiscard]] static bool is_ignored(int number);

 private:
  sigset_t mask_{};
  struct sigaction on_child_ {};
  bool begun_anew_ = false;
  bool at_a_terminal_ = false;
};

}  // namespace zklock::cli
