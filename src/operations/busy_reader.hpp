#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "recipes/busy_check.hpp"
#include "src/engine/out.hpp"
#include "src/operations/acquire_request.hpp"
#include "src/operations/lock_target.hpp"
#include "src/operations/session_nodes.hpp"

namespace zklock::operations {

/// What has blocked a contender of that kind, for the lock object's next try.
[[nodiscard]] inline recipes::seen_blocker& blocker_of(const detail::lock_target& target,
                                                       recipes::contender_kind kind) {
  return kind == recipes::contender_kind::read ? target.reader_blocker : target.blocker;
}

/// Asks what a busy_check wants to know, before a try makes a node.
class busy_reader {
 public:
  busy_reader(std::shared_ptr<const detail::lock_target> target, const recipes::acquire_spec& wanted)
      : target_(std::move(target)),
        machine_(wanted, target_->read_first),
        blocker_(blocker_of(*target_, wanted.kind)) {}

  void look_again() noexcept { machine_.look_again(); }

  enum class verdict : std::uint8_t { asks, busy, contend };
  [[nodiscard]] verdict begin(const session_nodes& among, engine::out& wants);
  /// As what the answer comes, beside all that an acquisition asks.
  static constexpr engine::tag asked = UINT32_MAX;
  [[nodiscard]] verdict answered(const client::reply_view& answer, engine::out& wants);
  /// As busy_check's, behind `contend`.
  [[nodiscard]] std::chrono::nanoseconds time_to_stand() const noexcept { return machine_.time_to_stand(round_trip_); }
  /// Behind `busy`.
  [[nodiscard]] const blocking_node& blocked_by() const noexcept { return blocked_by_; }

 private:
  [[nodiscard]] verdict go_on(recipes::busy_check::next next, engine::out& wants);

  const std::shared_ptr<const detail::lock_target> target_;
  recipes::busy_check machine_;
  recipes::seen_blocker& blocker_;
  blocking_node blocked_by_;
  engine::instant asked_at_{0};
  std::chrono::nanoseconds round_trip_{0};
  bool lists_ = false;  ///< what was asked last
};

/// Notes, for the lock object's next try, what has refused this one, which has made its node.
[[nodiscard]] blocking_node note_blocker(contender_operation& refused, const engine::out& wants);

}  // namespace zklock::operations
