#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "recipes/busy_look.hpp"
#include "src/engine/out.hpp"
#include "src/operations/acquire_request.hpp"
#include "src/operations/lock_target.hpp"
#include "src/operations/session_nodes.hpp"

namespace zklock::operations {

/// What bars a contender of that kind, for the lock object's next try.
[[nodiscard]] inline recipes::seen_bar& bar_of(const detail::lock_target& target, recipes::contender_kind kind) {
  return kind == recipes::contender_kind::read ? target.reader_bar : target.bar;
}

/// What one try finds out before it makes a node: that this session holds the lock exclusively, without a request; or by one
/// read that what has barred the lock object's last try stands.
class first_look {
 public:
  first_look(std::shared_ptr<const detail::lock_target> target, const recipes::acquire_spec& wanted)
      : target_(std::move(target)), machine_(wanted), kind_(wanted.kind), bar_(bar_of(*target_, kind_)) {}

  enum class verdict : std::uint8_t { asks, busy, contend };
  [[nodiscard]] verdict begin(const session_nodes& among, engine::out& wants);
  /// As what the answer comes, beside all that an acquisition asks.
  static constexpr engine::tag asked = UINT32_MAX;
  [[nodiscard]] verdict answered(const client::reply_view& answer, engine::out& wants);
  /// Behind `busy`.
  [[nodiscard]] const barring_node& barred_by() const noexcept { return barred_by_; }

 private:
  [[nodiscard]] verdict go_on(recipes::busy_look::next next, engine::out& wants);

  const std::shared_ptr<const detail::lock_target> target_;
  recipes::busy_look machine_;
  const recipes::contender_kind kind_;
  recipes::seen_bar& bar_;
  barring_node barred_by_;
  bool lists_ = false;  ///< what was asked last
};

/// Of a try that has made its node, and was refused.
[[nodiscard]] barring_node bar_seen_by(contender_operation& one);
void note_bar(const recipes::contender& refused, const detail::lock_target& target, const engine::out& wants);

}  // namespace zklock::operations
