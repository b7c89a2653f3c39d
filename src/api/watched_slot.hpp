#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <zklock/watched_value.hpp>

#include "src/api/observation.hpp"
#include "src/api/session_impl.hpp"
#include "src/operations/follow_node.hpp"
#include "src/threads/thread_safety.hpp"

namespace zklock::detail {

/// One observer of a value.
class value_observation final : public observation_of<value_view> {
 public:
  using observation_of::observation_of;
  /// Whether a call is to be posted: none is.
  [[nodiscard]] bool post() noexcept { return !posted_.exchange(true); }
  void taken() noexcept { posted_.store(false); }
  /// The notification thread's. Whether it is to be told of that view: it has not been.
  [[nodiscard]] bool take(const value_view& next) { return std::exchange(told_, next.change) != next.change; }

 private:
  std::atomic<bool> posted_{false};
  std::uint64_t told_ = UINT64_MAX;  ///< value_view::change of the last one
};

/// The latest view of a followed node, which all threads may read and wait for: a slot, not a queue. It knows no session, so
/// that the operation that fills it may keep it. Any thread.
class watched_slot final : public operations::node_listener, public std::enable_shared_from_this<watched_slot> {
 public:
  [[nodiscard]] value_view view() const ZKLOCK_EXCLUDES(mutex_);
  /// Nothing: not in time, or a stop. Throws what has ended it; `path`: for that.
  [[nodiscard]] std::optional<value_view> wait(std::uint64_t after, std::chrono::nanoseconds limit,
                                               const std::stop_token& stop, const std::string& path)
      ZKLOCK_EXCLUDES(mutex_);
  /// What is to be called by the notification thread: the state at hand is told. Empty: it is on its way.
  [[nodiscard]] std::function<void()> observe(const std::shared_ptr<value_observation>& by) ZKLOCK_EXCLUDES(mutex_);

  // node_listener
  void seen(const operations::node_report& what, engine::out& wants) override ZKLOCK_EXCLUDES(mutex_);
  void over(std::error_code why) noexcept override ZKLOCK_EXCLUDES(mutex_);

 private:
  [[nodiscard]] std::function<void()> call_of(const std::shared_ptr<value_observation>& one);

  mutable annotated_mutex mutex_;
  annotated_condition changed_;
  value_view view_ ZKLOCK_GUARDED_BY(mutex_);
  std::error_code over_ ZKLOCK_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<value_observation>> observers_ ZKLOCK_GUARDED_BY(mutex_);
};

/// What stands behind a watched_value.
struct watched_node {
  std::shared_ptr<session_impl> session;
  std::string path;
  std::shared_ptr<watched_slot> slot = std::make_shared<watched_slot>();
  std::shared_ptr<operations::follow_node> follows = std::make_shared<operations::follow_node>(path, slot);
};

inline constexpr const char* value_observer_name = "an observer of a watched value";

}  // namespace zklock::detail
