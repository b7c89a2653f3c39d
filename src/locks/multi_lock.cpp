#include <zklock/multi_lock.hpp>

#include <utility>

#include <zklock/error.hpp>

#include "src/locks/multi_lock_state.hpp"
#include "src/locks/view_access.hpp"
#include "src/runtime/hold_notice.hpp"

namespace zklock {
namespace {

std::vector<detail::multi_lock_state::part> parts_of(const std::vector<lock_view>& views) {
  std::vector<detail::multi_lock_state::part> parts;
  parts.reserve(views.size());
  for (const lock_view& one : views) {
    parts.push_back({detail::view_access::state(one), detail::view_access::what(one)});
  }
  return parts;
}

}  // namespace

multi_lock::multi_lock(std::initializer_list<lock_view> parts) : multi_lock(std::vector<lock_view>(parts)) {}

multi_lock::multi_lock(std::vector<lock_view> parts)
    : state_(std::make_shared<detail::multi_lock_state>(parts_of(parts))) {}

multi_lock::~multi_lock() { state_->abandon(); }

grant multi_lock::do_acquire(detail::wait_limit limit, std::error_code* ec, std::stop_token stop) {
  const std::shared_ptr<detail::multi_lock_state> kept = state_;
  return kept->acquire(limit, ec, std::move(stop), "acquire");
}

bool multi_lock::lock_within(detail::wait_limit limit) {
  const std::shared_ptr<detail::multi_lock_state> kept = state_;
  return kept->lock_within(limit);
}

void multi_lock::unlock() noexcept { state_->unlock(); }

bool multi_lock::held() const noexcept {
  const std::shared_ptr<detail::hold> mine = state_->its_session()->forked() ? nullptr : state_->find_mine();
  return mine && mine->held_at(detail::boot_now());
}

std::stop_token multi_lock::lost() const {
  const std::shared_ptr<detail::hold> mine = state_->require_mine("lost");
  return detail::lost_token(*mine, detail::boot_now());
}

fencing_token multi_lock::token() const { return {state_->require_mine("token")->token().value}; }

std::vector<std::string> multi_lock::paths() const {
  std::vector<std::string> paths;
  for (const auto& part : state_->parts()) {
    paths.push_back(part.state->path());
  }
  return paths;
}

}  // namespace zklock
