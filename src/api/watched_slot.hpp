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

 private:
  std::atomic<bool> posted_{false};
};

/// The latest view of a followed node, which all threads may read and wait for: a slot, not a queue. Any thread.
class watched_slot final : public operations::node_listener, public std::enable_shared_from_this<watched_slot> {
 public:
  watched_slot(std::shared_ptr<session_impl> session, std::string path)
      : session_(std::move(session)), path_(std::move(path)) {}

  /// Once.
  void begin();
  void end() noexcept;

  [[nodiscard]] const std::shared_ptr<session_impl>& its_session() const noexcept { return session_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const std::shared_ptr<operations::follow_node>& follows() const noexcept { return follows_; }
  [[nodiscard]] value_view view() const ZKLOCK_EXCLUDES(mutex_);
  /// Nothing: not in time, or a stop. Throws what has ended it.
  [[nodiscard]] std::optional<value_view> wait(std::uint64_t after, std::chrono::nanoseconds limit,
                                               const std::stop_token& stop) ZKLOCK_EXCLUDES(mutex_);
  void observe(const std::shared_ptr<value_observation>& by) ZKLOCK_EXCLUDES(mutex_);

  // node_listener
  void seen(const operations::node_report& what, engine::out& wants) override ZKLOCK_EXCLUDES(mutex_);
  void over(std::error_code why) noexcept override ZKLOCK_EXCLUDES(mutex_);

 private:
  [[nodiscard]] std::function<void()> call_of(const std::shared_ptr<value_observation>& one);

  const std::shared_ptr<session_impl> session_;
  const std::string path_;
  std::shared_ptr<operations::follow_node> follows_;
  mutable annotated_mutex mutex_;
  annotated_condition changed_;
  value_view view_ ZKLOCK_GUARDED_BY(mutex_);
  std::error_code over_ ZKLOCK_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<value_observation>> observers_ ZKLOCK_GUARDED_BY(mutex_);
};

}  // namespace zklock::detail
