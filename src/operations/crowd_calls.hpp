#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/operations/nodes.hpp"

namespace zklock::operations {

/// Tells many contenders of one session something, a slice in each task of the strand: answers to heartbeats, and calls of
/// others, come in between. Lives as long as the session object.
///
/// Invariant: what is told belongs to the connection that stands. `tell` is to make sure that it still concerns the contender.
class crowd_calls final : public engine::operation {
 public:
  struct crowd {
    /// The next ones, so many at the most; fewer: there are no more.
    std::function<std::vector<std::uint64_t>(std::size_t)> next;
    std::function<void(contender_operation&, engine::out&)> tell;
    std::function<void(engine::out&)> then{};  ///< when all are told
  };

  explicit crowd_calls(const nodes& of) noexcept : nodes_(of) {}

  /// The first slice as a part of the call of another operation, to which `wants` belongs.
  void tell(crowd&& to, engine::out& wants);
  void drop() noexcept { left_.clear(); }
  /// Some are left to be told by a later task.
  [[nodiscard]] bool has_left() const noexcept { return !left_.empty(); }
  /// When all those are told.
  void call_behind(std::function<void(engine::out&)>&& then, engine::out& wants);

  void begin(engine::out&) override {}
  void connection_closed(engine::out&) override { drop(); }
  void timer(engine::out& wants) override;
  void stop(const detail::failure&, engine::out&) override {}
  [[nodiscard]] std::optional<engine::instant> due() const override {
    return left_.empty() ? std::nullopt : std::optional(since_);
  }

 private:
  void tell_these(const std::vector<std::uint64_t>& several, const std::shared_ptr<crowd>& to,
                  engine::out& wants) const;
  void put_off(std::shared_ptr<crowd>&& to, engine::out& wants);

  const nodes& nodes_;
  std::deque<std::shared_ptr<crowd>> left_;  ///< the first first
  engine::instant since_{0};
};

}  // namespace zklock::operations
