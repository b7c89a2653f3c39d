#include <algorithm>
#include <utility>

#include "src/session/session_core.hpp"

namespace zklock::detail {
namespace {

using request_kind = recipes::local_deadline::request_kind;

/// Of a session without a holder.
constexpr int beats_per_timeout = 5;
/// Until a holder's own node is watched, or asked for again.
constexpr int looks_per_timeout = 12;
/// No node stands below a node that does not: a write that is refused whatever the access lists say.
constexpr const char* node_that_never_is = "/zklock-no-node/none";

std::string milliseconds_text(std::chrono::nanoseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
}

}  // namespace

/// An answered write or sync. Events, reads and failures move nothing (F101, F103).
void session_core::prove(const engine::ledger::entry& asked, client::code answer, instant now) {
  if (!recipes::answered_by_leader(answer)) {
    deadline_.failed(asked.id, answer == client::code::connection_loss || answer == client::code::operation_timeout);
    return;
  }
  const std::optional<instant> proven = deadline_.answered(asked.id, now);
  if (holds_ > 0 && !lease_->covers(now)) {
    lose_by_deadline(now);  // too late: what was lost stays lost (F17)
    return;
  }
  if (proven) {
    if (!lease_->extend(*proven)) {
      if (holds_ > 0) {
        lose_by_deadline(now);  // a holder's question has just found it over
        return;
      }
      lease_ = std::make_shared<lease>();  // made over by a question to a hold that has been given back since
      lease_->extend(*proven);
    }
    deliver_waiting_grants(now);
  }
  const bool asks_on = is_pressed() || (is_heartbeat(asked) && !contenders_.empty());
  if (asks_on && deadline_.gain_of_another() >= deadline_.terms().beat() / 2) {
    send_beat(request_kind::sync, now);
  }
}

void session_core::deliver_waiting_grants(instant now) {
  if (waiting_grants_ == 0 || !lease_->is_ahead_of(now)) {
    return;
  }
  std::vector<std::uint64_t> ready;
  for (const auto& [number, shell] : contenders_) {
    if (shell.grant_waits) {
      ready.push_back(number);
    }
  }
  std::sort(ready.begin(), ready.end());
  for (const std::uint64_t number : ready) {
    deliver(number, contenders_.at(number), now);
  }
  for (auto& [number, group] : groups_) {
    if (group.grant_waits) {
      deliver(number, group, now);
    }
  }
}

/// Whether the deadline has to be kept ahead, or be got ahead.
bool session_core::is_pressed() const noexcept { return holds_ > 0 || waiting_grants_ > 0; }

std::chrono::nanoseconds session_core::beat_interval() const noexcept {
  const bool connected_before = deadline_.timeout().count() > 0;
  if (is_pressed() && connected_before) {
    return deadline_.terms().beat();
  }
  return (connected_before ? deadline_.timeout() : config_.timeout) / beats_per_timeout;
}

/// Also while one is unanswered, and while there is no connection: what fails then says when the next one was begun.
std::optional<instant> session_core::heartbeat_due() const {
  if (!connection_ || close_limit_ || (contenders_.empty() && !beats_when_idle_)) {
    return std::nullopt;
  }
  const instant due = deadline_.last_sent() + beat_interval();
  const std::optional<instant> step = waiting_grants_ > 0 && connected_at_ ? deadline_.next_step() : std::nullopt;
  return step && *step > deadline_.last_sent() ? std::min(due, *step) : due;
}

void session_core::heartbeat(instant now) {
  const std::optional<instant> due = heartbeat_due();
  if (due && now >= *due) {
    send_heartbeat(now);
  }
  look_after_holds(now);
}

/// Each third one of a holder is a write, each second one of a waiter: it costs the deadline nothing, since what is known to be
/// heard lags as much.
void session_core::send_heartbeat(instant now) {
  const auto passes = is_pressed() ? beat_interval() * 5 / 2 : beat_interval() * 3 / 2;
  const std::optional<instant> last_write = deadline_.last_write_sent();
  const bool write = (!contenders_.empty() && (!last_write || now - *last_write >= passes)) ||
                     (waiting_grants_ > 0 && deadline_.lacks_write(now));
  send_beat(write ? request_kind::write : request_kind::sync, now);
}

void session_core::send_beat(request_kind kind, instant now) {
  const bool write = kind == request_kind::write;
  send(0, purpose::heartbeat, write ? quorum_write() : client::any_request(client::request::sync{"/"}), now);
}

/// A check changes nothing, and a transaction of it asks the quorum all the same.
client::any_request session_core::quorum_write() const {
  using namespace client::request;
  if (root_is_hidden_) {
    return remove{full(node_that_never_is), -1};
  }
  return multi{{check{config_.root.empty() ? "/" : config_.root, -1}}};
}

/// As a sync's. Where the root may not be read the same is asked again, in another way.
client::code session_core::quorum_answer(client::code answer) {
  if (answer == client::code::no_auth) {
    root_is_hidden_ = true;
    return client::code::throttled;
  }
  return recipes::answered_by_leader(answer) ? client::code::ok : answer;
}

/// A holder's own node is watched from the first heartbeat after the grant: a shorter hold pays nothing for it (F13).
void session_core::watch_soon(std::uint64_t number, instant now) {
  own_looks_.once(number, now + deadline_.timeout() / looks_per_timeout);
}

/// It has no watch: there was no room for one, or the request failed.
void session_core::look_again(std::uint64_t number, instant now) {
  own_looks_.in_turn(number, now + deadline_.timeout() / looks_per_timeout);
}

void session_core::look_after_holds(instant now) {
  const auto stands = [this](std::uint64_t number) { return contenders_.contains(number); };
  while (connected_at_) {
    const auto next = own_looks_.take(now, deadline_.timeout() / looks_per_timeout, stands);
    if (!next) {
      return;
    }
    tell(*next, recipes::event::look_after_own{}, now);
  }
}

/// What the servers have granted is less, or more, than what was asked for: once.
void session_core::warn_of_terms(std::chrono::milliseconds granted) {
  const recipes::deadline_terms& terms = deadline_.terms();
  if (granted != config_.timeout && !servers_->adopted() && !std::exchange(warned_of_timeout_, true)) {
    world_.log(environment::severity::warning, "the server grants a session timeout of " + milliseconds_text(granted) +
                                                   " instead of " + milliseconds_text(config_.timeout));
  }
  const std::chrono::nanoseconds wanted = config_.margin.count() > 0 ? config_.margin : terms.default_margin();
  if (wanted > terms.margin && warned_of_margin_ != terms.margin) {
    warned_of_margin_ = terms.margin;
    world_.log(environment::severity::warning, "a session timeout of " + milliseconds_text(terms.timeout) +
                                                   " and a tick of " + milliseconds_text(terms.tick) +
                                                   " leave a margin of " + milliseconds_text(terms.margin) +
                                                   " at the most, not " + milliseconds_text(wanted));
  }
}

}  // namespace zklock::detail
