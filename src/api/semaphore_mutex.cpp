#include <zklock/semaphore_mutex.hpp>

#include <utility>

#include "recipes/curator_semaphore.hpp"
#include "src/api/lock_state.hpp"
#include "src/api/view_access.hpp"

namespace zklock {
namespace {

class semaphore_mutex_terms final : public detail::lock_terms {
 public:
  [[nodiscard]] detail::owner_again again() const noexcept override { return detail::owner_again::would_deadlock; }
  [[nodiscard]] recipes::acquire_spec spec_of(detail::lock_mode, recipes::acquire_spec in) const override {
    return recipes::spec_of_unowned_mutex(in);
  }
};

}  // namespace

semaphore_mutex::semaphore_mutex(session& session, std::string_view path, lock_options options)
    : state_(std::make_shared<detail::lock_state>(detail::session_access::impl(session),
                                                  std::make_shared<semaphore_mutex_terms>(), path, options)) {}

semaphore_mutex::~semaphore_mutex() { state_->abandon(); }

grant semaphore_mutex::do_acquire(detail::time_limit limit, std::error_code* ec, std::stop_token stop) {
  return state_->acquire({}, limit, ec, std::move(stop));
}

bool semaphore_mutex::lock_within(detail::time_limit limit) { return state_->lock_within({}, limit); }

void semaphore_mutex::unlock() noexcept { state_->unlock({}); }

bool semaphore_mutex::held() const noexcept { return detail::held_of(*state_, {}); }

std::stop_token semaphore_mutex::lost() const { return detail::lost_of(*state_, {}); }

fencing_token semaphore_mutex::token() const { return detail::token_of(*state_, {}); }

std::vector<participant> semaphore_mutex::queue() const {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return detail::queue_of(*kept, nullptr);
}

std::vector<participant> semaphore_mutex::queue(std::error_code& ec) const {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return detail::queue_of(*kept, &ec);
}

const std::string& semaphore_mutex::path() const noexcept { return state_->path(); }

lock_view semaphore_mutex::as(owner of) noexcept {
  return detail::view_access::make(state_, {detail::side::whole, 1, of.number()});
}

semaphore_mutex::operator lock_view() & noexcept { return detail::view_access::make(state_, {}); }

}  // namespace zklock
