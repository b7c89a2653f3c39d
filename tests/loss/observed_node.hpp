#pragma once

#include <zklock/clock.hpp>

#include <memory>
#include <optional>
#include <string>

#include "src/port/client.hpp"
#include "src/threads/thread_safety.hpp"

namespace zklock::test {

/// Sees through a session of its own when a node goes: the server's word for it, as early as a client can have it.
class observed_node final : private client::observer {
 public:
  /// Returns when the watch is set, or the node known to be gone.
  observed_node(const std::string& servers, std::string path);
  observed_node(const observed_node&) = delete;
  observed_node& operator=(const observed_node&) = delete;
  ~observed_node() override;

  [[nodiscard]] std::optional<boot_clock::time_point> deleted() const ZKLOCK_EXCLUDES(mutex_);

 private:
  void on_reply(client::request_id id, const client::reply_view& answer) override ZKLOCK_EXCLUDES(mutex_);
  void on_node_event(client::watch_id id, client::node_event event) override ZKLOCK_EXCLUDES(mutex_);
  void on_session_event(const client::session_event&) override {}
  void on_closed(bool confirmed) override ZKLOCK_EXCLUDES(mutex_);
  void ask();
  void saw_it_gone() ZKLOCK_REQUIRES(mutex_);

  const std::string path_;
  mutable annotated_mutex mutex_;
  annotated_condition changed_;
  client::request_id asked_ ZKLOCK_GUARDED_BY(mutex_) = 0;
  bool watched_ ZKLOCK_GUARDED_BY(mutex_) = false;
  bool closed_ ZKLOCK_GUARDED_BY(mutex_) = false;
  std::optional<boot_clock::time_point> deleted_ ZKLOCK_GUARDED_BY(mutex_);
  std::unique_ptr<client::connection> to_;
};

}  // namespace zklock::test
