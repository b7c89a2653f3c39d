#include "src/api/watched_slot.hpp"

#include <utility>

#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"

namespace zklock::detail {
namespace {

value_view::state state_of(recipes::followed_node::value known) {
  using value = recipes::followed_node::value;
  switch (known) {
    case value::unknown: return value_view::state::unknown;
    case value::present: return value_view::state::present;
    case value::absent: return value_view::state::absent;
    case value::refused: return value_view::state::refused;
  }
  return value_view::state::unknown;
}

}  // namespace

value_view watched_slot::view() const {
  const scoped_lock_on lock(mutex_);
  return view_;
}

std::optional<value_view> watched_slot::wait(std::uint64_t after, std::chrono::nanoseconds limit,
                                             const std::stop_token& stop, const std::string& path) {
  const auto until = std::chrono::steady_clock::now() + limit;
  const std::stop_callback wake(stop, [this] {
    const scoped_lock_on between_look_and_wait(mutex_);
    changed_.notify_all();
  });
  const scoped_lock_on lock(mutex_);
  for (bool in_time = true;;) {
    if (view_.change > after && view_.is != value_view::state::unknown) {
      return view_;
    }
    if (over_) {
      throw error(over_, "wait_change", path);
    }
    if (!in_time || stop.stop_requested()) {
      return std::nullopt;
    }
    in_time = changed_.wait_until(mutex_, until) != std::cv_status::timeout;
  }
}

std::function<void()> watched_slot::observe(const std::shared_ptr<value_observation>& by) {
  {
    const scoped_lock_on lock(mutex_);
    std::erase_if(observers_, [](const std::weak_ptr<value_observation>& one) { return one.expired(); });
    observers_.push_back(by);
  }
  return by->post() ? call_of(by) : nullptr;
}

/// It takes the latest view when it is called.
std::function<void()> watched_slot::call_of(const std::shared_ptr<value_observation>& one) {
  return [self = shared_from_this(), told = std::weak_ptr(one)] {
    if (const std::shared_ptr<value_observation> here = told.lock()) {
      here->taken();
      if (const value_view now = self->view(); here->take(now)) {
        here->notify(now);
      }
    }
  };
}

void watched_slot::seen(const operations::node_report& what, engine::out& wants) {
  value_view next;
  next.is = state_of(what.known);
  if (what.known == recipes::followed_node::value::present) {
    next.node = node_data{what.data, what.stat.version, what.stat.czxid, what.stat.mzxid};
  } else if (what.known == recipes::followed_node::value::refused) {
    next.error = error_of(what.why);
  }
  next.current = what.current;
  next.as_of = boot_clock::time_point(what.as_of);
  std::vector<std::shared_ptr<value_observation>> told;
  {
    const scoped_lock_on lock(mutex_);
    next.change = view_.change + 1;
    view_ = std::move(next);
    changed_.notify_all();
    for (const std::weak_ptr<value_observation>& one : observers_) {
      if (std::shared_ptr<value_observation> here = one.lock(); here && here->post()) {
        told.push_back(std::move(here));
      }
    }
  }
  for (const std::shared_ptr<value_observation>& one : told) {
    wants.notify(call_of(one), value_observer_name);
  }
}

void watched_slot::over(std::error_code why) noexcept {
  const scoped_lock_on lock(mutex_);
  over_ = why;
  changed_.notify_all();
}

}  // namespace zklock::detail
