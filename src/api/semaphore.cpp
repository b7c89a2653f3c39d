#include <zklock/semaphore.hpp>

#include <utility>

#include "src/api/lock_state.hpp"
#include "src/api/option_check.hpp"
#include "src/api/semaphore_limit.hpp"
#include "src/api/view_access.hpp"

namespace zklock {
namespace {

std::shared_ptr<detail::lock_state> state_of(session& session, std::string_view path, const lock_options& options,
                                             std::shared_ptr<detail::semaphore_limit> limit) {
  return std::make_shared<detail::lock_state>(detail::session_access::impl(session), std::move(limit), path, options);
}

}  // namespace

semaphore::semaphore(session& session, std::string_view path, lock_options options)
    : limit_(std::make_shared<detail::semaphore_limit>(0)), state_(state_of(session, path, options, limit_)) {}

semaphore::semaphore(session& session, std::string_view path, std::int64_t permit_limit, lock_options options)
    : limit_(std::make_shared<detail::semaphore_limit>(detail::require_valid_permits(permit_limit, "permit_limit"))),
      state_(state_of(session, path, options, limit_)) {}

semaphore::~semaphore() { state_->abandon(); }

grant semaphore::do_acquire(detail::time_limit limit, std::error_code* ec, std::stop_token stop) {
  return state_->acquire({detail::side::permits, 1}, limit, ec, std::move(stop));
}

lock_view semaphore::permits(std::int64_t count) {
  return detail::view_access::make(state_, {detail::side::permits, detail::require_valid_permits(count, "permits")});
}

std::int64_t semaphore::permit_limit() const {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return limit_->ask(*kept, nullptr);
}

std::int64_t semaphore::permit_limit(std::error_code& ec) const {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return limit_->ask(*kept, &ec);
}

void semaphore::set_permit_limit(std::int64_t to) {
  const std::shared_ptr<detail::lock_state> kept = state_;
  limit_->set(*kept, to, nullptr);
}

void semaphore::set_permit_limit(std::int64_t to, std::error_code& ec) {
  const std::shared_ptr<detail::lock_state> kept = state_;
  limit_->set(*kept, to, &ec);
}

std::vector<participant> semaphore::queue() const {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return detail::queue_of(*kept, nullptr);
}

std::vector<participant> semaphore::queue(std::error_code& ec) const {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return detail::queue_of(*kept, &ec);
}

const std::string& semaphore::path() const noexcept { return state_->path(); }

}  // namespace zklock
