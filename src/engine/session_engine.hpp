#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "recipes/refusal_check.hpp"
#include "src/engine/current_session.hpp"
#include "src/engine/deadline_keeper.hpp"
#include "src/engine/handle_poll.hpp"
#include "src/engine/meters.hpp"
#include "src/engine/operation_table.hpp"
#include "src/engine/session_closing.hpp"
#include "src/engine/session_config.hpp"
#include "src/engine/session_services.hpp"
#include "src/engine/terms_warning.hpp"
#include "src/engine/wire.hpp"

namespace zklock::engine {

/// One ZooKeeper session after the other, and the operations that live in it: takes what happens to whatever it concerns, in
/// the order that docs/design/architecture.md states. It knows no operation by name.
///
/// It knows no thread and no clock: calls come one at a time (on the session's strand, or from the simulator), time comes
/// in as a value, and next_timer() says when it wants to be called again. It sends on the port and calls its environment;
/// what the port answers from within submit() while an operation is in a call waits in the inbox.
class session_engine {
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
  /// A call of one operation from outside. False: it is not there.
  bool call(std::uint64_t number, instant now, event_ref what);
  /// Also before it has begun.
  void abandon(const std::shared_ptr<operation>& unwanted, instant now);
  /// Finds out whether what is held is over, before a question about it is answered.
  void check_deadline(instant now);
  /// Ends everything; the answer is environment::closed. At the latest at `limit` + what zookeeper_close takes.
  void close(instant limit, instant now);

  // ---- what the servers say
  void on_reply(std::uint64_t generation, client::request_id id, const client::reply_view& answer, instant now);
  void on_node_event(std::uint64_t generation, client::watch_id id, client::node_event event, instant now);
  void on_session_event(std::uint64_t generation, const client::session_event& event, instant now);
  void on_closed(std::uint64_t generation, bool confirmed, instant now);

  // ---- time
  /// Also while no client holds or waits: so that the first grant after an idle spell finds a deadline that is ahead.
  void beat_when_idle() noexcept { deadline_.beat_when_idle(); }
  void on_timer(instant now);
  [[nodiscard]] std::optional<instant> next_timer() const;

  [[nodiscard]] const current_session& session() const noexcept { return session_; }
  [[nodiscard]] const deadline_keeper& deadline() const noexcept { return deadline_; }
  [[nodiscard]] const wire& servers() const noexcept { return wire_; }
  /// Any thread reads it.
  [[nodiscard]] detail::session_meter& meter() noexcept { return meter_; }

 private:
  struct late_reply {
    std::uint64_t generation;
    client::request_id id;
    client::reply answer;
  };

  void handle_reply(std::uint64_t generation, client::request_id id, client::reply_view answer, instant now);
  void prove(const ledger::entry& asked, client::code answer, instant now);
  /// So much of the deadline was left.
  void note_left(instant left, instant now);
  void note_proof(const ledger::entry& asked, client::code answer, instant now);
  void tell_covered(instant now);
  void behind_call(instant now);

  void connected(const client::session_event& event, instant now);
  void suspended(instant now);
  void end_session(loss_reason why, instant now);
  void end_session(const session_end& how, instant now);
  void reopen(instant now);
  void lose_by_deadline(instant now);
  void retire_connection(std::optional<instant> close_at, instant now);

  // whether the servers refuse the handle: see recipes::refusal_check
  void note_server(const client::session_event& event);
  void open_newcomer(instant now);
  void on_newcomer_event(const client::session_event& event, instant now);
  void on_newcomer_reply(client::code answer, instant now);
  void ask_for_attempt(instant now);
  void attempt_answered(client::code answer, instant now);
  void end_refusal_check();
  [[nodiscard]] client::parameters parameters() const;

  void stop_all_of_no_use(instant now);
  void go_on_closing(instant now);

  const detail::session_config config_;
  environment& world_;
  deadline_keeper deadline_{config_};
  wire wire_;
  current_session session_{world_};
  session_services services_{config_, session_, wire_, deadline_, world_};
  operation_table operations_{services_, config_.slice};
  session_closing closing_;
  terms_warning warning_{config_.timeout, config_.margin};
  std::deque<late_reply> inbox_;  ///< what came while an operation was busy, the first first
  std::optional<instant> reopen_at_;
  std::optional<instant> proof_again_at_;
  std::optional<instant> covered_since_;  ///< some are still to be told that the deadline is ahead
  handle_poll poll_;
  recipes::refusal_check refusal_;
  detail::session_meter meter_;
  std::string last_server_;  ///< that the current handle was connected to, and then the newcomer
};

}  // namespace zklock::engine
