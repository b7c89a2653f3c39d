#include "src/api/session_status.hpp"

namespace zklock::detail {

bool session_status::wait_connected(std::chrono::nanoseconds limit, std::stop_token stop) const {
  const auto until = std::chrono::steady_clock::now() + limit;
  const std::stop_callback wake(stop, [this] {
    const scoped_lock_on between_look_and_wait(mutex_);
    changed_.notify_all();
  });
  const scoped_lock_on lock(mutex_);
  for (;;) {
    switch (state()) {
      case session_state::connected: return true;
      case session_state::closed:
      case session_state::authentication_failed: return false;
      default: break;
    }
    if (stop.stop_requested()) {
      return false;
    }
    if (changed_.wait_until(mutex_, until) == std::cv_status::timeout) {
      return state() == session_state::connected;
    }
  }
}

std::error_code session_status::wait_closed() const {
  const scoped_lock_on lock(mutex_);
  while (!closed_) {
    changed_.wait(mutex_);
  }
  return *closed_;
}

void session_status::set_terms(std::chrono::milliseconds timeout, std::chrono::nanoseconds margin) noexcept {
  timeout_ms_.store(timeout.count(), std::memory_order_relaxed);
  margin_ns_.store(margin.count(), std::memory_order_relaxed);
}

void session_status::set_state(session_state now) {
  const scoped_lock_on lock(mutex_);
  if (state() == session_state::connected) {
    left_at_ns_.store(boot_clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  }
  state_.store(now, std::memory_order_release);
  changed_.notify_all();
}

client::session_key session_status::key() const {
  const scoped_lock_on lock(mutex_);
  return key_;
}

void session_status::set_key(client::session_key key) {
  const scoped_lock_on lock(mutex_);
  key_ = std::move(key);
}

void session_status::set_refusal(std::string why) {
  const scoped_lock_on lock(mutex_);
  refusal_.swap(why);
}

std::string session_status::refusal() const {
  const scoped_lock_on lock(mutex_);
  return refusal_;
}

void session_status::set_closed(std::error_code result) {
  const scoped_lock_on lock(mutex_);
  closed_ = result;
  changed_.notify_all();
}

}  // namespace zklock::detail
