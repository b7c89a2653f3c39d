#pragma once

#include <utility>

#include "src/operations/receiver.hpp"
#include "src/runtime/one_time_event.hpp"

namespace zklock::detail {

/// A thread that waits for a result.
template <class Result>
class blocking_receiver final : public operations::receiver<Result> {
 public:
  void complete(Result result) noexcept override {
    result_ = std::move(result);
    completed_.set();
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
