#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <zklock/options.hpp>
#include <zklock/session.hpp>

#include "src/api/lock_meters.hpp"
#include "src/api/session_runner.hpp"
#include "src/operations/turn_wait.hpp"
#include "src/threads/fork_guard.hpp"

namespace zklock::detail {

class lock_owners;

/// What stands behind a session object. Kept alive by it, and by locks and grants. Any thread.
class session_impl {
 public:
  session_impl(std::shared_ptr<client::factory> servers, std::string root, session_options options);
  session_impl(const session_impl&) = delete;
  session_impl& operator=(const session_impl&) = delete;
  ~session_impl();

  /// Throws what client::factory::open throws.
  void start() { runner_.start(); }
  void close(std::error_code& ec) noexcept { ec = runner_.close(options_.close_time_limit); }
  /// In the child of a fork: this process has none of its threads.
  [[nodiscard]] bool forked() const noexcept { return is_forked_since(fork_generation_); }

  void begin(std::shared_ptr<engine::operation> wanted);
  /// These two share the session's contenders with all others of their kind.
  void begin_acquire(std::shared_ptr<operations::acquire> wanted);
  void begin_transaction(std::shared_ptr<operations::commit> wanted);
  /// What it waits for has come.
  void wake(const std::shared_ptr<operations::turn_wait>& one);
  /// Also before the session has it.
  void abandon(const std::shared_ptr<engine::operation>& unwanted);
  void release(const std::shared_ptr<hold>& given_back, std::shared_ptr<operations::release_receiver> caller);
  void downgrade(const std::shared_ptr<hold>& writing);
  void give_way(const std::shared_ptr<operations::hand_over>& kept) noexcept;
  /// Whether the calling thread is one that must not wait here: answers come to it.
  [[nodiscard]] bool on_client_thread() const noexcept { return status().on_client_thread(); }

  [[nodiscard]] const session_status& status() const noexcept { return runner_.status(); }
  /// A function of the user's is called by the notification thread.
  void notify(std::function<void()> what, std::string name) { runner_.post(std::move(what), std::move(name)); }
  /// The same of a call's answer: also when the session is closed.
  void post_answer(std::shared_ptr<task_thread::task> one) noexcept { runner_.post_answer(std::move(one)); }
  void observe(const std::shared_ptr<observation>& by) { runner_.observe(by); }
  void observe_locks(const std::shared_ptr<lock_observation>& by) { runner_.observe_locks(by); }
  void exit_on_loss(std::shared_ptr<hold> of, int status) { runner_.exit_on_loss(std::move(of), status); }
  /// The chroot. Empty: none, or an adopted handle's.
  [[nodiscard]] const std::string& root() const noexcept { return root_; }
  [[nodiscard]] const session_options& options() const noexcept { return options_; }
  [[nodiscard]] const std::string& servers() const noexcept { return status().servers(); }
  [[nodiscard]] bool adopted() const noexcept { return servers_->adopted(); }
  /// What the last attempt to connect has met. Empty: not known, or there is a connection.
  [[nodiscard]] std::string last_failure() const;
  /// See session_runner.
  bool readopt(std::shared_ptr<client::factory> servers) { return runner_.readopt(std::move(servers)); }
  /// Its lock objects enter here when they are made. The multi-locks first, in locks().
  void note_lock(const std::shared_ptr<lock_owners>& one) ZKLOCK_EXCLUDES(locks_mutex_);
  [[nodiscard]] std::vector<std::shared_ptr<lock_owners>> locks() const ZKLOCK_EXCLUDES(locks_mutex_);
  /// That of a lock object's name; null in a child of fork(). Says once in the log that there are too many names.
  [[nodiscard]] std::shared_ptr<lock_meter> meter_of(std::string_view name, lock_class what);
  [[nodiscard]] const lock_meters& meters() const noexcept { return meters_; }
  [[nodiscard]] session_meter& meter() noexcept { return runner_.meter(); }
  /// For tests: how many connections may still call.
  [[nodiscard]] std::size_t threads() const noexcept { return runner_.threads(); }
  [[nodiscard]] std::size_t observer_count() const { return runner_.observer_count(); }

 private:
  const std::string root_;
  const session_options options_;
  const std::shared_ptr<const client::factory> servers_;  ///< the first ones; an adopted session may get others
  const unsigned fork_generation_;
  mutable annotated_mutex locks_mutex_;
  std::vector<std::weak_ptr<lock_owners>> locks_ ZKLOCK_GUARDED_BY(locks_mutex_);
  std::size_t prune_locks_at_ ZKLOCK_GUARDED_BY(locks_mutex_) = 8;
  lock_meters meters_;
  session_runner runner_;
};

}  // namespace zklock::detail
