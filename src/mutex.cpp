#include <zklock/mutex.hpp>

#include <utility>

#include "src/lock_state.hpp"

namespace zklock {

recursive_mutex::recursive_mutex(session& session, std::string_view path, lock_options options)
    : state_(std::make_shared<detail::lock_state>(detail::session_access::impl(session), path, options)) {}

recursive_mutex::~recursive_mutex() { state_->abandon(); }

// This object may go while a call of it waits: what the call needs is in the state that it keeps.
grant recursive_mutex::do_acquire(detail::wait_limit limit, std::error_code* ec, std::stop_token stop) {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return kept->acquire(limit, ec, std::move(stop), "acquire");
}

void recursive_mutex::lock() { lock_within({}); }

bool recursive_mutex::try_lock() { return lock_within({detail::wait_limit::kind::one_try, {}}); }

bool recursive_mutex::lock_within(detail::wait_limit limit) {
  const std::shared_ptr<detail::lock_state> kept = state_;
  grant taken = kept->acquire(limit, nullptr, {}, "lock");
  return taken && (kept->keep_for_unlock(std::move(taken)), true);
}

void recursive_mutex::unlock() noexcept { state_->unlock(); }

bool recursive_mutex::held() const noexcept { return state_->held_by_this_thread(); }

std::stop_token recursive_mutex::lost() const {
  const std::shared_ptr<detail::hold> mine = state_->require_mine("lost");
  mine->announce_if_lost(detail::boot_now());
  return mine->lost_token();
}

fencing_token recursive_mutex::token() const { return {state_->require_mine("token")->token().value}; }

std::vector<participant> recursive_mutex::queue() const {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return kept->queue(nullptr);
}

std::vector<participant> recursive_mutex::queue(std::error_code& ec) const {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return kept->queue(&ec);
}

const std::string& recursive_mutex::path() const noexcept { return state_->path(); }

}  // namespace zklock
