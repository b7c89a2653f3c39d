#include <zklock/mutex.hpp>

#include <utility>

#include <zklock/error.hpp>

#include "src/lock_state.hpp"

namespace zklock {

recursive_mutex::recursive_mutex(session& session, std::string_view path, lock_options options)
    : state_(std::make_shared<detail::lock_state>(detail::session_access::impl(session), path, options)) {}

recursive_mutex::~recursive_mutex() { state_->abandon(); }

grant recursive_mutex::do_acquire(detail::wait_limit limit, std::error_code& ec, std::stop_token stop) {
  const std::shared_ptr<detail::lock_state> kept = state_;  // this object may go while the call waits
  return kept->acquire(limit, ec, std::move(stop));
}

void recursive_mutex::fail(std::error_code ec) const { throw error(ec, "acquire", state_->path()); }

void recursive_mutex::lock() { lock_within({}); }

bool recursive_mutex::try_lock() { return lock_within({detail::wait_limit::kind::one_try, {}}); }

bool recursive_mutex::lock_within(detail::wait_limit limit) {
  const std::shared_ptr<detail::lock_state> kept = state_;
  std::error_code ec;
  grant taken = kept->acquire(limit, ec, {});
  if (ec) {
    throw error(ec, "lock", kept->path());
  }
  if (!taken) {
    return false;
  }
  kept->mark_locked();
  detail::grant_access::keep_count(taken);
  return true;
}

void recursive_mutex::unlock() noexcept { state_->unlock(); }

bool recursive_mutex::held() const noexcept {
  const auto mine = state_->mine();
  return mine && !state_->forked() && mine->held_at(detail::boot_now());
}

std::stop_token recursive_mutex::lost() const {
  const auto mine = state_->mine();
  if (!mine) {
    throw error(errc::not_owner, "lost", state_->path());
  }
  if (!mine->held_at(detail::boot_now()) && mine->why_lost() != loss_reason::none) {
    mine->announce();
  }
  return mine->lost_token();
}

fencing_token recursive_mutex::token() const {
  const auto mine = state_->mine();
  if (!mine) {
    throw error(errc::not_owner, "token", state_->path());
  }
  return {mine->token().value};
}

const std::string& recursive_mutex::path() const noexcept { return state_->path(); }

}  // namespace zklock
