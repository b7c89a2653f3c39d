#include <zklock/semaphore.hpp>

#include "src/locks/lock_state.hpp"
#include "src/runtime/option_check.hpp"
#include "src/locks/view_access.hpp"

namespace zklock {
namespace {

std::shared_ptr<detail::lock_state> state_of(session& session, std::string_view path, const lock_options& options,
                                             std::uint32_t limit) {
  return std::make_shared<detail::lock_state>(detail::session_access::impl(session), detail::recipe::semaphore, path,
                                              options, limit);
}

}  // namespace

semaphore::semaphore(session& session, std::string_view path, lock_options options)
    : state_(state_of(session, path, options, 0)) {}

semaphore::semaphore(session& session, std::string_view path, std::int64_t limit, lock_options options)
    : state_(state_of(session, path, options, detail::require_valid_permits(limit, "limit"))) {}

semaphore::~semaphore() { state_->abandon(); }

lock_view semaphore::permits(std::int64_t count) {
  return detail::view_access::make(state_, {detail::side::permits, detail::require_valid_permits(count, "permits")});
}

std::uint32_t semaphore::limit() const {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return kept->limit().ask(kept->end_of_one_try(detail::boot_now()), nullptr);
}

std::uint32_t semaphore::limit(std::error_code& ec) const {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return kept->limit().ask(kept->end_of_one_try(detail::boot_now()), &ec);
}

void semaphore::set_limit(std::int64_t limit) {
  const std::shared_ptr<detail::lock_state> kept = state_;
  kept->limit().set(limit, kept->end_of_one_try(detail::boot_now()), nullptr);
}

void semaphore::set_limit(std::error_code& ec, std::int64_t limit) {
  const std::shared_ptr<detail::lock_state> kept = state_;
  kept->limit().set(limit, kept->end_of_one_try(detail::boot_now()), &ec);
}

std::vector<participant> semaphore::queue() const {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return kept->queue(nullptr);
}

std::vector<participant> semaphore::queue(std::error_code& ec) const {
  const std::shared_ptr<detail::lock_state> kept = state_;
  return kept->queue(&ec);
}

const std::string& semaphore::path() const noexcept { return state_->path(); }

}  // namespace zklock
