#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>

#include "src/engine/heartbeat.hpp"
#include "src/engine/hold.hpp"
#include "src/engine/ledger.hpp"
#include "src/engine/session_config.hpp"

namespace zklock::engine {

/// What is counted of the operations.
enum class counted : std::uint8_t {
  node,  ///< a contender's, from before its create until it is known to be gone: the session is kept for it
  hold,  ///< told to a caller: the local deadline is kept ahead for it
};

/// What the local deadline is needed for, how far it reaches, and which heartbeat it needs next. The deadline itself moves
/// by answers only (recipes::local_deadline); all holds of a session share it as a session_deadline.
class deadline_keeper {
 public:
  /// What an answer has done to it.
  enum class effect : std::uint8_t {
    failed,  ///< the leader has not answered
    none,    ///< no more is proven than before
    ahead,   ///< it has moved: grants that wait for it may be told
    lost,    ///< it had passed before the answer came: what is held is lost
  };

  explicit deadline_keeper(const detail::session_config& wishes);

  /// Where what is sent has to be noted.
  [[nodiscard]] recipes::local_deadline& local() noexcept { return heartbeat_.deadline(); }
  [[nodiscard]] const recipes::local_deadline& local() const noexcept { return heartbeat_.deadline(); }
  [[nodiscard]] heartbeat& beats() noexcept { return heartbeat_; }
  [[nodiscard]] const std::shared_ptr<detail::session_deadline>& of_holds() const noexcept {
    return deadline_of_holds_;
  }
  [[nodiscard]] instant deadline() const noexcept { return deadline_of_holds_->deadline(); }
  /// Nothing that we do lets the next client in before a holder has had its margin to stop its work in.
  [[nodiscard]] instant margin_over() const noexcept { return deadline() + local().terms().margin; }

  // ---- what the session is kept for
  void count(counted what, int by) noexcept;
  [[nodiscard]] bool has_nodes() const noexcept { return nodes_ > 0; }
  [[nodiscard]] bool has_holds() const noexcept { return holds_ > 0; }
  /// Also while no client holds or waits.
  void beat_when_idle() noexcept { idle_ = true; }

  // ---- what moves it
  /// A server grants this timeout: the deadline is drawn in if that is less than before. Whether a write has to be sent
  /// before all else, since until it is answered nothing is proven.
  bool connected(std::chrono::nanoseconds granted, bool new_session, bool adopted);
  /// Events, reads and failures move nothing (F101, F103).
  effect answered(const ledger::entry& asked, client::code answer, instant now);
  /// Whether another heartbeat, behind this answer, gains enough to be sent at once.
  [[nodiscard]] bool gains_by_another(const ledger::entry& answered) const;
  /// Something is held, and it has passed.
  [[nodiscard]] bool has_passed(instant now) const;
  /// What is held under it is over. What comes later has a session deadline of its own, from renew() on.
  void end(loss_reason why) noexcept { deadline_of_holds_->end(why); }
  void renew() { deadline_of_holds_ = std::make_shared<detail::session_deadline>(); }

  // ---- what waits for it
  /// Whether it is ahead; if not, this operation waits for that, and `first` says whether it is the only one.
  struct wait {
    bool ahead;
    bool first;
  };
  wait await(std::uint64_t operation, instant now);
  void await_no_more(std::uint64_t operation) { awaiting_.erase(operation); }
  /// The first one that waits, and may be told now.
  [[nodiscard]] std::optional<std::uint64_t> next_covered(instant now) const;

  // ---- when, and what
  [[nodiscard]] std::optional<instant> beat_due(bool connected) const { return heartbeat_.due(demand(), connected); }
  [[nodiscard]] heartbeat::request_kind next_kind(bool connected, instant now) const {
    return heartbeat_.next_kind(demand(), connected, now);
  }
  /// When what is held is lost, unless an answer comes.
  [[nodiscard]] std::optional<instant> loss_due() const;

 private:
  [[nodiscard]] heartbeat::demand demand() const noexcept;

  heartbeat heartbeat_;
  std::shared_ptr<detail::session_deadline> deadline_of_holds_ = std::make_shared<detail::session_deadline>();
  std::size_t nodes_ = 0;
  std::size_t holds_ = 0;
  bool idle_ = false;  ///< heartbeats also then
  std::set<std::uint64_t> awaiting_;
};

}  // namespace zklock::engine
