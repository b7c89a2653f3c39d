#include <zklock/view.hpp>

#include <utility>

#include "src/locks/lock_state.hpp"

namespace zklock {

lock_view::lock_view(std::shared_ptr<detail::lock_state> state, detail::side side, std::uint32_t permits) noexcept
    : state_(std::move(state)), side_(side), permits_(permits) {}

// The view may go while a call of it waits.
grant lock_view::do_acquire(detail::wait_limit limit, std::error_code* ec, std::stop_token stop) {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return kept->acquire({side_, permits_}, limit, ec, std::move(stop), "acquire");
}

bool lock_view::lock_within(detail::wait_limit limit) {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return kept->lock_within({side_, permits_}, limit);
}

void lock_view::unlock() noexcept { state_->unlock({side_, permits_}); }

const std::string& lock_view::path() const noexcept { return state_->path(); }

}  // namespace zklock
