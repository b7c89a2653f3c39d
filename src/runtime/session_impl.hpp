#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include <zklock/options.hpp>
#include <zklock/session.hpp>

#include "src/runtime/hold_notice.hpp"
#include "src/runtime/random_source.hpp"
#include "src/operations/session_core.hpp"
#include "src/runtime/state_observer.hpp"
#include "src/runtime/strand.hpp"
#include "src/runtime/thread_number.hpp"
#include "src/runtime/timer.hpp"
#include "src/runtime/task_thread.hpp"

namespace zklock::detail {

[[nodiscard]] instant boot_now() noexcept;

/// session_core among threads: brings calls from users, the C client and the clock to its strand, and takes what it says
/// to where it belongs. Decides nothing.
///
/// Kept alive by the session object, locks and grants. `core_` is the strand's; what else changes has its own mutex.
class session_impl final : public environment, public std::enable_shared_from_this<session_impl> {
 public:
  session_impl(std::shared_ptr<client::factory> servers, std::string root, session_options options);
  ~session_impl() override;

  /// After construction, once it is owned. Throws what client::factory::open throws.
  void start();
  void close(std::error_code& ec) noexcept;
  /// In the child of a fork: this process has none of its threads.
  [[nodiscard]] bool forked() const noexcept;

  void begin(std::shared_ptr<engine::operation> wanted);
  void begin(std::shared_ptr<operations::acquire> wanted);
  void begin(std::shared_ptr<operations::transaction> wanted);
  /// Also before the session has it.
  void abandon(const std::shared_ptr<engine::operation>& unwanted);
  void release(const std::shared_ptr<hold>& given_back, std::shared_ptr<operations::release_receiver> caller);
  void downgrade(const std::shared_ptr<hold>& writing);
  /// Whether the calling thread is one that must not wait here: answers come to it.
  [[nodiscard]] bool on_client_thread() const noexcept;

  [[nodiscard]] session_state state() const noexcept { return state_.load(std::memory_order_acquire); }
  bool wait_connected(std::chrono::nanoseconds limit);
  void observe(state_observer::function observer);
  [[nodiscard]] std::chrono::milliseconds timeout() const noexcept;
  [[nodiscard]] std::chrono::nanoseconds margin() const noexcept;
  [[nodiscard]] const session_options& options() const noexcept { return options_; }
  [[nodiscard]] const std::string& servers() const noexcept { return description_; }
  /// Adopted, expired: goes on with another handle, and returns when the one before is not used any more. False if it is
  /// not so.
  bool readopt(std::shared_ptr<client::factory> servers);
  /// For tests: how many connections may still call.
  [[nodiscard]] std::size_t observer_count() const;

 private:
  /// Passes on what one connection says. Outlives it.
  class connection_observer final : public client::observer {
   public:
    connection_observer(session_impl& owner, std::uint64_t generation) : owner_(owner), generation_(generation) {}
    void on_reply(client::request_id id, client::reply&& answer) override;
    void on_node_event(client::watch_id id, client::node_event event) override;
    void on_session_event(const client::session_event& event) override;
    void on_closed(bool confirmed) override;

   private:
    session_impl& owner_;
    const std::uint64_t generation_;
  };

  struct dead_connection {
    std::unique_ptr<connection_observer> observer;
    std::unique_ptr<client::connection> connection;  ///< goes first: it may still be in its last call
  };

  // environment
  recipes::contender_id next_id() override;
  std::string describe_contender(recipes::contender_mode mode, std::string_view label) override;
  client::observer& observer_of(std::uint64_t generation) override;
  void dispose(std::uint64_t generation, std::unique_ptr<client::connection> dead) override;
  std::shared_ptr<hold_notice> make_notice() override;
  void notice_of_loss(std::shared_ptr<hold> lost) override;
  void state_changed(standing now, bool new_session) override;
  void closed(std::error_code result) override;
  void log(severity level, std::string_view line) override;

  [[nodiscard]] std::size_t count_disposed() ZKLOCK_EXCLUDES(mutex_);
  void note_terms();
  void settle();
  bool call_for_help();
  void keep_time();
  void stop_threads() noexcept;

  const session_options options_;
  std::shared_ptr<client::factory> servers_;                      ///< the strand's
  std::vector<std::shared_ptr<client::factory>> former_servers_;  ///< the strand's
  const std::string description_;                                 ///< of the servers
  const std::string host_;                                        ///< the name of this machine
  const unsigned fork_generation_;
  random_source random_;  ///< the strand's

  std::atomic<session_state> state_{session_state::connecting};
  std::atomic<bool> helpless_{true};  ///< the time thread is not there (yet, any more)
  std::atomic<std::int64_t> timeout_ms_;
  std::atomic<std::int64_t> margin_ns_;
  std::atomic<thread_number> client_thread_{0};  ///< the last one that brought an answer

  mutable annotated_mutex mutex_;
  annotated_condition changed_;
  std::optional<std::error_code> closed_ ZKLOCK_GUARDED_BY(mutex_);
  bool ended_ ZKLOCK_GUARDED_BY(mutex_) = false;  ///< the threads are to end
  std::vector<dead_connection> dead_ ZKLOCK_GUARDED_BY(mutex_);
  std::size_t disposed_ ZKLOCK_GUARDED_BY(mutex_) = 0;  ///< connections
  const std::shared_ptr<state_observer> observer_ = std::make_shared<state_observer>();
  std::map<std::uint64_t, std::unique_ptr<connection_observer>> observers_
      ZKLOCK_GUARDED_BY(mutex_);  ///< by generation

  timer timer_;
  instant timer_set_to_ = instant::max();  ///< the strand's
  strand strand_;
  session_core core_;  ///< the strand's
  task_thread notices_;
  std::thread time_thread_;
};

}  // namespace zklock::detail
