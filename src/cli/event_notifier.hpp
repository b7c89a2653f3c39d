#pragma once

#include <sys/eventfd.h>

#include "src/cli/owned_descriptor.hpp"

namespace zklock::cli {

/// What another thread rings, and a loop polls for.
class event_notifier {
 public:
  event_notifier() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd") {}

  void ring() const noexcept { static_cast<void>(eventfd_write(descriptor_.get(), 1)); }
  [[nodiscard]] bool take() const noexcept {
    eventfd_t rung = 0;
    return eventfd_read(descriptor_.get(), &rung) == 0;
  }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }

 private:
  owned_descriptor descriptor_;
};

}  // namespace zklock::cli
