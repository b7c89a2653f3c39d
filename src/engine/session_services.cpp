#include "src/engine/session_services.hpp"

namespace zklock::engine {

session_facts session_services::facts(instant now) const {
  session_facts all;
  all.now = now;
  all.connected = session_.is_connected();
  all.suspended = session_.state() == session_state::suspended;
  all.adopted = wire_.is_adopted();
  all.containers = containers_;
  all.proven = proof_.of_session();
  all.current = proof_.of_connection();
  all.id = session_.id();
  all.timeout = deadline_.local().timeout();
  all.margin = deadline_.local().terms().margin;
  all.slice = config_.slice;
  all.root = &config_.root;
  all.spares = &wire_.spares();
  all.deadline = &deadline_.of_holds();
  all.world = &world_;
  return all;
}

void session_services::forget(std::uint64_t operation) {
  wire_.forget(operation);
  deadline_.await_no_more(operation);
}

bool session_services::is_ahead(std::uint64_t operation, instant now) {
  const deadline_keeper::wait wait = deadline_.await(operation, now);
  if (wait.first) {
    beat(now);
  }
  return wait.ahead;
}

bool session_services::ask_for_proof(instant now) {
  if (proof_.of_connection()) {
    return true;
  }
  if (session_.is_connected() && proof_.ask()) {
    send_proof(now);
  }
  return false;
}

void session_services::send_proof(instant now) {
  wire_.send({0, 0, of_proof, {.quorum = true}}, deadline_.beats().quorum_write(), now);
}

void session_services::send_beat(heartbeat::request_kind kind, instant now) {
  deadline_.local().beat(kind, now);
  wire_.send({0, 0, of_beat, {}}, deadline_.beats().request(kind), now);
}

void session_services::beat_if_due(instant now) {
  if (const std::optional<instant> due = beat_due(); due && now >= *due) {
    beat(now);
  }
}

std::optional<instant> session_services::beat_due() const {
  return beats_ && wire_.handles().current() != nullptr ? deadline_.beat_due(session_.is_connected()) : std::nullopt;
}

}  // namespace zklock::engine
