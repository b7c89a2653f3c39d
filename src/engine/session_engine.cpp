#include "src/engine/session_engine.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <utility>

#include <zklock/error.hpp>

namespace zklock::engine {
namespace {

constexpr std::chrono::nanoseconds reopen_delay = std::chrono::seconds(1);
constexpr std::chrono::nanoseconds poll_interval_unconnected = std::chrono::milliseconds(100);
constexpr int polls_per_timeout = 12;

std::string hex(std::int64_t number) {
  std::array<char, 16> digits{};
  char* const end = std::to_chars(digits.begin(), digits.end(), static_cast<std::uint64_t>(number), 16).ptr;
  return "0x" + std::string(digits.begin(), end);
}

}  // namespace

session_engine::session_engine(detail::session_config config, client::factory& servers, environment& world)
    : config_(std::move(config)),
      world_(world),
      connections_(servers, world),
      heartbeat_({config_.timeout, config_.tick, config_.margin}, config_.timeout, config_.root) {}

// ---- what the user asks for -----------------------------------------------------------------------------------------

void session_engine::open(instant now) {
  const bool adopted = connections_.servers().adopted();
  heartbeat_.deadline().opened(now, adopted);
  connections_.open({config_.timeout, config_.auth_scheme, config_.auth_credentials});
  if (adopted) {
    poll_at_ = now;
  }
}

void session_engine::reopen_with(client::factory& servers, instant now) {
  connections_.use(servers);
  reopen(now);
}

bool session_engine::ask_for_expiry(instant now) {
  if (connections_.current() != nullptr && connections_.current()->expired()) {
    end_session(loss_reason::session_expired, now);
  }
  return state_ == standing::expired;
}

void session_engine::begin(std::shared_ptr<operation> wanted, instant now) {
  operations_.begin(std::move(wanted), failure_of_session(), now);
  settle(now);
}

void session_engine::begin_with_session(std::shared_ptr<operation> wanted, instant now) {
  operations_.begin(std::move(wanted), std::nullopt, now);
}

void session_engine::abandon(const std::shared_ptr<operation>& unwanted, instant now) {
  operations_.stop(unwanted, {make_error_code(errc::abandoned)}, now);
  settle(now);
}

bool session_engine::call(std::uint64_t number, instant now, const operation_table::event& what) {
  const bool told = operations_.call(number, now, what);
  settle(now);
  return told;
}

void session_engine::close(instant limit, instant now) {
  if (close_limit_) {
    return;
  }
  close_limit_ = limit;
  reopen_at_.reset();
  enter(standing::closed);
  // before anything is removed: no caller is to find a hold standing whose node is gone
  operations_.call_each(
      now, [now](operation& it, out& wants) { it.holds_over(loss_reason::session_closed, now, wants); });
  lease_->end(loss_reason::session_closed);
  stop_all_of_no_use(now);
  go_on_closing(now);
}

/// A handle of our own takes its nodes with it; an adopted one lives on, so the removals have to be seen through first.
void session_engine::go_on_closing(instant now) {
  if (!close_limit_ || close_answered_) {
    return;
  }
  connections_.close_due(instant::max());
  if (connections_.current() != nullptr) {
    const bool adopted = connections_.servers().adopted();
    const bool wait_for_removals = adopted && nodes_ > 0 && now < *close_limit_;
    if (wait_for_removals) {
      return;
    }
    close_unconfirmed_ = adopted && nodes_ > 0;
    retire_connection({}, now);
    return;  // goes on with on_closed
  }
  if (connections_.closing() == 0) {
    answer_close(now);
  }
}

void session_engine::answer_close(instant now) {
  close_answered_ = true;
  const bool unconfirmed = close_unconfirmed_ || now < nodes_may_stand_until_;
  const std::error_code result = unconfirmed ? make_error_code(errc::release_unconfirmed) : std::error_code{};
  operations_.call_each(now, [result](operation& it, out& wants) { it.closed(result, wants); });
  operations_.clear();
  watches_.clear();
  world_.closed(result);
}

// ---- what the servers say -------------------------------------------------------------------------------------------

void session_engine::on_session_event(std::uint64_t generation, const client::session_event& event, instant now) {
  if (!connections_.is_current(generation)) {
    return;
  }
  switch (event.state) {
    case client::connection_state::connected: connected(event, now); break;
    case client::connection_state::connecting: suspended(now); break;
    case client::connection_state::expired: end_session(loss_reason::session_expired, now); break;
    case client::connection_state::auth_failed:
      world_.log(environment::severity::error, "the servers have refused the credentials");
      enter(standing::auth_failed);
      end_session(loss_reason::session_expired, now);
      break;
  }
  settle(now);
}

void session_engine::connected(const client::session_event& event, instant now) {
  if (session_id_ != 0 && session_id_ != event.session_id) {  // an expiry that no server has told (F20)
    end_session(loss_reason::session_expired, now);
    return;
  }
  const bool new_session = session_id_ == 0;
  session_id_ = event.session_id;
  connected_ = true;
  granted_ = event.timeout;
  if (const std::optional<instant> latest = heartbeat_.deadline().connected(event.timeout)) {
    lease_->limit(*latest);
  }
  warn_of_terms();
  enter(standing::connected, new_session);
  if (holds_ > 0 || (new_session && connections_.servers().adopted() && beats_when_idle_)) {
    send_beat(heartbeat::request_kind::write, now);  // before all else: until it is answered nothing is proven
  }
  operations_.call_each(now, [](operation& it, out& wants) { it.connected(wants); });
}

void session_engine::suspended(instant now) {
  connected_ = false;
  if (connections_.servers().adopted()) {
    poll_at_ = now + poll_interval_unconnected;
  }
  enter(session_id_ == 0 ? standing::connecting : standing::suspended);
  operations_.call_each(now, [](operation& it, out& wants) { it.disconnected(wants); });
}

/// The ZooKeeper session is over, or (a lost grant) is to be over: nothing of it is carried into the next one (F09).
void session_engine::end_session(loss_reason why, instant now) {
  world_.log(environment::severity::warning,
             "session " + hex(session_id_) + " is over: " + std::string(to_string(why)));
  const instant margin_over = lease_->deadline() + terms().margin;
  lease_->end(why);
  const std::optional<instant> close_at =
      why == loss_reason::deadline_passed ? std::optional(margin_over) : std::nullopt;
  const session_end end{why, why == loss_reason::session_expired && state_ != standing::auth_failed};
  if (!end.confirmed && nodes_ > 0) {  // its nodes may stand until the servers end it
    const instant given_up = close_at.value_or(now);
    nodes_may_stand_until_ =
        std::max(nodes_may_stand_until_, given_up + heartbeat_.deadline().longest_timeout());
  }
  retire_connection(close_at, now);
  ledger_.clear();
  watches_.clear();
  connected_ = false;
  session_id_ = 0;
  if (state_ != standing::auth_failed && state_ != standing::closed) {
    enter(standing::expired);
  }
  operations_.call_each(now, [&end](operation& it, out& wants) { it.session_over(end, wants); });
  lease_ = std::make_shared<detail::lease>();
  if (state_ == standing::closed) {
    go_on_closing(now);
  } else if (state_ != standing::auth_failed && !connections_.servers().adopted()) {
    reopen(now);
  }
  stop_all_of_no_use(now);
}

void session_engine::reopen(instant now) {
  reopen_at_.reset();
  enter(standing::connecting);
  try {
    open(now);
  } catch (const std::exception& failure) {
    world_.log(environment::severity::error, failure.what());
    reopen_at_ = now + reopen_delay;
  }
}

/// A handle of the program's lives on, without what was lost. Nothing that we do lets the next client in before a holder has
/// had its margin to stop its work in.
void session_engine::lose_by_deadline(instant now) {
  if (!connections_.servers().adopted()) {
    end_session(loss_reason::deadline_passed, now);
    return;
  }
  const instant margin_over = lease_->deadline() + terms().margin;
  lease_->end(loss_reason::deadline_passed);
  lease_ = std::make_shared<detail::lease>();
  operations_.call_each(now, [margin_over](operation& it, out& wants) {
    it.holds_over(loss_reason::deadline_passed, margin_over, wants);
  });
}

void session_engine::check_deadline(instant now) {
  if (holds_ > 0 && !lease_->covers(now)) {
    lose_by_deadline(now);
  }
}

void session_engine::retire_connection(std::optional<instant> close_at, instant now) {
  if (connections_.current() == nullptr) {
    return;
  }
  operations_.call_each(now, [](operation& it, out& wants) { it.connection_closed(wants); });
  poll_at_.reset();
  connections_.retire(close_at);
}

void session_engine::on_closed(std::uint64_t generation, bool confirmed, instant now) {
  if (!connections_.closed(generation)) {
    return;
  }
  if (close_limit_ && connections_.is_latest(generation) && !connections_.servers().adopted()) {
    close_unconfirmed_ = !confirmed && nodes_ > 0;
  }
  go_on_closing(now);
}

void session_engine::enter(standing state, bool new_session) {
  if (state_ == standing::closed) {
    return;  // an adopted handle may come and go while the removals are seen through
  }
  if (state != state_ || new_session) {
    state_ = state;
    world_.state_changed(state, new_session);
  }
}

/// Why there is no session, and there will be none. Nothing: there is one, or it may come back.
std::optional<detail::failure> session_engine::failure_of_session() const {
  switch (state_) {
    case standing::closed: return detail::failure{errc::session_closed};
    case standing::auth_failed: return detail::failure{errc::authentication_failed, client::code::auth_failed};
    case standing::expired: return detail::failure{errc::session_expired, client::code::session_expired};
    case standing::connecting:
    case standing::connected:
    case standing::suspended: break;
  }
  return std::nullopt;
}

void session_engine::stop_all_of_no_use(instant now) {
  if (const std::optional<detail::failure> over = failure_of_session()) {
    operations_.call_each(now, [&over](operation& it, out& wants) { it.stop(*over, wants); });
  }
}

// ---- time -----------------------------------------------------------------------------------------------------------

/// An idle adopted handle tells nothing by itself: neither that it is connected again nor that its session is over (F147).
void session_engine::poll(instant now) {
  poll_at_.reset();
  if (client::connection* const handle = connections_.current()) {
    poll_at_ = now + (connected_ ? heartbeat_.deadline().timeout() / polls_per_timeout : poll_interval_unconnected);
    handle->poll();
  }
}

void session_engine::on_timer(instant now) {
  check_deadline(now);
  connections_.close_due(now);
  if (reopen_at_ && now >= *reopen_at_) {
    reopen(now);
  }
  if (poll_at_ && now >= *poll_at_) {
    poll(now);
  }
  if (const std::optional<instant> due = beat_due(); due && now >= *due) {
    beat(now);
  }
  operations_.fire_timers(now);
  if (close_limit_ && now >= *close_limit_) {
    go_on_closing(now);
  }
  settle(now);
}

std::optional<instant> session_engine::next_timer() const {
  std::optional<instant> first;
  const auto consider = [&first](std::optional<instant> when) {
    if (when && (!first || *when < *first)) {
      first = when;
    }
  };
  consider(reopen_at_);
  consider(connections_.next_close());
  consider(poll_at_);
  consider(beat_due());
  if (holds_ > 0) {
    consider(lease_->deadline());
  }
  consider(operations_.due());
  if (close_limit_ && !close_answered_ && connections_.current() != nullptr) {
    consider(close_limit_);
  }
  return first;
}

}  // namespace zklock::engine
