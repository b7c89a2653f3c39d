#pragma once

#include <optional>

#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/engine/retry_timer.hpp"

namespace zklock::operations {

using engine::instant;

/// An operation that is tried again until it is answered: from the beginning on each new connection, and after a pause
/// when a request fails although there is a connection. It ends at its time limit at the latest.
class repeated : public engine::operation {
 public:
  explicit repeated(instant until) noexcept : until_(until) {}

  void begin(engine::out& wants) final;
  void connected(engine::out& wants) final;
  void disconnected(engine::out& wants) final { drop_try(wants); }
  void session_over(const engine::session_end&, engine::out& wants) final { drop_try(wants); }
  void timer(engine::out& wants) final;
  [[nodiscard]] std::optional<instant> due() const final;

 protected:
  /// Sends the first requests of a try.
  virtual void ask(engine::out& wants) = 0;
  /// The try is over, without a result.
  virtual void forget_try() noexcept = 0;
  /// This try has failed: the next one follows after a pause, or on the next connection.
  void ask_later(engine::out& wants);

 private:
  void drop_try(engine::out& wants);

  const instant until_;
  engine::retry_timer retry_;
};

}  // namespace zklock::operations
