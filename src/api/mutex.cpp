#include <zklock/mutex.hpp>

#include <utility>

#include "src/api/lock_state.hpp"
#include "src/api/mutex_terms.hpp"
#include "src/api/view_access.hpp"

namespace zklock {

recursive_mutex::recursive_mutex(session& session, std::string_view path, lock_options options)
    : state_(std::make_shared<detail::lock_state>(detail::session_access::impl(session),
                                                  std::make_shared<detail::mutex_terms>(), path, options)) {}

recursive_mutex::~recursive_mutex() { state_->abandon(); }

grant recursive_mutex::do_acquire(detail::time_limit limit, std::error_code* ec, std::stop_token stop) {
  return state_->acquire({}, limit, ec, std::move(stop));
}

bool recursive_mutex::lock_within(detail::time_limit limit) { return state_->lock_within({}, limit); }

void recursive_mutex::unlock() noexcept { state_->unlock({}); }

bool recursive_mutex::held() const noexcept { return detail::held_of(*state_, {}); }

std::stop_token recursive_mutex::lost() const { return detail::lost_of(*state_, {}); }

fencing_token recursive_mutex::token() const { return detail::token_of(*state_, {}); }

std::vector<participant> recursive_mutex::queue() const {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return detail::queue_of(*kept, nullptr);
}

std::vector<participant> recursive_mutex::queue(std::error_code& ec) const {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return detail::queue_of(*kept, &ec);
}

const std::string& recursive_mutex::path() const noexcept { return state_->path(); }

lock_view recursive_mutex::as(owner of) noexcept {
  return detail::view_access::make(state_, {detail::side::whole, 1, of.number()});
}

recursive_mutex::operator lock_view() & noexcept { return detail::view_access::make(state_, {}); }

}  // namespace zklock
