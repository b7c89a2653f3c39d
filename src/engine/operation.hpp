#pragma once

#include <cstdint>
#include <optional>

#include "recipes/local_deadline.hpp"
#include "src/engine/failure.hpp"
#include "src/engine/ledger.hpp"
#include "src/zookeeper/client.hpp"

namespace zklock::engine {

using recipes::instant;
class out;

/// What takes several requests: one class a file, in src/operations/.
///
/// Calls come one at a time. An operation never calls the engine: it puts what it wants into `wants`, which the engine
/// applies, in order, after the call has returned. What answers at once comes as a later call.
class operation {
 public:
  operation() = default;
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;
  virtual ~operation() = default;

  /// The first call.
  virtual void begin(out& wants) = 0;
  /// There is a connection (again), in the session that the operation has begun in, or in a new one.
  virtual void connected(out& wants) = 0;
  /// There is none any more; the session may live. The failures of what is under way come behind this call.
  virtual void disconnected(out& wants) = 0;
  /// The connection object goes, with the session or without it: what is under way is not answered any more.
  virtual void connection_closed(out& wants) = 0;
  /// The session is over, and all its nodes with it. Behind connection_closed().
  virtual void session_over(out& wants) = 0;
  virtual void reply(tag as, client::reply&& answer, out& wants) = 0;
  /// `due()` has come.
  virtual void timer(out& wants) = 0;
  /// To be ended before its time: the caller is told `why`.
  virtual void stop(const detail::failure& why, out& wants) = 0;

  /// When timer() is to be called. Asked for after each call.
  [[nodiscard]] virtual std::optional<instant> due() const = 0;

 private:
  friend class operation_table;
  std::uint64_t number_ = 0;  ///< 0: not begun, or finished
  bool stopped_ = false;      ///< perhaps before it was begun
};

}  // namespace zklock::engine
