#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "src/api/boot_now.hpp"
#include "src/api/client_identity.hpp"
#include "src/api/connection_owner.hpp"
#include "src/api/lock_observations.hpp"
#include "src/api/loss_exit.hpp"
#include "src/api/observation.hpp"
#include "src/api/process_sessions.hpp"
#include "src/api/session_status.hpp"
#include "src/engine/session_engine.hpp"
#include "src/log/log.hpp"
#include "src/operations/lock_operations.hpp"
#include "src/threads/strand.hpp"
#include "src/threads/task_thread.hpp"
#include "src/threads/time_thread.hpp"

namespace zklock::detail {

/// A session_engine among threads: brings calls from users, the C client and the clock to its strand, and takes what it says
/// to where it belongs. Decides nothing.
///
/// `engine_`, `locks_`, `servers_` and `identity_` are the strand's; all else may be used by any thread.
class session_runner final : public environment {
 public:
  session_runner(std::shared_ptr<client::factory> servers, session_config config);

  /// Once started it is to be closed, before it is destroyed. Throws what client::factory::open throws; then no thread is left.
  void start();
  /// Runs `task(engine, locks, now)` on the strand: here, or on the thread that is there.
  template <class Task>
  void run(Task&& task) noexcept {
    strand_.run([this, task = std::forward<Task>(task)]() mutable { task(engine_, locks_, boot_now()); });
  }
  /// `limit`: for removals on an adopted handle, and for user code that runs (user_code_deadline()).
  [[nodiscard]] std::error_code close(std::chrono::nanoseconds limit) noexcept;
  /// Adopted, expired: goes on with another handle, and returns when the one before is not used any more. False if it is
  /// not so.
  [[nodiscard]] bool readopt(std::shared_ptr<client::factory> servers);

  /// Between start() and close().
  [[nodiscard]] bool running() const noexcept { return time_.running(); }
  [[nodiscard]] const session_status& status() const noexcept { return status_; }
  /// A function of the user's is called by the notification thread. `name`: for messages.
  void post(std::function<void()> what, std::string name) { notices_.post(std::move(what), std::move(name)); }
  void post_answer(std::shared_ptr<task_thread::task> one) noexcept { notices_.post_always(std::move(one)); }
  void observe(const std::shared_ptr<observation>& by) { observations_.add(by); }
  void observe_locks(const std::shared_ptr<lock_observation>& by) { lock_observations_.add(by); }
  /// See <zklock/exit_on_loss.hpp>.
  void exit_on_loss(std::shared_ptr<hold> of, int status) { loss_exit_.watch(std::move(of), status); }
  [[nodiscard]] session_meter& meter() noexcept { return engine_.meter(); }
  /// Of its own, and of its connections.
  [[nodiscard]] std::size_t threads() const noexcept;
  /// How many connections may still call.
  [[nodiscard]] std::size_t observer_count() const { return connections_.observer_count(); }

 private:
  /// Passes on what one connection says. Outlives it.
  class connection_observer final : public client::observer {
   public:
    connection_observer(session_runner& owner, std::uint64_t generation) : owner_(owner), generation_(generation) {}
    void on_reply(client::request_id id, const client::reply_view& answer) override;
    void on_node_event(client::watch_id id, client::node_event event) override;
    void on_session_event(const client::session_event& event) override;
    void on_closed(bool confirmed) override;

   private:
    session_runner& owner_;
    const std::uint64_t generation_;
  };

  // environment
  recipes::contender_id next_id() override { return identity_.next_id(); }
  std::string describe_contender(recipes::contender_mode mode, std::uint64_t owner, std::string_view label,
                                 std::string into) override;
  bool has_had_session(std::int64_t id) const override { return process_sessions::all().has(id); }
  bool has_other_sessions() const override { return process_sessions::all().count() > own_sessions_; }
  client::observer& observer_of(std::uint64_t generation) override;
  void dispose(std::uint64_t generation, std::unique_ptr<client::connection> dead) override;
  std::shared_ptr<hold> make_hold(hold_facts of) override;
  void notice_of_loss(std::shared_ptr<hold> lost) override;
  void notice_of_revocation(std::shared_ptr<hold> asked) override;
  void notify(std::function<void()> what, std::string name) override { post(std::move(what), std::move(name)); }
  void note_refusal(const std::string& why) override { status_.set_refusal(why); }
  [[nodiscard]] bool observes_locks() const noexcept override { return lock_observations_.any(); }
  void lock_changed(lock_event what) override { lock_observations_.tell(std::move(what), notices_); }
  void state_changed(session_state now, bool new_session) override;
  void closed(std::error_code result) override { status_.set_closed(result); }
  void log(log_line line) override;

  void note_terms();
  void do_what_is_due();
  void keep_time();
  void stop_threads() noexcept;

  const std::size_t threads_per_connection_;
  std::shared_ptr<client::factory> servers_;
  std::vector<std::shared_ptr<client::factory>> former_servers_;
  client_identity identity_;
  session_status status_;
  connection_owner connections_;
  observations observations_;
  lock_observations lock_observations_;
  std::size_t own_sessions_ = 0;  ///< on the strand: how many there have been
  std::string told_password_;     ///< on the strand, while the engine hears of a connection

  loss_exit loss_exit_;
  time_thread time_;
  strand strand_;
  engine::session_engine engine_;
  operations::lock_operations locks_;
  task_thread notices_{zklock::log::callback_threw};
};

}  // namespace zklock::detail
