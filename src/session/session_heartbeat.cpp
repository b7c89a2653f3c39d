#include <algorithm>

#include "src/session/session_core.hpp"

namespace zklock::detail {
namespace {

constexpr int heartbeats_per_timeout = 12;
constexpr int pulses_per_timeout = 12;
constexpr int standstills_per_timeout = 6;

std::string milliseconds_text(std::chrono::nanoseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
}

}  // namespace

/// Everything that goes to ZooKeeper goes through here: so it is known which answer moves the deadline.
void session_core::send(std::uint64_t contender, purpose what, client::any_request&& request, bool moves_deadline,
                        instant now, std::size_t place) {
  if (!connection_) {
    return;
  }
  const client::request_id id = ++last_request_;
  pending_.push_back({id, contender, what, moves_deadline, place});
  if (moves_deadline) {
    deadline_.sent(id, now);
  }
  connection_->submit(id, std::move(request));
}

void session_core::on_reply(std::uint64_t generation, client::request_id id, client::reply&& answer, instant now) {
  if (generation != generation_ || !connection_) {
    return;  // of a session that is over
  }
  note_awake(now);
  const auto found =
      std::find_if(pending_.begin(), pending_.end(), [id](const pending_request& entry) { return entry.id == id; });
  if (found == pending_.end()) {
    return;
  }
  const pending_request asked = *found;
  pending_.erase(found);
  const client::code code = answer.code;
  if (asked.what == purpose::transaction) {
    on_transaction_reply(asked, std::move(answer), now);  // before what the answer may end: it says what was done
  }
  if (asked.moves_deadline) {
    prove(id, recipes::answered_by_server(code), now);
  }
  if (asked.what == purpose::heartbeat) {
    sync_under_way_ = false;
  } else if (asked.what != purpose::transaction && generation == generation_ && connection_) {
    if (asked.what >= purpose::limit_sync) {
      on_limit_reply(asked, std::move(answer), now);
    } else if (asked.what >= purpose::inspect_sync) {
      on_inspection_reply(asked, std::move(answer), now);
    } else if (asked.what >= purpose::create_all) {
      on_group_reply(asked, std::move(answer), now);
    } else {
      on_contender_reply(asked, std::move(answer), now);
    }
  }
  begin_again(now);
  go_on_closing(now);
}

/// How long the session is to live without a word: what was granted, or, before that, what was asked for.
std::chrono::nanoseconds session_core::pulse_timeout() const noexcept {
  return deadline_.timeout().count() > 0 ? deadline_.timeout() : config_.timeout;
}

bool session_core::pulses() const noexcept {
  return !close_answered_ && (pulses_when_idle_ || (deadline_.timeout().count() > 0 && !contenders_.empty()));
}

/// We are called each T/12 at the least. When we are not called for T/6, the process has stood still, and the client with it:
/// it has sent no pings, on which the deadline would rest. A shorter standstill is what the margin is for.
void session_core::note_awake(instant now) {
  if (pulses() && now - awake_at_ > pulse_timeout() / standstills_per_timeout) {
    deadline_.stood_still(now);
  }
  awake_at_ = now;
}

std::optional<instant> session_core::pulse_due() const {
  return pulses() ? std::optional(awake_at_ + pulse_timeout() / pulses_per_timeout) : std::nullopt;
}

/// An answered write or sync. Events, reads and failures move nothing (F101, F103).
void session_core::prove(client::request_id id, bool by_server, instant now) {
  if (!by_server) {
    deadline_.failed(id);
    return;
  }
  const std::optional<instant> proven = deadline_.answered(id, now);
  if (holds_ > 0 && !lease_->covers(now)) {
    lose_by_deadline(now);  // too late: what was lost stays lost (F17)
    return;
  }
  if (!proven) {
    return;
  }
  if (!lease_->extend(*proven)) {
    lease_ = std::make_shared<lease>();  // made over by a question to a hold that has been given back since
    lease_->extend(*proven);
  }
  deliver_waiting_grants(now);
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

std::optional<instant> session_core::heartbeat_due() const {
  if (!connected_at_ || !connection_ || sync_under_way_ || contenders_.empty()) {
    return std::nullopt;
  }
  const std::optional<instant> last = deadline_.last_sent();
  return last ? *last + deadline_.timeout() / heartbeats_per_timeout : *connected_at_;
}

void session_core::heartbeat(instant now) {
  const std::optional<instant> due = heartbeat_due();
  if (due && now >= *due) {
    send_sync(now);
  }
  look_after_holds(now);
}

void session_core::send_sync(instant now) {
  if (sync_under_way_ || !connected_at_) {
    return;
  }
  sync_under_way_ = true;
  send(0, purpose::heartbeat, client::request::sync{"/"}, true, now);
}

/// A holder's own node is watched from the first heartbeat after the grant: a shorter hold pays nothing for it (F13).
void session_core::watch_soon(std::uint64_t number, instant now) {
  unwatched_.push_back({number, now + deadline_.timeout() / heartbeats_per_timeout});
}

void session_core::look_after_holds(instant now) {
  while (connected_at_ && !unwatched_.empty() && unwatched_.front().due <= now) {
    const std::uint64_t number = unwatched_.front().contender;
    unwatched_.pop_front();
    tell(number, recipes::event::look_after_own{}, now);
  }
}

std::chrono::nanoseconds session_core::margin_for(std::chrono::milliseconds granted) {
  if (servers_->adopted()) {
    return recipes::margin_of(config_.margin, recipes::asked_unknown, granted);
  }
  if (granted != config_.timeout && !warned_of_timeout_) {
    warned_of_timeout_ = true;
    world_.log(environment::severity::warning, "the server grants a session timeout of " + milliseconds_text(granted) +
                                                   " instead of " + milliseconds_text(config_.timeout));
  }
  return recipes::margin_of(config_.margin, config_.timeout, granted);
}

}  // namespace zklock::detail
