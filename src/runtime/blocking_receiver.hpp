#pragma once

#include <atomic>
#include <utility>

#include "src/operations/receiver.hpp"

namespace zklock::detail {

/// A thread that waits for a result.
template <class Result>
class blocking_receiver final : public operations::receiver<Result> {
 public:
  void complete(Result result) noexcept override {
    result_ = std::move(result);
    completed_.store(true, std::memory_order_release);
    completed_.notify_one();
  }
  [[nodiscard]] Result wait() noexcept {
    completed_.wait(false, std::memory_order_acquire);
    return std::move(result_);
  }

 private:
  Result result_{};
  std::atomic<bool> completed_{false};
};

}  // namespace zklock::detail
