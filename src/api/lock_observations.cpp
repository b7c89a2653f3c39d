#include "src/api/lock_observations.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <string_view>
#include <utility>

namespace zklock {

std::string_view to_string(lock_event::happening what) noexcept {
  switch (what) {
    case lock_event::happening::enqueued: return "enqueued";
    case lock_event::happening::granted: return "granted";
    case lock_event::happening::released: return "released";
    case lock_event::happening::lost: return "lost";
  }
  return "unknown";
}

lock_observer::lock_observer(lock_observer&& other) noexcept = default;

lock_observer& lock_observer::operator=(lock_observer&& other) noexcept {
  auto ended = std::move(other.observation_);
  ended.swap(observation_);
  if (ended) {
    detail::end_observation(*ended, "a lock observer");
  }
  return *this;
}

lock_observer::~lock_observer() {
  if (observation_) {
    detail::end_observation(*observation_, "a lock observer");
  }
}

namespace detail {

void lock_observations::add(const std::shared_ptr<lock_observation>& one) {
  const scoped_lock_on lock(mutex_);
  if (all_.empty()) {
    dropped_ = 0;
  }
  all_.push_back(one);
  any_.store(true, std::memory_order_relaxed);
}

void lock_observations::tell(lock_event&& what, task_thread& on) {
  const scoped_lock_on lock(mutex_);
  std::erase_if(all_, [](const std::weak_ptr<lock_observation>& one) { return one.expired(); });
  any_.store(!all_.empty(), std::memory_order_relaxed);
  if (all_.empty()) {
    return;
  }
  if (waiting_->load(std::memory_order_relaxed) >= waiting_max) {
    ++dropped_;
    return;
  }
  try {
    what.at = std::chrono::system_clock::now();
    what.dropped = dropped_;
    const auto told = std::make_shared<const lock_event>(std::move(what));
    for (const std::weak_ptr<lock_observation>& one : all_) {  // a task for each: one that throws ends its own
      ++*waiting_;
      const std::shared_ptr<void> counted(nullptr, [waiting = waiting_](std::nullptr_t) { --*waiting; });
      on.post(
          [one, told, counted] {
            if (const std::shared_ptr<lock_observation> its = one.lock()) {
              its->notify(*told);
            }
          },
          "a lock observer");
    }
    dropped_ = 0;
  } catch (const std::bad_alloc&) {
    ++dropped_;
  }
}

}  // namespace detail
}  // namespace zklock
