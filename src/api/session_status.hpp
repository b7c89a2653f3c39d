#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

#include <zklock/clock.hpp>
#include <zklock/session.hpp>

#include "src/api/owner_number.hpp"
#include "src/port/client.hpp"
#include "src/threads/thread_safety.hpp"

namespace zklock::detail {

/// What all threads may ask of a session, and wait for. The session's logic says it on its strand.
class session_status {
 public:
  /// `servers`: for messages. The terms are those that are expected before a server has granted any.
  session_status(std::string servers, std::chrono::milliseconds timeout, std::chrono::nanoseconds margin)
      : servers_(std::move(servers)), timeout_ms_(timeout.count()), margin_ns_(margin.count()) {}

  [[nodiscard]] const std::string& servers() const noexcept { return servers_; }
  [[nodiscard]] session_state state() const noexcept { return state_.load(std::memory_order_acquire); }
  [[nodiscard]] std::chrono::milliseconds timeout() const noexcept {
    return std::chrono::milliseconds(timeout_ms_.load(std::memory_order_relaxed));
  }
  [[nodiscard]] std::chrono::nanoseconds margin() const noexcept {
    return std::chrono::nanoseconds(margin_ns_.load(std::memory_order_relaxed));
  }
  /// When a server was connected last, by boot_clock: `now` while one is; before the first connection: since the session was
  /// made.
  [[nodiscard]] std::chrono::nanoseconds last_connected(std::chrono::nanoseconds now) const noexcept {
    return state() == session_state::connected ? now
                                               : std::chrono::nanoseconds(left_at_ns_.load(std::memory_order_relaxed));
  }
  /// Whether the calling thread is one that must not wait for an answer: it would come to this very thread.
  [[nodiscard]] bool on_client_thread() const noexcept {
    return client_thread_.load(std::memory_order_relaxed) == this_thread_number();
  }
  /// Whether it is connected by then. A state that it never leaves ends the wait, and so does a stop.
  [[nodiscard]] bool wait_connected(std::chrono::nanoseconds limit, std::stop_token stop) const ZKLOCK_EXCLUDES(mutex_);
  /// How the session was closed, once it is.
  [[nodiscard]] std::error_code wait_closed() const ZKLOCK_EXCLUDES(mutex_);

  /// Why the servers refuse the session's handle. Empty: not known that they do.
  [[nodiscard]] std::string refusal() const ZKLOCK_EXCLUDES(mutex_);

  /// Of the latest session.
  [[nodiscard]] client::session_key key() const ZKLOCK_EXCLUDES(mutex_);

  /// An answer has come to the calling thread.
  void note_client_thread() noexcept { client_thread_.store(this_thread_number(), std::memory_order_relaxed); }
  void set_terms(std::chrono::milliseconds timeout, std::chrono::nanoseconds margin) noexcept;
  void set_state(session_state now) ZKLOCK_EXCLUDES(mutex_);
  void set_key(client::session_key key) ZKLOCK_EXCLUDES(mutex_);
  /// Empty: they do not refuse it.
  void set_refusal(std::string why) ZKLOCK_EXCLUDES(mutex_);
  void set_closed(std::error_code result) ZKLOCK_EXCLUDES(mutex_);

 private:
  const std::string servers_;
  std::atomic<session_state> state_{session_state::connecting};
  std::atomic<std::int64_t> timeout_ms_;
  std::atomic<std::int64_t> margin_ns_;
  std::atomic<std::int64_t> left_at_ns_{boot_clock::now().time_since_epoch().count()};  ///< the last connection
  std::atomic<owner_number> client_thread_{0};  ///< the last one to which an answer came

  mutable annotated_mutex mutex_;
  mutable annotated_condition changed_;
  std::optional<std::error_code> closed_ ZKLOCK_GUARDED_BY(mutex_);
  std::string refusal_ ZKLOCK_GUARDED_BY(mutex_);
  client::session_key key_ ZKLOCK_GUARDED_BY(mutex_);
};

}  // namespace zklock::detail
