// Requests, and the operations that make them.
#include <algorithm>
#include <utility>
#include <variant>

#include <zklock/error.hpp>

#include "src/session/session_core.hpp"

namespace zklock::detail {
namespace {

using request_kind = recipes::local_deadline::request_kind;
namespace request = client::request;

/// What a server answers by itself says nothing of the leader.
bool asks_leader(const client::any_request& what) {
  return !std::holds_alternative<request::get>(what) && !std::holds_alternative<request::list>(what) &&
         !std::holds_alternative<request::exists>(what);
}

request_kind kind_of(const client::any_request& what) {
  return std::holds_alternative<request::sync>(what) ? request_kind::sync : request_kind::write;
}

}  // namespace

void session_core::begin(std::shared_ptr<engine::operation> wanted, instant now) {
  operations_.begin(std::move(wanted), ++last_contender_, failure_of_session(), now);
  settle(now);
}

void session_core::begin(const std::shared_ptr<operations::transaction>& wanted, instant now) {
  wanted->look_up_guards_in(*this);
  begin(std::shared_ptr<engine::operation>(wanted), now);
}

void session_core::abandon(const std::shared_ptr<engine::operation>& unwanted, instant now) {
  operations_.stop(unwanted, {make_error_code(errc::abandoned)}, now);
  settle(now);
}

engine::session_facts session_core::facts(instant now) const {
  return {now,        connected_at_.has_value(), session_id_, deadline_.timeout(), servers_->adopted(),
          containers_, &config_.root};
}

// ---- requests and answers -------------------------------------------------------------------------------------------

void session_core::send(std::uint64_t contender, purpose what, client::any_request&& request, instant now) {
  send(contender, static_cast<engine::tag>(what), std::move(request), false, now);
}

/// Everything that goes to ZooKeeper goes through here: so it is known which answer moves the deadline.
void session_core::send(std::uint64_t operation, engine::tag as, client::any_request&& what, bool first, instant now) {
  if (!connection_) {
    return;
  }
  const bool proves = asks_leader(what);
  const client::request_id id = ledger_.add(operation, as, proves, first);
  if (proves) {
    deadline_.sent(id, kind_of(what), now);
  }
  connection_->submit(id, std::move(what));
}

void session_core::on_reply(std::uint64_t generation, client::request_id id, client::reply&& answer, instant now) {
  if (operations_.is_busy()) {
    inbox_.push_back({generation, id, std::move(answer)});
    return;
  }
  handle_reply(generation, id, std::move(answer), now);
  settle(now);
  go_on_closing(now);
}

/// In this order: what has to be heard before the deadline is moved, the deadline and what it loses, the operation.
void session_core::handle_reply(std::uint64_t generation, client::request_id id, client::reply&& answer, instant now) {
  const auto asked = generation == generation_ && connection_ ? ledger_.take(id) : std::nullopt;
  if (!asked) {
    return;  // of a session that is over
  }
  const client::code code = answer.code;
  if (asked->first) {
    operations_.reply(*asked, std::move(answer), now);
  }
  if (asked->proves) {
    prove(*asked, code, now);
  }
  const bool to_be_told = !asked->first && generation == generation_ && connection_;
  if (is_heartbeat(*asked)) {
    root_is_hidden_ = root_is_hidden_ || code == client::code::no_auth;
  } else if (to_be_told && !operations_.reply(*asked, std::move(answer), now)) {
    if (groups_.contains(asked->owner)) {
      on_group_reply(*asked, std::move(answer), now);
    } else {
      on_contender_reply(*asked, std::move(answer), now);
    }
  }
}

bool session_core::is_heartbeat(const engine::ledger::entry& asked) noexcept {
  return asked.owner == 0 && asked.as == static_cast<engine::tag>(purpose::heartbeat);
}

/// What came from within a call, then what is to be begun again.
void session_core::settle(instant now) {
  while (!inbox_.empty() && !operations_.is_busy()) {
    late_reply next = std::move(inbox_.front());
    inbox_.pop_front();
    handle_reply(next.generation, next.id, std::move(next.answer), now);
  }
  begin_again(now);
}

// ---- what operations ask of the others ------------------------------------------------------------------------------

/// They are of use as long as there may be a session within their limits.
void session_core::stop_operations_of_no_use(instant now) {
  if (const std::optional<failure> over = failure_of_session()) {
    operations_.stop_all(*over, now);
  }
}

bool session_core::node_in_doubt(const hold& one) const {
  const recipes::contender* const machine = find_contender(one.contender());
  return machine != nullptr && machine->node_in_doubt();
}

void session_core::look_after(const hold& one, instant now) {
  tell(one.contender(), recipes::event::look_after_own{}, now);
}

}  // namespace zklock::detail
