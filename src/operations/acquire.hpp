#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "recipes/contender.hpp"
#include "recipes/places.hpp"
#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/engine/retry_pace.hpp"
#include "src/operations/acquire_request.hpp"
#include "src/operations/contender.hpp"
#include "src/operations/receiver.hpp"

namespace zklock::operations {

/// One call to acquire, until it is answered: exactly once. A contender lives in one ZooKeeper session only, so the call
/// goes from one try, with new contenders, to the next (F09).
class acquire : public engine::operation {
 public:
  /// Of the class that the request takes.
  static std::shared_ptr<acquire> make(acquire_request wanted, std::shared_ptr<receiver<acquire_result>> told);

  /// Before it is begun.
  void use(nodes& registry, holder_watch& watch) noexcept;

  void begin(engine::out& wants) final;

  // ---- what its contenders say
  virtual void place_granted(std::size_t place, engine::out& wants) = 0;
  virtual void place_refused(std::size_t place, engine::out& wants) = 0;
  virtual void place_void(std::size_t place, engine::out& wants) = 0;
  virtual void place_lost(std::size_t place, loss_reason why, engine::out& wants) = 0;
  virtual void lock_node_made(std::size_t, recipes::code, bool /*without_root*/, engine::out&) {}
  virtual void part_released(engine::out&) {}

 protected:
  acquire(acquire_request wanted, std::shared_ptr<receiver<acquire_result>> told);

  /// A new try.
  virtual void contend(engine::out& wants) = 0;
  [[nodiscard]] std::shared_ptr<contender> make_contender(std::size_t place, const recipes::place& as,
                                                          bool created_by_transaction, engine::out& wants);
  [[nodiscard]] const acquire_request& wanted() const noexcept { return wanted_; }
  [[nodiscard]] bool is_answered() const noexcept { return told_ == nullptr; }
  void answer(acquire_result result);
  /// What another try need not find out once more.
  void note_progress(const contender& of, std::size_t part);
  [[nodiscard]] bool queue_seen() const noexcept { return queue_seen_; }
  [[nodiscard]] recipes::place_plan plan() const;
  [[nodiscard]] bool is_late(const engine::out& wants) const;
  /// Until it is answered.
  [[nodiscard]] std::optional<engine::instant> time_limit() const;
  [[nodiscard]] static detail::failure failure_of(const contender& one, recipes::refusal why, recipes::code with);

 private:
  const acquire_request wanted_;
  std::shared_ptr<receiver<acquire_result>> told_;  ///< null once it is answered
  nodes* registry_ = nullptr;                       ///< set before it is begun
  holder_watch* watch_ = nullptr;                   ///< likewise
  bool queue_seen_ = false;                         ///< by one of its contenders
  std::vector<bool> agreed_;                        ///< by part: its claim was compared with the semaphore's limit
  detail::retry_pace pace_;                         ///< of the contender of the try before
};

}  // namespace zklock::operations
