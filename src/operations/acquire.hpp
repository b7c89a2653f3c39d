#pragma once

#include <memory>

#include "src/operations/acquire_call.hpp"
#include "src/operations/first_look.hpp"
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
  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;
  void connection_closed(engine::out& wants) final;

 protected:
  /// It is not known yet whether it can only fail: nothing of it is on the servers.
  [[nodiscard]] bool is_looking() const noexcept { return looks_; }
  /// It is answered, since its time is over while it looks.
  bool ends_its_look(engine::out& wants);
  /// A new try: acquire_one and acquire_several say how.
  virtual void contend(engine::out& wants) = 0;
  /// Begins a contender that has this place of the try.
  [[nodiscard]] std::shared_ptr<contender_operation> begin_contender(
      std::size_t place, const std::shared_ptr<const detail::lock_target>& of, const recipes::place& as,
      bool created_in_transaction, engine::out& wants);

  acquire_call call_;
  session_nodes* among_ = nullptr;  ///< set before it is begun

 private:
  /// Whether it goes no further now.
  [[nodiscard]] bool follow(first_look::verdict seen, engine::out& wants);

  std::unique_ptr<first_look> look_;  ///< of one try, until it contends
  bool looks_ = false;                ///< its answer is awaited
};

}  // namespace zklock::operations
