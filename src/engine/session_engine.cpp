#include "src/engine/session_engine.hpp"

#include <array>
#include <charconv>
#include <exception>
#include <utility>

#include <zklock/error.hpp>

namespace zklock::engine {
namespace {

constexpr std::chrono::nanoseconds reopen_delay = std::chrono::seconds(1);
constexpr client::request_id newcomers_write = 1;

std::string hex(std::int64_t number) {
  std::array<char, 16> digits{};
  char* const end = std::to_chars(digits.begin(), digits.end(), static_cast<std::uint64_t>(number), 16).ptr;
  return "0x" + std::string(digits.begin(), end);
}

}  // namespace

session_engine::session_engine(detail::session_config config, client::factory& servers, environment& world)
    : config_(std::move(config)), world_(world), wire_(servers, world, deadline_.local()) {}

// ---- what the user asks for -----------------------------------------------------------------------------------------

void session_engine::open(instant now) {
  deadline_.local().opened(now, wire_.is_adopted());
  wire_.handles().open(parameters());
  if (wire_.is_adopted()) {
    poll_.begin(now);
  }
}

void session_engine::reopen_with(client::factory& servers, instant now) {
  wire_.handles().use(servers);
  reopen(now);
}

bool session_engine::ask_for_expiry(instant now) {
  client::connection* const handle = wire_.handles().current();
  if (handle != nullptr && handle->expired()) {
    end_session(loss_reason::session_expired, now);
  }
  return session_.state() == session_state::expired;
}

void session_engine::begin(std::shared_ptr<operation> wanted, instant now) {
  operations_.begin(std::move(wanted), session_.failure(), now);
  behind_call(now);
}

bool session_engine::call(std::uint64_t number, instant now, event_ref what) {
  const bool told = operations_.call(number, now, what);
  behind_call(now);
  return told;
}

void session_engine::abandon(const std::shared_ptr<operation>& unwanted, instant now) {
  operations_.stop(unwanted, {make_error_code(errc::abandoned)}, now);
  behind_call(now);
}

void session_engine::close(instant limit, instant now) {
  if (!closing_.begin(limit)) {
    return;
  }
  reopen_at_.reset();
  end_refusal_check();
  services_.stop_beats();
  session_.enter(session_state::closed);
  // before anything is removed: no caller is to find a hold in force whose node is gone
  operations_.call_each(now, [now](auto& it, out& wants) { it.holds_over(loss_reason::session_closed, now, wants); });
  deadline_.end(loss_reason::session_closed);
  stop_all_of_no_use(now);
  go_on_closing(now);
}

/// A handle of our own takes its nodes with it; an adopted one lives on, so the removals have to be seen through first.
void session_engine::go_on_closing(instant now) {
  if (!closing_.is_under_way()) {
    return;
  }
  connections& handles = wire_.handles();
  handles.close_due(instant::max());
  if (handles.current() != nullptr) {
    const bool nodes_stay = wire_.is_adopted() && deadline_.has_nodes();
    if (nodes_stay && now < closing_.limit()) {
      return;
    }
    closing_.note_nodes_left(nodes_stay);
    retire_connection({}, now);
    return;  // goes on with on_closed
  }
  if (handles.closing() == 0) {
    const std::error_code result = closing_.answer(now);
    operations_.call_each(now, [result](operation& it, out& wants) { it.closed(result, wants); });
    operations_.clear();
    wire_.clear();
    world_.closed(result);
  }
}

// ---- what the servers say -------------------------------------------------------------------------------------------

void session_engine::on_reply(std::uint64_t generation, client::request_id id, const client::reply_view& answer,
                              instant now) {
  if (wire_.handles().is_newcomer(generation)) {
    on_newcomer_reply(answer.code, now);
    behind_call(now);
    return;
  }
  if (operations_.is_busy()) {
    inbox_.push_back({generation, id, answer.copy()});
    return;
  }
  handle_reply(generation, id, answer, now);
  behind_call(now);
  go_on_closing(now);
}

/// First an operation that has asked to hear it before the deadline moves (`is.first`), then the deadline, then any other.
void session_engine::handle_reply(std::uint64_t generation, client::request_id id, client::reply_view answer,
                                  instant now) {
  if (const auto owner = wire_.owner_of_request(id)) {
    operations_.catch_up(*owner, now);
  }
  const auto asked = wire_.answered(generation, id);
  if (!asked) {
    return;
  }
  const client::code code = answer.code;
  meter_.answered(asked->is.kind, code, now - asked->sent_at);
  if (asked->owner != 0 || asked->as == of_attempt) {
    deadline_.beats().heard(now);
  }
  const auto hear = [&](operation& it, out& wants) { it.reply(asked->as, answer, wants); };
  if (asked->is.first) {
    operations_.call(asked->owner, now, hear);
  }
  if (asked->is.proves) {
    prove(*asked, code, now);
  }
  if (asked->is.proves && wire_.handles().is_current(generation)) {
    note_proof(*asked, code, now);
  }
  if (asked->is.first || !wire_.handles().is_current(generation)) {
    return;
  }
  if (asked->owner == 0) {
    if (asked->as == of_attempt) {
      attempt_answered(code, now);
    }
    return;
  }
  if (asked->is.quorum) {
    answer.code = deadline_.beats().quorum_answer(code);
  }
  if (asked->is.watch && code != client::code::ok && !(asked->is.exists && code == client::code::no_node)) {
    wire_.forget_watch(asked->owner, asked->as);
  }
  operations_.call(asked->owner, now, hear);
}

/// An answered write or sync moves the deadline, and with it what waits for it and what depends on it.
void session_engine::prove(const ledger::entry& asked, client::code answer, instant now) {
  using effect = deadline_keeper::effect;
  const instant before = deadline_.deadline();
  const effect done = deadline_.answered(asked, answer, now);
  if (done == effect::ahead && deadline_.has_holds() && before > instant{0}) {  // it was least right before
    note_left(before - now, now);
  }
  if (done == effect::failed) {
    return;
  }
  if (done == effect::lost) {
    lose_by_deadline(now);
    return;
  }
  if (done == effect::ahead) {
    tell_covered(now);
  }
  if (deadline_.gains_by_another(asked)) {
    services_.send_beat(heartbeat::request_kind::sync, now);
  }
}

void session_engine::note_left(instant left, instant now) {
  const auto share = std::chrono::duration<double>(left) / std::chrono::duration<double>(deadline_.local().timeout());
  meter_.least_left.note(std::max(share, 0.0), now);
}

/// What all operations that ask for it have shown to be current. One that a server has refused is sent once more.
void session_engine::note_proof(const ledger::entry& asked, client::code answer, instant now) {
  if (recipes::answered_by_leader(answer)) {
    if (services_.proof().answered(asked.is.write)) {
      operations_.broadcast(now, [](operation& it, out& wants) { it.proven(wants); });
    }
    return;
  }
  const bool at_once = asked.owner == 0 && deadline_.beats().note_answer(answer);
  if (asked.owner == 0 && (asked.as == of_proof || asked.is.write) && session_.is_connected()) {
    proof_again_at_ = at_once ? now : now + deadline_.local().timeout() / 12;
  }
}

void session_engine::tell_covered(instant now) {
  covered_since_.reset();
  for (std::size_t told = 0; const auto number = deadline_.next_covered(now); ++told) {
    if (told == config_.slice) {
      covered_since_ = now;
      return;
    }
    operations_.catch_up(*number, now);
    deadline_.await_no_more(*number);
    operations_.call(*number, now, [](operation& it, out& wants) { it.covered(wants); });
  }
}

void session_engine::on_node_event(std::uint64_t generation, client::watch_id id, client::node_event event,
                                   instant now) {
  deadline_.beats().heard(now);
  if (const auto owner = wire_.owner_of_watch(id)) {
    operations_.catch_up(*owner, now);
  }
  if (const auto fired = wire_.fired(generation, id)) {
    operations_.call(fired->owner, now, [&](operation& it, out& wants) { it.watch_fired(fired->as, event, wants); });
    behind_call(now);
  }
}

/// What came from within a call, then what is to be begun again.
void session_engine::behind_call(instant now) {
  while (!inbox_.empty() && !operations_.is_busy()) {
    const late_reply next = std::move(inbox_.front());
    inbox_.pop_front();
    handle_reply(next.generation, next.id, next.answer, now);
  }
  operations_.begin_again([this] { return session_.failure(); }, now);
  meter_.deadline.store(deadline_.deadline().count(), std::memory_order_relaxed);
  meter_.watches.set(wire_.watch_count());
  meter_.share_of_watches.store(wire_.share_of_watches(), std::memory_order_relaxed);
}

void session_engine::on_session_event(std::uint64_t generation, const client::session_event& event, instant now) {
  if (wire_.handles().is_newcomer(generation)) {
    on_newcomer_event(event, now);
  }
  if (!wire_.handles().is_current(generation)) {
    return;
  }
  switch (event.state) {
    case client::connection_state::connected: connected(event, now); break;
    case client::connection_state::connecting: suspended(now); break;
    case client::connection_state::expired: end_session(loss_reason::session_expired, now); break;
    case client::connection_state::auth_failed:
      world_.log({log_level::error, "the servers have refused the credentials"});
      session_.enter(session_state::authentication_failed);
      end_session(loss_reason::session_expired, now);
      break;
  }
  behind_call(now);
}

void session_engine::connected(const client::session_event& event, instant now) {
  if (session_.id() != 0 && session_.id() != event.session_id) {  // an expiry that no server has told (F20)
    end_session(loss_reason::session_expired, now);
    return;
  }
  end_refusal_check();
  note_server(event);
  const bool new_session = session_.connected(event.session_id, event.timeout);
  services_.proof().connected(new_session);
  proof_again_at_.reset();
  deadline_.beats().heard(now);
  const bool asks_first = deadline_.connected(event.timeout, new_session, wire_.is_adopted());
  for (const std::string& line : warning_.of(event.timeout, deadline_.local().terms(), !wire_.is_adopted())) {
    world_.log({log_level::warning, line});
  }
  session_.enter(session_state::connected, new_session);
  if (asks_first) {
    services_.send_beat(heartbeat::request_kind::write, now);
  }
  operations_.broadcast(now, [](operation& it, out& wants) { it.connected(wants); });
}

void session_engine::suspended(instant now) {
  session_.disconnected();
  services_.proof().disconnected();
  proof_again_at_.reset();
  if (wire_.is_adopted()) {
    poll_.disconnected(now);
  }
  if (session_.id() != 0) {
    refusal_.disconnected(now, deadline_.local().timeout());
  }
  session_.enter(session_.id() == 0 ? session_state::connecting : session_state::suspended);
  operations_.broadcast(now, [](operation& it, out& wants) { it.disconnected(wants); });
}

/// The ZooKeeper session is over, or (a lost grant) is to be over: nothing of it is carried into the next one (F09).
void session_engine::end_session(loss_reason why, instant now) {
  const bool was_refused = session_.state() == session_state::authentication_failed;
  end_session({why, why == loss_reason::session_expired && !was_refused}, now);
}

void session_engine::end_session(const session_end& end, instant now) {
  const loss_reason why = end.why;
  world_.log({log_level::warning, "session " + hex(session_.id()).append(" is over: ").append(to_string(why))});
  const auto close_at = why == loss_reason::deadline_passed ? std::optional(deadline_.margin_over()) : std::nullopt;
  deadline_.end(why);
  const bool was_refused = session_.state() == session_state::authentication_failed;
  if (!end.confirmed && deadline_.has_nodes()) {  // its nodes may stand until the servers end it
    closing_.note_nodes_until(close_at.value_or(now) + deadline_.local().longest_timeout());
  }
  retire_connection(close_at, now);
  wire_.clear();
  session_.over();
  services_.proof().session_over();
  proof_again_at_.reset();
  if (!was_refused) {
    session_.enter(session_state::expired);
  }
  operations_.call_each(now, [&end](operation& it, out& wants) { it.session_over(end, wants); });
  deadline_.renew();
  if (session_.state() == session_state::closed) {
    go_on_closing(now);
  } else if (session_.state() != session_state::authentication_failed && !wire_.is_adopted()) {
    reopen(now);
  }
  stop_all_of_no_use(now);
}

void session_engine::reopen(instant now) {
  reopen_at_.reset();
  session_.enter(session_state::connecting);
  try {
    open(now);
  } catch (const std::exception& failure) {
    reopen_at_ = now + reopen_delay;
    world_.log({log_level::error, failure.what()});
  }
}

/// A handle of the program's lives on, without what was lost.
void session_engine::lose_by_deadline(instant now) {
  note_left({}, now);
  if (!wire_.is_adopted()) return end_session(loss_reason::deadline_passed, now);
  const instant margin_over = deadline_.margin_over();
  deadline_.end(loss_reason::deadline_passed);
  deadline_.renew();
  operations_.call_each(now, [margin_over](operation& it, out& wants) {
    it.holds_over(loss_reason::deadline_passed, margin_over, wants);
  });
}

void session_engine::check_deadline(instant now) {
  if (deadline_.has_passed(now)) {
    lose_by_deadline(now);
  }
}

void session_engine::retire_connection(std::optional<instant> close_at, instant now) {
  end_refusal_check();
  if (wire_.handles().current() == nullptr) {
    return;
  }
  operations_.drop_broadcasts();  // of a connection that is closed
  operations_.call_each(now, [](operation& it, out& wants) { it.connection_closed(wants); });
  poll_.end();
  last_server_.clear();  // the next handle may have other ones
  wire_.handles().retire(close_at);
}

void session_engine::on_closed(std::uint64_t generation, bool confirmed, instant now) {
  if (!wire_.handles().closed(generation)) {
    return;
  }
  if (closing_.is_begun() && wire_.handles().is_latest(generation) && !wire_.is_adopted()) {
    closing_.note_nodes_left(!confirmed && deadline_.has_nodes());
  }
  go_on_closing(now);
}

// ---- whether the servers refuse the handle ---------------------------------------------------------------------------

client::parameters session_engine::parameters() const {
  return {config_.timeout, config_.auth_scheme, config_.auth_credentials};
}

/// A connection that is gone by the time it is told has no server's name: the one before stays.
void session_engine::note_server(const client::session_event& event) {
  if (!event.server.empty()) {
    last_server_ = event.server;
  }
}

void session_engine::open_newcomer(instant now) {
  if (!wire_.handles().open_newcomer(parameters(), last_server_)) {
    refusal_.interrupted(now);
  }
}

void session_engine::on_newcomer_event(const client::session_event& event, instant now) {
  if (event.state == client::connection_state::connected) {
    note_server(event);
    wire_.handles().newcomer()->submit(newcomers_write, deadline_.beats().quorum_write());
  } else {
    refusal_.interrupted(now);
    wire_.handles().retire_newcomer();
  }
}

void session_engine::on_newcomer_reply(client::code answer, instant now) {
  if (recipes::answered_by_leader(answer)) {
    refusal_.newcomer_served();
    wire_.handles().retire_newcomer();  // first: it may have the last connection that the server allows
    ask_for_attempt(now);
  } else {
    refusal_.interrupted(now);
    wire_.handles().retire_newcomer();
  }
}

/// It is answered when the next attempt of the handle to connect has failed.
void session_engine::ask_for_attempt(instant now) {
  wire_.send({0, 0, of_attempt, {}}, client::request::exists{config_.root.empty() ? "/" : config_.root}, now);
}

void session_engine::attempt_answered(client::code answer, instant now) {
  using state = recipes::refusal_check::state;
  if (answer != client::code::connection_loss && answer != client::code::operation_timeout) {
    refusal_.interrupted(now);  // no socket was to be had, say; if the handle is connected, the check has ended
    return;
  }
  const client::factory& servers = wire_.handles().servers();
  if (servers.last_attempt_was_closed()) {
    refusal_.attempt_closed(servers.attempts_per_round());
  }
  switch (refusal_.now()) {
    case state::resting:
    case state::waiting: return;
    case state::counting: ask_for_attempt(now); return;
    case state::asking: open_newcomer(now); break;
    case state::refused: break;
  }
  const std::string why = (last_server_.empty() ? "a server" : last_server_) +
                          ": refuses this session, since its data are older than what the session has seen";
  world_.note_refusal(why);
  if (refusal_.now() == state::refused) {
    world_.log({log_level::error, why + (wire_.is_adopted() ? "; go on with another handle: readopt()"
                                                            : "; a new session takes its place")});
    end_session({loss_reason::session_expired, false}, now);
  }
}

void session_engine::end_refusal_check() {
  refusal_.end();
  wire_.handles().retire_newcomer();
}

void session_engine::stop_all_of_no_use(instant now) {
  if (const std::optional<detail::failure> over = session_.failure()) {
    operations_.call_each(now, [&over](operation& it, out& wants) { it.stop(*over, wants); });
  }
}

// ---- time -----------------------------------------------------------------------------------------------------------

void session_engine::on_timer(instant now) {
  check_deadline(now);
  wire_.handles().close_due(now);
  if (reopen_at_ && now >= *reopen_at_) {
    reopen(now);
  }
  if (refusal_.timer(now)) {
    open_newcomer(now);
  }
  poll_.poll_if_due(wire_.handles().current(), session_.is_connected(), deadline_.local().timeout(), now);
  services_.beat_if_due(now);
  if (proof_again_at_ && now >= *proof_again_at_) {
    proof_again_at_.reset();
    services_.send_proof(now);
  }
  operations_.go_on(now);
  if (covered_since_) {
    tell_covered(now);
  }
  operations_.fire_timers(now);
  if (closing_.is_under_way() && now >= *closing_.limit()) {
    go_on_closing(now);
  }
  behind_call(now);
}

std::optional<instant> session_engine::next_timer() const {
  const connections& handles = wire_.handles();
  std::optional<instant> first;
  const auto consider = [&first](std::optional<instant> when) {
    if (when && (!first || *when < *first)) {
      first = when;
    }
  };
  consider(reopen_at_);
  consider(handles.next_close());
  consider(poll_.due());
  consider(refusal_.due());
  consider(services_.beat_due());
  consider(proof_again_at_);
  consider(deadline_.loss_due());
  consider(operations_.due());
  consider(covered_since_);
  if (closing_.is_under_way() && handles.current() != nullptr) {
    consider(closing_.limit());
  }
  return first;
}

}  // namespace zklock::engine
