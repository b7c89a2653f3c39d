#include "src/api/owner_calls.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <utility>

#include <boost/container/small_vector.hpp>

#include <zklock/error.hpp>

#include "src/api/boot_now.hpp"
#include "src/log/log.hpp"

namespace zklock::detail {
namespace {

/// A condition waits by a clock that stands still while the machine sleeps: after a sleep it is late by no more than this.
constexpr std::chrono::seconds look_again{1};

}  // namespace

bool owner_calls::begin(owner_number owner) {
  const scoped_lock_on lock(mutex_);
  const bool first = !under_way(owner);
  if (first) {
    owners_.push_back(owner);
  }
  return first;
}

void owner_calls::end(owner_number owner) {
  const scoped_lock_on lock(mutex_);
  std::erase(owners_, owner);
  if (waiting_ > 0) {
    ended_.notify_all();
  }
}

owner_calls::ended owner_calls::await_end(owner_number owner, std::optional<recipes::instant> until,
                                          std::span<const std::stop_token> stops) {
  const auto wake = [this] {
    const scoped_lock_on lock(mutex_);
    ended_.notify_all();
  };
  std::deque<std::stop_callback<decltype(wake)>> when_stopped;
  for (const std::stop_token& one : stops) {
    when_stopped.emplace_back(one, wake);
  }
  const auto stopped = [&stops] {
    return std::any_of(stops.begin(), stops.end(), [](const std::stop_token& one) { return one.stop_requested(); });
  };
  const scoped_lock_on lock(mutex_);
  ++waiting_;
  ended result = ended::yes;
  while (result == ended::yes && under_way(owner)) {
    const recipes::instant now = boot_now();
    if (stopped()) {
      result = ended::given_up;
    } else if (!until) {
      ended_.wait(mutex_);
    } else if (*until <= now) {
      result = ended::not_in_time;
    } else {
      ended_.wait_until(mutex_,
                        std::chrono::steady_clock::now() + std::min<recipes::instant>(*until - now, look_again));
    }
  }
  --waiting_;
  return result;
}

bool owner_calls::under_way(owner_number owner) const {
  return std::find(owners_.begin(), owners_.end(), owner) != owners_.end();
}

std::optional<failure> owner_turn::take(std::span<owner_calls* const> at, std::optional<recipes::instant> until,
                                        std::span<const std::stop_token> stops, bool may_wait,
                                        const late_warning& warning) {
  if (owner_ == no_owner) {
    return std::nullopt;
  }
  boost::container::small_vector<owner_calls*, 4> in_one_order(at.begin(), at.end());  // one of two calls gets on
  std::sort(in_one_order.begin(), in_one_order.end(), std::less<>());
  taken_.reserve(at.size());
  bool may_warn = warning.ask != nullptr;
  while (true) {
    const auto busy = std::find_if(in_one_order.begin(), in_one_order.end(), [this](owner_calls* one) {
      const bool begun = one->begin(owner_);
      if (begun) {
        taken_.push_back(one);
      }
      return !begun;
    });
    if (busy == in_one_order.end()) {
      return std::nullopt;
    }
    end_all();
    if (!may_wait) {
      return failure{errc::would_deadlock};
    }
    const bool warns_first = may_warn && (!until || warning.at < *until);
    const owner_calls::ended how = (*busy)->await_end(owner_, warns_first ? warning.at : until, stops);
    came_at_ = boot_now();
    if (how == owner_calls::ended::given_up) {
      return failure{errc::abandoned};
    }
    if (how == owner_calls::ended::not_in_time && warns_first) {
      may_warn = false;
      if (const auto line = warning.ask()) {
        if (const log_line said = line(); !said.text.empty()) {
          log::write(said);
        }
      }
    } else if (until && *until <= *came_at_) {
      return failure{};
    }
  }
}

void owner_turn::end_all() {
  for (owner_calls* const one : taken_) {
    one->end(owner_);
  }
  taken_.clear();
}

}  // namespace zklock::detail
