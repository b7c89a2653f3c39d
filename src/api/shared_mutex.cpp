#include <zklock/shared_mutex.hpp>

#include <utility>

#include "src/api/lock_state.hpp"
#include "src/api/shared_mutex_terms.hpp"
#include "src/api/view_access.hpp"

namespace zklock {
namespace {

using detail::lock_mode;
using detail::side;

}  // namespace

shared_mutex::shared_mutex(session& session, std::string_view path, lock_options options)
    : state_(std::make_shared<detail::lock_state>(detail::session_access::impl(session),
                                                  std::make_shared<detail::shared_mutex_terms>(), path, options)) {}

shared_mutex::~shared_mutex() { state_->abandon(); }

lock_view shared_mutex::as(owner of) noexcept { return write().as(of); }

lock_view shared_mutex::read() noexcept { return detail::view_access::make(state_, {side::read}); }

lock_view shared_mutex::write() noexcept { return detail::view_access::make(state_, {side::write}); }

grant shared_mutex::do_acquire(detail::time_limit limit, std::error_code* ec, std::stop_token stop) {
  return state_->acquire({side::write}, limit, ec, std::move(stop));
}

bool shared_mutex::lock_within(detail::time_limit limit) { return state_->lock_within({side::write}, limit); }

void shared_mutex::unlock() noexcept { state_->unlock({side::write}); }

void shared_mutex::unlock_shared() noexcept { state_->unlock({side::read}); }

bool shared_mutex::held() const noexcept { return detail::held_of(*state_, {}); }

std::stop_token shared_mutex::lost() const { return detail::lost_of(*state_, {}); }

fencing_token shared_mutex::token() const { return detail::token_of(*state_, {}); }

std::vector<participant> shared_mutex::queue() const {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return detail::queue_of(*kept, nullptr);
}

std::vector<participant> shared_mutex::queue(std::error_code& ec) const {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return detail::queue_of(*kept, &ec);
}

const std::string& shared_mutex::path() const noexcept { return state_->path(); }

}  // namespace zklock
