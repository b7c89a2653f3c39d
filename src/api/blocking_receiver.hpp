#pragma once

#include <memory>
#include <utility>

#include "src/operations/receiver.hpp"
#include "src/threads/one_time_event.hpp"

namespace zklock::detail {

/// A thread that waits for a result. Once an operation that has it is begun, it must not end before wait() has returned.
template <class Result>
class blocking_receiver final : public operations::receiver<Result> {
 public:
  void complete(Result result) noexcept override {
    result_ = std::move(result);
    completed_.set();
  }
  /// As an operation has it.
  [[nodiscard]] std::shared_ptr<operations::receiver<Result>> shared() noexcept {
    return {std::shared_ptr<void>(), this};
  }
  [[nodiscard]] Result wait() noexcept {
    completed_.wait();
    return std::move(result_);
  }

 private:
  Result result_{};
  one_time_event completed_;
};

}  // namespace zklock::detail
