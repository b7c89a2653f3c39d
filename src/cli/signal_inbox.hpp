#pragma once

#include <csignal>
#include <optional>
#include <vector>

namespace zklock::cli {

/// The signals that concern the command, as something to poll for. They are blocked for the whole process from the
/// construction on: construct it before any thread. A signal that was ignored when the command started (nohup, a
/// background job of a script) stays ignored, here and for the child.
class signal_inbox {
 public:
  struct message {
    int number;
    bool by_kernel;  ///< typed at the terminal, or its hang-up: the whole foreground group gets such a one
  };

  signal_inbox();  ///< throws std::system_error
  ~signal_inbox();
  signal_inbox(const signal_inbox&) = delete;
  signal_inbox& operator=(const signal_inbox&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// The next one that has arrived, SIGCHLD among them. Does not wait.
  [[nodiscard]] std::optional<message> take();
  /// As it was before the construction: the child's.
  [[nodiscard]] const sigset_t& original_mask() const noexcept { return original_mask_; }

 private:
  sigset_t original_mask_{};
  int descriptor_ = -1;
};

}  // namespace zklock::cli
