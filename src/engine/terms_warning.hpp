#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "recipes/deadline_terms.hpp"

namespace zklock::engine {

/// What the servers grant is not what was asked for: said once, and again when it changes.
class terms_warning {
 public:
  /// `margin`: 0 is the default one.
  terms_warning(std::chrono::milliseconds timeout, std::chrono::milliseconds margin) noexcept
      : timeout_(timeout), margin_(margin) {}

  /// `asked`: this timeout was asked for by us, not by the program that has made the handle.
  [[nodiscard]] std::vector<std::string> of(std::chrono::milliseconds granted, const recipes::deadline_terms& terms,
                                            bool asked);

 private:
  const std::chrono::milliseconds timeout_;
  const std::chrono::milliseconds margin_;
  bool told_timeout_ = false;
  std::chrono::nanoseconds told_margin_{-1};
};

}  // namespace zklock::engine
