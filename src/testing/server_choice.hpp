#pragma once

#include <chrono>

#include "src/testing/step.hpp"

namespace zklock::testing {

/// Which server a handle connects to next, and when: one after the other at once, and after a round without success it
/// pauses for a sixtieth of its timeout.
class server_choice {
 public:
  /// `only`: the handle knows no other server.
  server_choice(int first, bool only, instant now) noexcept : next_(first), only_(only), retry_at_(now) {}

  [[nodiscard]] int next() const noexcept { return next_; }
  [[nodiscard]] instant retry_at() const noexcept { return retry_at_; }

  void connected() noexcept { failures_ = 0; }
  /// An attempt has failed.
  void failed(int servers, std::chrono::milliseconds timeout, instant now) noexcept;
  /// A connection that stood was lost.
  void lost(int servers, std::chrono::milliseconds timeout, instant now) noexcept;

 private:
  void choose(int servers, std::chrono::milliseconds timeout, instant now) noexcept;

  int next_;
  bool only_;
  int failures_ = 0;
  instant retry_at_;
};

}  // namespace zklock::testing
