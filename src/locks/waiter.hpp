#pragma once

#include <atomic>
#include <memory>
#include <system_error>
#include <utility>

#include "src/session/acquisition.hpp"

namespace zklock::detail {

/// One acquisition that a thread waits for.
class waiter final : public acquisition {
 public:
  using acquisition::acquisition;

  void granted(std::shared_ptr<hold> proof) noexcept override {
    proof_ = std::move(proof);
    wake();
  }
  void refused(failure why) noexcept override {
    failure_ = std::move(why);
    wake();
  }

  void wait() noexcept { answered_.wait(false, std::memory_order_acquire); }

  // ---- once it has been answered
  [[nodiscard]] std::shared_ptr<hold> take_proof() noexcept { return std::move(proof_); }
  [[nodiscard]] failure take_failure() noexcept { return std::move(failure_); }

 private:
  void wake() noexcept {
    answered_.store(true, std::memory_order_release);
    answered_.notify_one();
  }

  std::shared_ptr<hold> proof_;
  failure failure_;
  std::atomic<bool> answered_{false};
};

/// A release whose confirmation a thread waits for.
class release_waiter final : public release_listener {
 public:
  struct result {
    std::error_code ec;
    recipes::code answer = recipes::code::ok;  ///< ZooKeeper's, behind an error
  };

  void released(std::error_code why, recipes::code answer) noexcept override {
    result_ = {why, answer};
    answered_.store(true, std::memory_order_release);
    answered_.notify_one();
  }
  [[nodiscard]] result wait() noexcept {
    answered_.wait(false, std::memory_order_acquire);
    return result_;
  }

 private:
  result result_;
  std::atomic<bool> answered_{false};
};

}  // namespace zklock::detail
