#include "src/engine/deadline_keeper.hpp"

namespace zklock::engine {

deadline_keeper::deadline_keeper(const detail::session_config& wishes)
    : heartbeat_({wishes.timeout, wishes.tick, wishes.margin}, wishes.timeout, wishes.root) {}

void deadline_keeper::count(counted what, int by) noexcept {
  std::size_t& counter = what == counted::node ? nodes_ : holds_;
  counter = by > 0 ? counter + 1 : counter - 1;
}

bool deadline_keeper::connected(std::chrono::nanoseconds granted, bool new_session, bool adopted) {
  if (const std::optional<instant> latest = local().connected(granted)) {
    deadline_of_holds_->limit(*latest);
  }
  if (adopted) {
    beats().share_handle();
  }
  return has_holds() || (new_session && adopted && idle_);
}

deadline_keeper::effect deadline_keeper::answered(const ledger::entry& asked, client::code answer, instant now) {
  if (!recipes::answered_by_leader(answer)) {
    local().failed(asked.id, answer == client::code::connection_loss || answer == client::code::operation_timeout);
    return effect::failed;
  }
  const std::optional<instant> proven = local().answered(asked.id, now);
  if (has_passed(now)) {
    return effect::lost;  // too late: what was lost stays lost (F17)
  }
  if (!proven) {
    return effect::none;
  }
  if (!deadline_of_holds_->extend(*proven)) {
    if (has_holds()) {
      return effect::lost;  // a holder's question has just found it over
    }
    renew();  // made over by a question to a hold that was released since
    deadline_of_holds_->extend(*proven);
  }
  return effect::ahead;
}

bool deadline_keeper::gains_by_another(const ledger::entry& answered) const {
  return heartbeat_.gains_by_another(demand(), answered.owner == 0);
}

bool deadline_keeper::has_passed(instant now) const { return has_holds() && !deadline_of_holds_->covers(now); }

deadline_keeper::wait deadline_keeper::await(std::uint64_t operation, instant now) {
  if (deadline_of_holds_->is_ahead_of(now)) {
    return {.ahead = true, .first = false};
  }
  awaiting_.insert(operation);
  return {.ahead = false, .first = awaiting_.size() == 1};
}

std::optional<std::uint64_t> deadline_keeper::next_covered(instant now) const {
  return !awaiting_.empty() && deadline_of_holds_->is_ahead_of(now) ? std::optional(*awaiting_.begin()) : std::nullopt;
}

std::optional<instant> deadline_keeper::loss_due() const {
  return has_holds() ? std::optional(deadline()) : std::nullopt;
}

heartbeat::demand deadline_keeper::demand() const noexcept {
  return {has_holds(), !awaiting_.empty(), has_nodes(), idle_};
}

}  // namespace zklock::engine
