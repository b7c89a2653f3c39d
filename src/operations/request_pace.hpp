#pragma once

#include <array>
#include <chrono>
#include <cstddef>

#include "src/engine/operation.hpp"

namespace zklock::operations {

/// How often something may ask: at most four times in any second.
class request_pace {
 public:
  static constexpr std::size_t requests_max = 4;
  static constexpr std::chrono::nanoseconds within = std::chrono::seconds(1);

  /// From when on the next request may be sent.
  [[nodiscard]] engine::instant free_at() const noexcept { return free_at_[oldest_]; }
  void sent(engine::instant now) noexcept {
    free_at_[oldest_] = now + within;
    oldest_ = (oldest_ + 1) % requests_max;
  }

 private:
  std::array<engine::instant, requests_max> free_at_{};  ///< for each of the last requests: when it counts no more
  std::size_t oldest_ = 0;
};

}  // namespace zklock::operations
