#pragma once

#include <optional>

#include "src/cli/inherited_signals.hpp"
#include "src/cli/owned_descriptor.hpp"

namespace zklock::cli {

/// The signals that concern the command, as something to poll for. They are blocked for the whole process from the
/// construction on: construct it before any thread. A signal that was ignored when the command started (nohup, a
/// background job of a script) stays ignored, here and for the child.
class signal_inbox {
 public:
  explicit signal_inbox(const inherited_signals& inherited);  ///< throws std::system_error

  [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }
  /// The number of the next one that has arrived, SIGCHLD among them. Does not wait.
  [[nodiscard]] std::optional<int> take();

 private:
  owned_descriptor descriptor_;
};

}  // namespace zklock::cli
