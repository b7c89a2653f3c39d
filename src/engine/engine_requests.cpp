// Requests, their answers, and what operations want.
#include <utility>
#include <variant>

#include "src/engine/session_engine.hpp"

namespace zklock::engine {
namespace {

namespace request = client::request;

/// What a server answers by itself says nothing of the leader.
bool asks_leader(const client::any_request& what) {
  return !std::holds_alternative<request::get>(what) && !std::holds_alternative<request::list>(what) &&
         !std::holds_alternative<request::exists>(what);
}

heartbeat::request_kind kind_of(const client::any_request& what) {
  return std::holds_alternative<request::sync>(what) ? heartbeat::request_kind::sync
                                                     : heartbeat::request_kind::write;
}

template <class... Functions>
struct overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
overloaded(Functions...) -> overloaded<Functions...>;  // clang 14 does not deduce aggregates

}  // namespace

session_facts session_engine::facts(instant now) {
  session_facts all;
  all.now = now;
  all.connected = connected_;
  all.suspended = state_ == standing::suspended;
  all.adopted = connections_.servers().adopted();
  all.containers = containers_;
  all.id = session_id_;
  all.timeout = heartbeat_.deadline().timeout();
  all.root = &config_.root;
  all.lease = &lease_;
  all.world = &world_;
  return all;
}

operation_table::event session_engine::apply(std::uint64_t operation, any_wish&& what, instant now) {
  operation_table::event told;
  std::visit(overloaded{
                 [&](wish::request&& one) {
                   send({0, operation, one.as, {.first = one.heard_first}}, std::move(one.what), now);
                 },
                 [&](wish::quorum_write&& one) {
                   send({0, operation, one.as, {.quorum = true}}, heartbeat_.quorum_write(), now);
                 },
                 [&](wish::watch&& one) { told = watch(operation, std::move(one), now); },
                 [&](wish::forget_watch&& one) { forget_watch(watches_.take_of(operation, one.as)); },
                 [&](wish::forget_requests&&) { ledger_.forget(operation); },
                 [&](wish::await_cover&&) { told = await_cover(operation, now); },
                 [&](wish::await_no_cover&&) { awaiting_cover_.erase(operation); },
                 [&](wish::count&& one) {
                   std::size_t& counter = one.what == counted::node ? nodes_ : holds_;
                   counter = one.by > 0 ? counter + 1 : counter - 1;
                 },
                 [&](wish::note_no_containers&&) { containers_ = false; },
                 [&](wish::tell_loss&& one) { world_.notice_of_loss(std::move(one.lost)); },
                 [&](wish::log&& one) { world_.log(one.level, one.text); },
                 [](auto&&) {},  // about operations: the table's
             },
             std::move(what));
  return told;
}

void session_engine::forget(std::uint64_t operation) {
  ledger_.forget(operation);
  awaiting_cover_.erase(operation);
  while (auto one = watches_.take_any_of(operation)) {
    forget_watch(std::move(one));
  }
}

operation_table::event session_engine::watch(std::uint64_t operation, wish::watch&& what, instant now) {
  const client::watch_id id =
      watches_.add(operation, what.as, what.path, what.on_children, connections_.servers().budget_of_watches());
  const ledger::entry as{0, operation, what.as, {.watch = true}};
  if (what.on_children) {
    send(as, request::list{std::move(what.path), id}, now);
  } else {
    send(as, request::get{std::move(what.path), id}, now);
  }
  if (id != client::no_watch) {
    return {};
  }
  return [as = what.as](class operation& it, out& wants) { it.watch_refused(as, wants); };
}

void session_engine::forget_watch(std::optional<watch_table::entry> gone) {
  if (gone && connections_.current() != nullptr) {
    using kind = client::connection::watch_kind;
    connections_.current()->forget(gone->path, gone->id, gone->on_children ? kind::children : kind::data);
  }
}

/// Everything that goes to ZooKeeper goes through here: so it is known which answer moves the deadline.
void session_engine::send(const ledger::entry& as, client::any_request&& what, instant now) {
  if (connections_.current() == nullptr) {
    return;
  }
  ledger::traits is = as.is;
  is.proves = asks_leader(what);
  const client::request_id id = ledger_.add(as.owner, as.as, is);
  if (is.proves) {
    heartbeat_.deadline().sent(id, kind_of(what), now);
  }
  connections_.current()->submit(id, std::move(what));
}

void session_engine::on_reply(std::uint64_t generation, client::request_id id, client::reply&& answer, instant now) {
  if (operations_.is_busy()) {
    inbox_.push_back({generation, id, std::move(answer)});
    return;
  }
  handle_reply(generation, id, std::move(answer), now);
  settle(now);
  go_on_closing(now);
}

/// In this order: what has to be heard before the deadline is moved, the deadline and what it loses, the operation.
void session_engine::handle_reply(std::uint64_t generation, client::request_id id, client::reply&& answer,
                                  instant now) {
  const auto asked = connections_.is_current(generation) ? ledger_.take(id) : std::nullopt;
  if (!asked) {
    return;  // of a session that is over
  }
  const client::code code = answer.code;
  const auto hear = [&](operation& it, out& wants) { it.reply(asked->as, std::move(answer), wants); };
  if (asked->is.first) {
    operations_.call(asked->owner, now, hear);
  }
  if (asked->is.proves) {
    prove(*asked, code, now);
  }
  if (asked->is.first || !connections_.is_current(generation)) {
    return;
  }
  if (asked->owner == 0) {
    heartbeat_.note_answer(code);
    return;
  }
  if (asked->is.quorum) {
    answer.code = heartbeat_.quorum_answer(code);
  }
  if (asked->is.watch && code != client::code::ok) {
    forget_watch(watches_.take_of(asked->owner, asked->as));
  }
  operations_.call(asked->owner, now, hear);
}

void session_engine::on_node_event(std::uint64_t generation, client::watch_id id, client::node_event event,
                                   instant now) {
  if (!connections_.is_current(generation)) {
    return;
  }
  if (const auto fired = watches_.take(id)) {
    operations_.call(fired->owner, now,
                     [&](operation& it, out& wants) { it.watch_fired(fired->as, event, wants); });
    settle(now);
  }
}

/// What came from within a call, then what is to be begun again.
void session_engine::settle(instant now) {
  while (!inbox_.empty() && !operations_.is_busy()) {
    late_reply next = std::move(inbox_.front());
    inbox_.pop_front();
    handle_reply(next.generation, next.id, std::move(next.answer), now);
  }
  operations_.begin_again([this] { return failure_of_session(); }, now);
}

}  // namespace zklock::engine
