#include "src/session/session_core.hpp"

#include <algorithm>
#include <cstdio>

#include <zklock/error.hpp>

namespace zklock::detail {
namespace {

constexpr std::chrono::nanoseconds reopen_delay = std::chrono::seconds(1);
constexpr std::chrono::nanoseconds poll_interval_unconnected = std::chrono::milliseconds(100);
constexpr int polls_per_timeout = 12;

std::string hex(std::int64_t number) {
  char text[24];
  const int length = std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return {text, static_cast<std::size_t>(length)};
}

}  // namespace

session_core::session_core(session_config config, client::factory& servers, environment& world)
    : config_(std::move(config)),
      servers_(&servers),
      world_(world),
      deadline_({config_.timeout, config_.tick, config_.margin}) {}

session_core::~session_core() = default;

// ---- what the user asks for -----------------------------------------------------------------------------------------

void session_core::open(instant now) {
  deadline_.opened(now, servers_->adopted());
  ++generation_;
  try {
    connection_ = servers_->open({config_.timeout, config_.auth_scheme, config_.auth_credentials},
                                 world_.observer_of(generation_));
  } catch (...) {
    world_.dispose(generation_, nullptr);
    throw;
  }
  if (servers_->adopted()) {
    poll_at_ = now;
  }
}

void session_core::reopen_with(client::factory& servers, instant now) {
  servers_ = &servers;
  reopen(now);
}

bool session_core::ask_for_expiry(instant now) {
  if (connection_ && connection_->expired()) {
    end_session(loss_reason::session_expired, now);
  }
  return state_ == standing::expired;
}

void session_core::close(instant limit, instant now) {
  if (close_limit_) {
    return;
  }
  close_limit_ = limit;
  reopen_at_.reset();
  enter(standing::closed);
  ending_ = loss_reason::session_closed;
  lose_all_holds();  // before anything is removed: nobody is to find a hold standing whose node is gone
  lease_->end(loss_reason::session_closed);
  tell_all_groups(recipes::multi_event::stop{recipes::refusal::closed}, now);
  tell_all(recipes::event::stop{recipes::refusal::closed}, now);
  stop_operations_of_no_use(now);
  go_on_closing(now);
}

/// A handle of our own takes its nodes with it; an adopted one lives on, so the removals have to be seen through first.
void session_core::go_on_closing(instant now) {
  if (!close_limit_ || close_answered_) {
    return;
  }
  close_lingering(instant::max());
  if (connection_) {
    const bool wait_for_removals = servers_->adopted() && !contenders_.empty() && now < *close_limit_;
    if (wait_for_removals) {
      return;
    }
    close_unconfirmed_ = servers_->adopted() && !contenders_.empty();
    retire_connection(now);
    return;  // goes on with on_closed
  }
  if (closing_.empty()) {
    answer_close(now);
  }
}

void session_core::answer_close(instant now) {
  close_answered_ = true;
  const bool unconfirmed = close_unconfirmed_ || now < nodes_may_stand_until_;
  const std::error_code result = unconfirmed ? make_error_code(errc::release_unconfirmed) : std::error_code{};
  for (auto& [number, shell] : contenders_) {
    answer_releases(shell, result, recipes::code::ok);
  }
  contenders_.clear();
  groups_.clear();
  watches_.clear();
  own_looks_.clear();
  timers_.clear();
  world_.closed(result);
}

// ---- what the servers say -------------------------------------------------------------------------------------------

void session_core::on_session_event(std::uint64_t generation, const client::session_event& event, instant now) {
  if (generation != generation_ || !connection_) {
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

void session_core::connected(const client::session_event& event, instant now) {
  if (session_id_ != 0 && session_id_ != event.session_id) {  // an expiry that nobody told (F20)
    end_session(loss_reason::session_expired, now);
    return;
  }
  const bool new_session = session_id_ == 0;
  session_id_ = event.session_id;
  connected_at_ = now;
  granted_ = event.timeout;
  if (const std::optional<instant> latest = deadline_.connected(event.timeout)) {
    lease_->limit(*latest);
  }
  warn_of_terms(event.timeout);
  enter(standing::connected, new_session);
  if (holds_ > 0 || (new_session && servers_->adopted() && beats_when_idle_)) {
    send_beat(recipes::local_deadline::request_kind::write,
              now);  // before all else: until it is answered nothing is proven
  }
  retry_at_once();
  tell_all_groups(recipes::multi_event::connected{}, now);
  tell_all(recipes::event::connected{}, now);
  operations_.connected(now);
}

void session_core::suspended(instant now) {
  connected_at_.reset();
  if (servers_->adopted()) {
    poll_at_ = now + poll_interval_unconnected;
  }
  enter(session_id_ == 0 ? standing::connecting : standing::suspended);
  tell_all(recipes::event::disconnected{}, now);
  operations_.disconnected(now);
}

/// The ZooKeeper session is over, or (a lost grant) is to be over: nothing of it is carried into the next one (F09).
void session_core::end_session(loss_reason why, instant now) {
  world_.log(environment::severity::warning,
             "session " + hex(session_id_) + " is over: " + std::string(to_string(why)));
  lease_->end(why);
  const std::optional<instant> close_at =
      why == loss_reason::deadline_passed ? std::optional(end_of_margin()) : std::nullopt;
  ending_ = why;
  if (why != loss_reason::session_expired || state_ == standing::auth_failed) {
    leave_unconfirmed(close_at.value_or(now));
  }
  retire_connection(now, close_at);
  lost_nodes_.clear();
  ledger_.clear();
  watches_.clear();
  watched_bytes_ = 0;
  own_looks_.clear();
  connected_at_.reset();
  session_id_ = 0;
  if (state_ != standing::auth_failed && state_ != standing::closed) {
    enter(standing::expired);
  }
  tell_all(recipes::event::session_over{}, now);
  ending_ = loss_reason::node_removed;
  lease_ = std::make_shared<lease>();
  if (state_ == standing::closed) {
    go_on_closing(now);
  } else if (state_ != standing::auth_failed && !servers_->adopted()) {
    reopen(now);
  }
  operations_.session_over(now);
  stop_operations_of_no_use(now);
}

/// The session is given up without a server's word: its nodes may stand until the servers end it.
void session_core::leave_unconfirmed(instant given_up) {
  for (auto& [number, shell] : contenders_) {
    answer_releases(shell, errc::release_unconfirmed, recipes::code::ok);
  }
  if (!contenders_.empty()) {
    nodes_may_stand_until_ = std::max(nodes_may_stand_until_, given_up + deadline_.longest_timeout());
  }
}

void session_core::reopen(instant now) {
  reopen_at_.reset();
  enter(standing::connecting);
  try {
    open(now);
  } catch (const std::exception& failure) {
    world_.log(environment::severity::error, failure.what());
    reopen_at_ = now + reopen_delay;
  }
}

/// The handle is the program's: the session goes on, without what was lost. The removals are queued in it.
void session_core::end_holds_in_session() {
  const instant due = end_of_margin();
  lease_->end(loss_reason::deadline_passed);
  lease_ = std::make_shared<lease>();
  ending_ = loss_reason::deadline_passed;
  std::vector<std::uint64_t> lost;
  for (const auto& [number, shell] : contenders_) {
    if (shell.proof) {
      lost.push_back(number);
    }
  }
  lose_all_holds();
  ending_ = loss_reason::node_removed;
  std::sort(lost.rbegin(), lost.rend());  // the last first, as they are dissolved
  for (const std::uint64_t number : lost) {
    lost_nodes_.emplace(due, number);
  }
}

void session_core::lose_by_deadline(instant now) {
  if (servers_->adopted()) {
    end_holds_in_session();
  } else {
    end_session(loss_reason::deadline_passed, now);
  }
}

void session_core::retire_connection(instant now, std::optional<instant> close_at) {
  if (!connection_) {
    return;
  }
  client::connection& dying = *connection_;
  closing_.emplace(generation_, std::move(connection_));
  operations_.connection_closed(now);
  poll_at_.reset();
  if (close_at) {
    lingering_.emplace(*close_at, generation_);
  } else {
    dying.close();
  }
}

/// Those that are due. Closing one ends its session, and lets the next client in.
void session_core::close_lingering(instant until) {
  while (!lingering_.empty() && lingering_.begin()->first <= until) {
    const auto found = closing_.find(lingering_.begin()->second);
    lingering_.erase(lingering_.begin());
    if (found != closing_.end()) {
      found->second->close();
    }
  }
}

/// What a holder has to stop its work in, when its deadline has passed: nothing that we do lets the next client in before.
instant session_core::end_of_margin() const { return lease_->deadline() + deadline_.terms().margin; }

/// On a handle of the program's, where only the nodes go.
void session_core::remove_lost(instant now) {
  while (!lost_nodes_.empty() && lost_nodes_.begin()->first <= now) {
    const std::uint64_t number = lost_nodes_.begin()->second;
    lost_nodes_.erase(lost_nodes_.begin());
    tell(number, recipes::event::release{}, now);
  }
}

void session_core::on_closed(std::uint64_t generation, bool confirmed, instant now) {
  const auto found = closing_.find(generation);
  if (found == closing_.end()) {
    return;
  }
  world_.dispose(generation, std::move(found->second));
  closing_.erase(found);
  if (close_limit_ && generation == generation_ && !servers_->adopted()) {
    close_unconfirmed_ = !confirmed && !contenders_.empty();
  }
  go_on_closing(now);
}

void session_core::enter(standing state, bool new_session) {
  if (state_ == standing::closed) {
    return;  // an adopted handle may come and go while the removals are seen through
  }
  if (state != state_ || new_session) {
    state_ = state;
    world_.state_changed(state, new_session);
  }
}

/// Why there is no session, and there will be none. Nothing: there is one, or it may come back.
std::optional<failure> session_core::failure_of_session() const {
  switch (state_) {
    case standing::closed: return failure{errc::session_closed};
    case standing::auth_failed: return failure{errc::authentication_failed, client::code::auth_failed};
    case standing::expired: return failure{errc::session_expired, client::code::session_expired};
    case standing::connecting:
    case standing::connected:
    case standing::suspended: break;
  }
  return std::nullopt;
}

// ---- time -----------------------------------------------------------------------------------------------------------

/// An idle adopted handle tells nothing by itself: neither that it is connected again nor that its session is over (F147).
void session_core::poll(instant now) {
  poll_at_.reset();
  if (connection_) {
    poll_at_ = now + (connected_at_ ? deadline_.timeout() / polls_per_timeout : poll_interval_unconnected);
    connection_->poll();
  }
}

void session_core::on_timer(instant now) {
  if (holds_ > 0 && !lease_->covers(now)) {
    lose_by_deadline(now);
  }
  close_lingering(now);
  remove_lost(now);
  if (reopen_at_ && now >= *reopen_at_) {
    reopen(now);
  }
  if (poll_at_ && now >= *poll_at_) {
    poll(now);
  }
  heartbeat(now);
  fire_contender_timers(now);
  operations_.fire_timers(now);
  if (close_limit_ && now >= *close_limit_) {
    go_on_closing(now);
  }
  settle(now);
}

std::optional<instant> session_core::next_timer() const {
  std::optional<instant> first;
  const auto consider = [&first](std::optional<instant> when) {
    if (when && (!first || *when < *first)) {
      first = when;
    }
  };
  consider(reopen_at_);
  for (const auto* const due : {&lingering_, &lost_nodes_}) {
    if (!due->empty()) {
      consider(due->begin()->first);
    }
  }
  consider(poll_at_);
  consider(heartbeat_due());
  if (holds_ > 0) {
    consider(lease_->deadline());
  }
  if (connected_at_) {
    consider(own_looks_.due());
  }
  consider(operations_.due());
  if (!timers_.empty()) {
    consider(timers_.begin()->first);
  }
  if (close_limit_ && !close_answered_ && connection_) {
    consider(close_limit_);
  }
  return first;
}

}  // namespace zklock::detail
