#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <system_error>

#include <boost/intrusive/set_hook.hpp>

#include <zklock/loss.hpp>

#include "recipes/local_deadline.hpp"
#include "src/engine/failure.hpp"
#include "src/engine/ledger.hpp"
#include "src/port/client.hpp"

namespace zklock::engine {

using recipes::instant;
class out;

/// How a ZooKeeper session has ended.
struct session_end {
  loss_reason why;
  bool confirmed;  ///< by a server's word: its nodes are gone
};

class operation;

/// An operation among those that are under way: the operation table's. It is the operation's own, so that none is allocated.
struct table_entry : boost::intrusive::set_base_hook<boost::intrusive::optimize_size<true>> {
  std::uint64_t number = 0;           ///< 0, or `stopped_early`: not under way
  std::shared_ptr<operation> what;    ///< while it is under way
  instant timer_at = instant::max();  ///< max(): none
};

/// What takes several requests: one class a file, in src/operations/.
///
/// Calls come one at a time. What an operation sends through `wants` goes out at once; what it wants of operations is done
/// after the call has returned. What answers at once comes as a later call.
class operation {
 public:
  operation() = default;
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;
  virtual ~operation() = default;

  /// The first call, also of one that takes the place of another; and the next one behind `out::begin_again()`.
  virtual void begin(out& wants) = 0;
  /// There is a connection (again).
  virtual void connected(out&) {}
  /// There is none any more; the session may live. The failures of what is under way come behind this call.
  virtual void disconnected(out&) {}
  /// The connection object goes, with the session or without it: what is under way is not answered any more.
  virtual void connection_closed(out&) {}
  /// The session is over, and all its nodes with it. Behind connection_closed().
  virtual void session_over(const session_end&, out&) {}
  /// What is held is lost, though the session goes on: its local deadline has passed, or it is to be closed. The nodes go
  /// at `nodes_until`.
  virtual void holds_over(loss_reason, instant /*nodes_until*/, out&) {}
  /// The answer's texts are there for this call, and for what it wants of others.
  virtual void reply(tag, const client::reply_view&, out&) {}
  virtual void watch_fired(tag, client::node_event, out&) {}
  /// A watch that was asked for was not set: there is no room for it. The request is under way without it.
  virtual void watch_refused(tag, out&) {}
  /// The local deadline is ahead, as `out::await_cover()` has asked.
  virtual void covered(out&) {}
  /// What is known is current, as `out::await_proof()` has asked. Also without having asked.
  virtual void proven(out&) {}
  /// `due()` has come.
  virtual void timer(out&) {}
  /// All is closed: the last call. `result`: whether the nodes are known to be gone.
  virtual void closed(std::error_code /*result*/, out&) {}
  /// To be ended before its time: the caller is told `why`.
  virtual void stop(const detail::failure& why, out& wants) = 0;

  /// When timer() is to be called. Asked for after each call.
  [[nodiscard]] virtual std::optional<instant> due() const { return std::nullopt; }

  /// Of one that is under way. Else 0, or `stopped_early`.
  [[nodiscard]] std::uint64_t number() const noexcept { return entry_.number; }

  // ---- for the operation table
  /// The number of one that was stopped before it was begun (or after it has finished).
  static constexpr std::uint64_t stopped_early = UINT64_MAX;
  [[nodiscard]] table_entry& entry() noexcept { return entry_; }

 private:
  table_entry entry_;
};

}  // namespace zklock::engine
