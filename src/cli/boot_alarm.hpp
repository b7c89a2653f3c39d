#pragma once

#include <optional>

#include <zklock/clock.hpp>

#include "src/cli/owned_descriptor.hpp"

namespace zklock::cli {

/// An instant to poll for, on the clock that the lock's deadline is reckoned on: it comes also while the machine slept.
class boot_alarm {
 public:
  boot_alarm();  ///< throws std::system_error

  /// In place of the last one; none: never. An instant that has passed comes at once.
  void set(const std::optional<boot_clock::time_point>& due);
  /// Readable from then on, until the next set().
  [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }

 private:
  owned_descriptor descriptor_;
};

}  // namespace zklock::cli
