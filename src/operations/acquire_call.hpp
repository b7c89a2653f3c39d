#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "recipes/places.hpp"
#include "src/engine/out.hpp"
#include "src/engine/retry_timer.hpp"
#include "src/operations/acquire_request.hpp"
#include "src/operations/contender_operation.hpp"
#include "src/operations/observed_lock.hpp"
#include "src/operations/receiver.hpp"

namespace zklock::operations {

/// How a call acquires, what its tries have found out, and its answer: given exactly once.
class acquire_call {
 public:
  acquire_call(acquire_terms&& terms, std::shared_ptr<receiver<acquire_result>> told) noexcept;

  [[nodiscard]] bool once() const noexcept { return once_; }
  /// One try whose contender does not wait behind another one.
  [[nodiscard]] bool goes_at_once() const noexcept { return once_ && !stands_; }
  /// From here on it waits till then, in the queue.
  void stand_until(engine::instant when) noexcept {
    stands_ = true;
    queue_seen_ = true;  // a node that bars it was read
    until_ = std::min(until_, when);
  }
  [[nodiscard]] std::uint64_t owner() const noexcept { return owner_; }
  [[nodiscard]] grantee to() const noexcept { return {owner_, when_late_ ? when_late_->begun_at : engine::instant{0}}; }
  /// It has not been answered, and no time limit ends it.
  [[nodiscard]] bool waits_for_ever() const noexcept { return !is_answered() && !once_ && until_ == never; }
  /// For a place of the next try, of the part that is `of`.
  [[nodiscard]] std::shared_ptr<contender_operation> make_contender(
      const std::shared_ptr<const detail::lock_target>& of, const recipes::place& as, bool created_in_transaction,
      session_nodes& among, engine::out& wants) const;
  /// What another try need not find out once more. `of_next`: what its contender wants.
  void note_progress(const contender_operation& of, recipes::acquire_spec& of_next);
  [[nodiscard]] bool queue_seen() const noexcept { return queue_seen_; }

  [[nodiscard]] bool is_answered() const noexcept { return told_ == nullptr; }
  void answer(acquire_result result);
  /// Until it is answered.
  [[nodiscard]] bool is_late(engine::instant now) const;

  /// A try begins; with the first one the wait.
  void begin(const engine::out& wants);
  /// When timer() is to be called.
  [[nodiscard]] std::optional<engine::instant> due() const;
  /// How long it has waited, if that is to be logged now: once.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> slow_by(engine::instant now);
  /// Warns, if that is due: once.
  void timer(engine::out& wants);

 private:
  static constexpr engine::instant never = engine::instant::max();

  std::shared_ptr<receiver<acquire_result>> told_;  ///< null once it is answered
  engine::retry_timer retry_;                       ///< of the contender of the try before
  engine::instant until_;
  std::uint64_t owner_;
  std::unique_ptr<late_line> when_late_;  ///< null: there is nothing to say of it
  bool once_;
  bool stands_ = false;      ///< though it is one try
  bool queue_seen_ = false;  ///< by one of its contenders
};

/// The places of each try: a part has one, or several.
[[nodiscard]] recipes::place_plan plan_of(const acquire_request& wanted);
/// What the caller is told of this contender's refusal.
[[nodiscard]] detail::failure failure_of(contender_operation& one, recipes::refusal why, recipes::code with);

}  // namespace zklock::operations
