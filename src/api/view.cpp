#include <zklock/view.hpp>

#include <utility>

#include "src/api/acquirable_state.hpp"
#include "src/api/view_access.hpp"

namespace zklock {

lock_view::lock_view(std::shared_ptr<detail::acquirable_state> state, detail::side side, std::uint32_t permits,
                     std::uint64_t owner) noexcept
    : state_(std::move(state)), side_(side), permits_(permits), owner_(owner) {}

lock_view lock_view::as(owner of) const noexcept { return {state_, side_, permits_, of.number()}; }

// The view may go while a call of it waits.
grant lock_view::do_acquire(detail::time_limit limit, std::error_code* ec, std::stop_token stop) {
  return state_->acquire(detail::view_access::what(*this), limit, ec, std::move(stop));
}

bool lock_view::lock_within(detail::time_limit limit) {
  return state_->lock_within(detail::view_access::what(*this), limit);
}

void lock_view::unlock() noexcept { state_->unlock(detail::view_access::what(*this)); }

bool lock_view::held() const noexcept { return detail::held_of(*state_, detail::view_access::what(*this)); }

std::stop_token lock_view::lost() const { return detail::lost_of(*state_, detail::view_access::what(*this)); }

fencing_token lock_view::token() const { return detail::token_of(*state_, detail::view_access::what(*this)); }

const std::string& lock_view::path() const noexcept { return state_->path(); }

}  // namespace zklock
