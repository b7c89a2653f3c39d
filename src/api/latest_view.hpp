#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <zklock/error.hpp>

#include "src/api/observation.hpp"
#include "src/engine/out.hpp"
#include "src/operations/local_wait.hpp"
#include "src/threads/thread_safety.hpp"

namespace zklock::detail {

/// One observer of something followed. `View` has `change`, which grows with each.
template <class View>
class view_observation final : public observation_of<View> {
 public:
  using observation_of<View>::observation_of;
  /// Whether a call is to be posted: none is.
  [[nodiscard]] bool post() noexcept { return !posted_.exchange(true); }
  void taken() noexcept { posted_.store(false); }
  /// The notification thread's. Whether it is to be told of that view: it has not been.
  [[nodiscard]] bool take(const View& next) { return std::exchange(told_, next.change) != next.change; }

 private:
  std::atomic<bool> posted_{false};
  std::uint64_t told_ = UINT64_MAX;  ///< View::change of the last one
};

/// The latest view of something followed, which all threads may read and wait for: a slot, not a queue. It knows no session,
/// so that the operation that fills it may keep it. Any thread.
template <class View>
class latest_view : public std::enable_shared_from_this<latest_view<View>> {
 public:
  using observation = view_observation<View>;

  [[nodiscard]] View view() const ZKLOCK_EXCLUDES(mutex_) {
    const scoped_lock_on lock(mutex_);
    return view_;
  }

  /// The first for which `wanted` is true. Nothing: not in time, or a stop. Throws what has ended it; `operation`, `path`: for
  /// that.
  template <class Wanted>
  [[nodiscard]] std::optional<View> wait(Wanted&& wanted, std::chrono::nanoseconds limit, const std::stop_token& stop,
                                         std::string_view operation, const std::string& path) ZKLOCK_EXCLUDES(mutex_) {
    const auto until = std::chrono::steady_clock::now() + limit;
    const std::stop_callback wake(stop, [this] {
      const scoped_lock_on between_look_and_wait(mutex_);
      changed_.notify_all();
    });
    const scoped_lock_on lock(mutex_);
    for (bool in_time = true;;) {
      if (wanted(view_)) {
        return view_;
      }
      if (over_) {
        throw error(over_, operation, path);
      }
      if (!in_time || stop.stop_requested()) {
        return std::nullopt;
      }
      in_time = changed_.wait_until(mutex_, until) != std::cv_status::timeout;
    }
  }

  /// What a wait() of now would return or throw at once, into `seen` or `over`. Whether there is something.
  template <class Wanted>
  [[nodiscard]] bool look(Wanted&& wanted, std::optional<View>& seen, std::error_code& over) const
      ZKLOCK_EXCLUDES(mutex_) {
    const scoped_lock_on lock(mutex_);
    if (wanted(view_)) {
      seen = view_;
    } else {
      over = over_;
    }
    return seen || over;
  }
  /// Has it look at each change, and at the end: before it is begun.
  void wake_at_changes(const std::shared_ptr<operations::local_wait>& one) ZKLOCK_EXCLUDES(mutex_) {
    const scoped_lock_on lock(mutex_);
    if (waits_.size() >= prune_at_) {
      std::erase_if(waits_, [](const std::weak_ptr<operations::local_wait>& each) { return each.expired(); });
      prune_at_ = 2 * waits_.size() + 1;
    }
    waits_.push_back(one);
  }

  /// What is to be called by the notification thread: the state at hand is told. Empty: it is on its way.
  [[nodiscard]] std::function<void()> observe(const std::shared_ptr<observation>& by) ZKLOCK_EXCLUDES(mutex_) {
    {
      const scoped_lock_on lock(mutex_);
      std::erase_if(observers_, [](const std::weak_ptr<observation>& one) { return one.expired(); });
      observers_.push_back(by);
    }
    return by->post() ? call_of(by) : nullptr;
  }

 protected:
  latest_view() = default;
  ~latest_view() = default;

  /// `observers`: what they are called in messages.
  void show(View&& next, const char* observers, engine::out& wants) ZKLOCK_EXCLUDES(mutex_) {
    std::vector<std::shared_ptr<observation>> told;
    std::vector<std::shared_ptr<operations::local_wait>> waits;
    {
      const scoped_lock_on lock(mutex_);
      next.change = view_.change + 1;
      view_ = std::move(next);
      changed_.notify_all();
      for (const std::weak_ptr<observation>& one : observers_) {
        if (std::shared_ptr<observation> here = one.lock(); here && here->post()) {
          told.push_back(std::move(here));
        }
      }
      waits = take_live_waits();
    }
    for (const std::shared_ptr<observation>& one : told) {
      wants.notify(call_of(one), observers);
    }
    wake(waits, wants);
  }
  void end(std::error_code why, engine::out& wants) ZKLOCK_EXCLUDES(mutex_) {
    std::vector<std::shared_ptr<operations::local_wait>> waits;
    {
      const scoped_lock_on lock(mutex_);
      over_ = why;
      changed_.notify_all();
      waits = take_live_waits();
    }
    wake(waits, wants);
  }

 private:
  static void wake(const std::vector<std::shared_ptr<operations::local_wait>>& waits, engine::out& wants) {
    for (const std::shared_ptr<operations::local_wait>& one : waits) {
      wants.call(one->number(), [one](engine::out& its) { one->look(its); });
    }
  }
  /// Those that have ended are forgotten: no later change pays for them.
  [[nodiscard]] std::vector<std::shared_ptr<operations::local_wait>> take_live_waits() ZKLOCK_REQUIRES(mutex_) {
    std::vector<std::shared_ptr<operations::local_wait>> live;
    std::erase_if(waits_, [&live](const std::weak_ptr<operations::local_wait>& each) {
      std::shared_ptr<operations::local_wait> one = each.lock();
      const bool over = one == nullptr;
      if (!over) {
        live.push_back(std::move(one));
      }
      return over;
    });
    waits_.shrink_to_fit();
    prune_at_ = 2 * waits_.size() + 1;
    return live;
  }
  /// It takes the latest view when it is called.
  [[nodiscard]] std::function<void()> call_of(const std::shared_ptr<observation>& one) {
    return [self = this->shared_from_this(), told = std::weak_ptr(one)] {
      if (const std::shared_ptr<observation> here = told.lock()) {
        here->taken();
        if (const View now = self->view(); here->take(now)) {
          here->notify(now);
        }
      }
    };
  }

  mutable annotated_mutex mutex_;
  annotated_condition changed_;
  View view_ ZKLOCK_GUARDED_BY(mutex_);
  std::error_code over_ ZKLOCK_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<observation>> observers_ ZKLOCK_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<operations::local_wait>> waits_ ZKLOCK_GUARDED_BY(mutex_);
  std::size_t prune_at_ ZKLOCK_GUARDED_BY(mutex_) = 1;
};

}  // namespace zklock::detail
