#include <zklock/multi_lock.hpp>

#include <utility>

#include <zklock/error.hpp>

#include "src/api/multi_lock_state.hpp"
#include "src/api/view_access.hpp"

namespace zklock {
namespace {

std::vector<detail::multi_lock_state::part> parts_of(const std::vector<lock_view>& views) {
  std::vector<detail::multi_lock_state::part> parts;
  parts.reserve(views.size());
  for (const lock_view& one : views) {
    std::shared_ptr<detail::lock_state> lock = detail::view_access::lock(one);
    const detail::lock_mode what = detail::view_access::what(one);
    if (lock == nullptr) {
      throw error(errc::invalid_parts, "make a multi-lock of", one.path(), "a part is a multi-lock");
    }
    if (what.owner != detail::no_owner) {
      throw error(errc::invalid_parts, "make a multi-lock of", one.path(),
                  "a part has no owner of its own: as() of the multi-lock");
    }
    parts.push_back({std::move(lock), what});
  }
  return parts;
}

}  // namespace

multi_lock::multi_lock(std::initializer_list<lock_view> parts) : multi_lock(std::vector<lock_view>(parts)) {}

multi_lock::multi_lock(std::vector<lock_view> parts)
    : state_(std::make_shared<detail::multi_lock_state>(parts_of(parts))) {}

multi_lock::~multi_lock() { state_->abandon(); }

grant multi_lock::do_acquire(detail::time_limit limit, std::error_code* ec, std::stop_token stop) {
  return state_->acquire({}, limit, ec, std::move(stop));
}

bool multi_lock::lock_within(detail::time_limit limit) { return state_->lock_within({}, limit); }

void multi_lock::unlock() noexcept { state_->unlock({}); }

bool multi_lock::held() const noexcept { return detail::held_of(*state_, {}); }

std::stop_token multi_lock::lost() const { return detail::lost_of(*state_, {}); }

fencing_token multi_lock::token() const { return detail::token_of(*state_, {}); }

lock_view multi_lock::as(owner of) noexcept {
  return detail::view_access::make(state_, {detail::side::whole, 1, of.number()});
}

multi_lock::operator lock_view() & noexcept { return detail::view_access::make(state_, {}); }

std::vector<std::string> multi_lock::paths() const {
  std::vector<std::string> paths;
  for (const auto& part : state_->parts()) {
    paths.push_back(part.state->path());
  }
  return paths;
}

}  // namespace zklock
