#pragma once

#include <memory>

#include "src/operations/acquire_call.hpp"
#include "src/operations/place_listener.hpp"
#include "src/operations/session_nodes.hpp"

namespace zklock::operations {

/// One call to acquire, until it is answered. A contender lives in one ZooKeeper session only, so the call goes from one
/// try, with new contenders, to the next (F09).
class acquire : public place_listener {
 public:
  /// An acquire_in_turn where it takes turns, an acquire_several where it takes several contenders, else an acquire_one.
  static std::shared_ptr<acquire> make(acquire_request wanted, std::shared_ptr<receiver<acquire_result>> told);

  /// Before it is begun.
  void use(session_nodes& among) noexcept { among_ = &among; }

  explicit acquire(acquire_call&& call) : call_(std::move(call)) {}

  void begin(engine::out& wants) final;

 protected:
  /// A new try: acquire_one and acquire_several say how.
  virtual void contend(engine::out& wants) = 0;
  /// Begins a contender that has this place of the try.
  [[nodiscard]] std::shared_ptr<contender_operation> begin_contender(
      std::size_t place, const std::shared_ptr<const detail::lock_target>& of, const recipes::place& as,
      bool created_in_transaction, engine::out& wants);

  acquire_call call_;
  session_nodes* among_ = nullptr;  ///< set before it is begun
};

}  // namespace zklock::operations
