#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace zklock::soak {

/// Draws by lot, the same from the same seed on every platform (the distributions of <random> are not).
class lot {
 public:
  explicit lot(std::uint64_t seed) : engine_(seed) {}

  /// 0 … below-1.
  [[nodiscard]] std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
  /// True once in so many times.
  [[nodiscard]] bool once_in(std::uint64_t times) { return below(times) == 0; }
  [[nodiscard]] std::chrono::milliseconds between(std::chrono::milliseconds least, std::chrono::milliseconds most) {
    return least + std::chrono::milliseconds(below(static_cast<std::uint64_t>((most - least).count()) + 1));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace zklock::soak
