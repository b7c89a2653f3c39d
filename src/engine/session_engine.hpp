#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "src/engine/connections.hpp"
#include "src/engine/environment.hpp"
#include "src/engine/heartbeat.hpp"
#include "src/engine/operation_table.hpp"
#include "src/engine/watch_table.hpp"

namespace zklock::detail {

struct session_config {
  std::string root;                           ///< the chroot: put in front of every path. Empty: none
  std::chrono::milliseconds timeout{10'000};  ///< asked for, if the handle is our own
  std::chrono::milliseconds margin{0};        ///< 0: a twelfth of the least timeout that the servers grant
  std::chrono::milliseconds tick{0};          ///< the servers' greatest; 0: recipes::assumed_tick()
  std::string auth_scheme;
  std::string auth_credentials;
};

}  // namespace zklock::detail

namespace zklock::engine {

using detail::environment;
using detail::standing;

/// One ZooKeeper session after the other: its connections, its requests and watches, its local deadline, and the operations
/// that live in it. It knows no operation by name.
///
/// It knows no thread and no clock: calls come one at a time (on the session's strand, or from the simulator), time comes
/// in as a value, and next_timer() says when it wants to be called again. It sends on the port and calls its environment,
/// and expects their answers as later calls.
class session_engine : operation_table::host {
 public:
  session_engine(detail::session_config config, client::factory& servers, environment& world);
  session_engine(const session_engine&) = delete;
  session_engine& operator=(const session_engine&) = delete;

  // ---- what the user asks for
  void open(instant now);
  /// Asks an adopted handle whether its session has expired, and ends it then. Whether the state is `expired`.
  [[nodiscard]] bool ask_for_expiry(instant now);
  /// After an expiry of an adopted handle: goes on with another one, in a new session.
  void reopen_with(client::factory& servers, instant now);
  void begin(std::shared_ptr<operation> wanted, instant now);
  /// Also before it has begun.
  void abandon(const std::shared_ptr<operation>& unwanted, instant now);
  /// Ends everything; the answer is environment::closed. At the latest at `limit` + what zookeeper_close takes.
  void close(instant limit, instant now);

  // ---- what the servers say
  void on_reply(std::uint64_t generation, client::request_id id, client::reply&& answer, instant now);
  void on_node_event(std::uint64_t generation, client::watch_id id, client::node_event event, instant now);
  void on_session_event(std::uint64_t generation, const client::session_event& event, instant now);
  void on_closed(std::uint64_t generation, bool confirmed, instant now);

  // ---- time
  /// Also while no client holds or waits: so that the first grant after an idle spell finds a deadline that is ahead.
  void beat_when_idle() noexcept { beats_when_idle_ = true; }
  void on_timer(instant now);
  [[nodiscard]] std::optional<instant> next_timer() const;

  [[nodiscard]] standing state() const noexcept { return state_; }
  [[nodiscard]] std::size_t watch_count() const noexcept { return watches_.size(); }
  [[nodiscard]] instant deadline() const noexcept { return lease_->deadline(); }
  [[nodiscard]] const recipes::deadline_terms& terms() const noexcept { return heartbeat_.deadline().terms(); }
  [[nodiscard]] std::chrono::milliseconds granted_timeout() const noexcept { return granted_; }
  /// Connections that are closed, but have not said so yet.
  [[nodiscard]] std::size_t closing_count() const noexcept { return connections_.closing(); }

 protected:
  ~session_engine() = default;
  /// A call of one operation from outside. False: it is not there.
  bool call(std::uint64_t number, instant now, const operation_table::event& what);
  /// An operation that lives as long as the session object.
  void begin_with_session(std::shared_ptr<operation> wanted, instant now);
  /// Finds out whether what is held is over, before a question about it is answered.
  void check_deadline(instant now);

 private:
  struct late_reply {
    std::uint64_t generation;
    client::request_id id;
    client::reply answer;
  };

  // operation_table::host (engine_requests.cpp)
  session_facts facts(instant now) override;
  operation_table::event apply(std::uint64_t operation, any_wish&& what, instant now) override;
  void forget(std::uint64_t operation) override;
  operation_table::event watch(std::uint64_t operation, wish::watch&& what, instant now);
  void forget_watch(std::optional<watch_table::entry> gone);
  void send(const ledger::entry& as, client::any_request&& what, instant now);
  void handle_reply(std::uint64_t generation, client::request_id id, client::reply&& answer, instant now);
  void settle(instant now);

  // the session (engine.cpp)
  void reopen(instant now);
  void poll(instant now);
  void connected(const client::session_event& event, instant now);
  void suspended(instant now);
  void end_session(loss_reason why, instant now);
  void lose_by_deadline(instant now);
  void leave_unconfirmed(instant given_up);
  void retire_connection(std::optional<instant> close_at, instant now);
  void enter(standing state, bool new_session = false);
  [[nodiscard]] std::optional<detail::failure> failure_of_session() const;
  void stop_all_of_no_use(instant now);
  void go_on_closing(instant now);
  void answer_close(instant now);

  // the deadline (engine_deadline.cpp)
  void prove(const ledger::entry& asked, client::code answer, instant now);
  operation_table::event await_cover(std::uint64_t operation, instant now);
  void cover_all(instant now);
  void beat(instant now);
  void send_beat(heartbeat::request_kind kind, instant now);
  [[nodiscard]] std::optional<instant> beat_due() const;
  [[nodiscard]] heartbeat::demand demand() const noexcept;
  void warn_of_terms();

  const detail::session_config config_;
  environment& world_;
  connections connections_;
  ledger ledger_;
  watch_table watches_;
  operation_table operations_{*this};
  std::deque<late_reply> inbox_;  ///< what came while an operation was busy, the first first

  standing state_ = standing::connecting;
  bool connected_ = false;
  std::int64_t session_id_ = 0;
  std::chrono::milliseconds granted_{0};  ///< the latest timeout, of any session
  bool containers_ = true;                ///< the servers know containers
  std::optional<instant> reopen_at_;
  std::optional<instant> poll_at_;

  heartbeat heartbeat_;
  std::shared_ptr<detail::lease> lease_ = std::make_shared<detail::lease>();
  bool beats_when_idle_ = false;
  std::size_t nodes_ = 0;
  std::size_t holds_ = 0;
  std::set<std::uint64_t> awaiting_cover_;
  bool warned_of_timeout_ = false;
  std::chrono::nanoseconds warned_of_margin_{-1};

  std::optional<instant> close_limit_;  ///< set once close() was called
  bool close_unconfirmed_ = false;
  instant nodes_may_stand_until_{0};  ///< of sessions that were given up without a server's word
  bool close_answered_ = false;
};

}  // namespace zklock::engine
