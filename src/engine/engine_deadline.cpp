// The local deadline: what moves it, and what waits for it.
#include <algorithm>
#include <vector>

#include "src/engine/session_engine.hpp"

namespace zklock::engine {
namespace {

std::string milliseconds_text(std::chrono::nanoseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
}

}  // namespace

/// An answered write or sync. Events, reads and failures move nothing (F101, F103).
void session_engine::prove(const ledger::entry& asked, client::code answer, instant now) {
  recipes::local_deadline& deadline = heartbeat_.deadline();
  if (!recipes::answered_by_leader(answer)) {
    deadline.failed(asked.id, answer == client::code::connection_loss || answer == client::code::operation_timeout);
    return;
  }
  const std::optional<instant> proven = deadline.answered(asked.id, now);
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
      lease_ = std::make_shared<detail::lease>();  // made over by a question to a hold that was released since
      lease_->extend(*proven);
    }
    cover_all(now);
  }
  if (heartbeat_.gains_by_another(demand(), asked.owner == 0)) {
    send_beat(heartbeat::request_kind::sync, now);
  }
}

/// A grant is delivered only while the local deadline is ahead (F19); until an answer says so, it waits.
operation_table::event session_engine::await_cover(std::uint64_t operation, instant now) {
  if (lease_->is_ahead_of(now)) {
    return [](class operation& it, out& wants) { it.covered(wants); };
  }
  awaiting_cover_.insert(operation);
  if (awaiting_cover_.size() == 1) {
    beat(now);
  }
  return {};
}

void session_engine::cover_all(instant now) {
  const std::vector<std::uint64_t> waiting(awaiting_cover_.begin(), awaiting_cover_.end());
  for (const std::uint64_t number : waiting) {
    if (lease_->is_ahead_of(now) && awaiting_cover_.erase(number) > 0) {
      operations_.call(number, now, [](operation& it, out& wants) { it.covered(wants); });
    }
  }
}

heartbeat::demand session_engine::demand() const noexcept {
  return {holds_ > 0, !awaiting_cover_.empty(), nodes_ > 0, beats_when_idle_};
}

std::optional<instant> session_engine::beat_due() const {
  if (connections_.current() == nullptr || close_limit_) {
    return std::nullopt;
  }
  return heartbeat_.due(demand(), connected_);
}

void session_engine::beat(instant now) { send_beat(heartbeat_.next_kind(demand(), now), now); }

void session_engine::send_beat(heartbeat::request_kind kind, instant now) {
  send({0, 0, 0, {}}, heartbeat_.request(kind), now);
}

/// What the servers have granted is less, or more, than what was asked for: once.
void session_engine::warn_of_terms() {
  const bool adopted = connections_.servers().adopted();
  if (granted_ != config_.timeout && !adopted && !std::exchange(warned_of_timeout_, true)) {
    world_.log(environment::severity::warning, "the server grants a session timeout of " + milliseconds_text(granted_) +
                                                   " instead of " + milliseconds_text(config_.timeout));
  }
  const std::chrono::nanoseconds wanted = config_.margin.count() > 0 ? config_.margin : terms().default_margin();
  if (wanted > terms().margin && warned_of_margin_ != terms().margin) {
    warned_of_margin_ = terms().margin;
    world_.log(environment::severity::warning, "a session timeout of " + milliseconds_text(terms().timeout) +
                                                   " and a tick of " + milliseconds_text(terms().tick) +
                                                   " leave a margin of " + milliseconds_text(terms().margin) +
                                                   " at the most, not " + milliseconds_text(wanted));
  }
}

}  // namespace zklock::engine
