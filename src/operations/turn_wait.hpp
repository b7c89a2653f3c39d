#pragma once

#include <memory>
#include <optional>

#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/operations/acquire_request.hpp"
#include "src/operations/receiver.hpp"

namespace zklock::operations {

struct turn_wait_result {
  bool came = false;      ///< the call is to ask again
  detail::failure why{};  ///< else; no error: not in time
};

/// A call that waits for the end of its owner's earlier call on the same lock object, before an operation of its own is begun.
class turn_wait final : public engine::operation {
 public:
  /// `when_late` may be null.
  turn_wait(std::optional<engine::instant> until, std::unique_ptr<late_line> when_late,
            std::shared_ptr<receiver<turn_wait_result>> told)
      : until_(until), when_late_(std::move(when_late)), told_(std::move(told)) {}

  /// The earlier call has ended: also before this is begun, and behind its end.
  void wake() noexcept { came_ = true; }
  void go_on(engine::out& wants);

  void begin(engine::out& wants) override { go_on(wants); }  // it may have been woken before
  void timer(engine::out& wants) override;
  void stop(const detail::failure& why, engine::out& wants) override { answer({false, why}, wants); }
  [[nodiscard]] std::optional<engine::instant> due() const override;

 private:
  void answer(turn_wait_result result, engine::out& wants);

  const std::optional<engine::instant> until_;
  std::unique_ptr<late_line> when_late_;  ///< null: there is none, or it has been said
  std::shared_ptr<receiver<turn_wait_result>> told_;
  bool came_ = false;
};

}  // namespace zklock::operations
