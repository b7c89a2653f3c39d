#include <algorithm>
#include <utility>

#include <zklock/error.hpp>

#include "src/session/error_of.hpp"
#include "src/session/session_core.hpp"

namespace zklock::detail {
namespace {

using recipes::limit_action;

constexpr std::chrono::nanoseconds retry_delay = std::chrono::milliseconds(20);

}  // namespace

void session_core::ask_limit(std::shared_ptr<limit_request> wanted, instant now) {
  note_awake(now);
  begin_limit_request(std::move(wanted), now);
  refuse_limit_requests_of_no_use();
}

void session_core::abandon(const std::shared_ptr<limit_request>& unwanted, instant now) {
  note_awake(now);
  if (unwanted->number != 0) {
    refuse(unwanted, errc::abandoned, client::code::ok);
  }
}

void session_core::renumber(const std::shared_ptr<limit_request>& one) {
  limit_requests_.erase(one->number);
  one->number = ++last_limit_request_;
  one->retry_at.reset();
  limit_requests_.emplace(one->number, one);
}

/// At once if there is a connection, else as soon as there is one.
void session_core::begin_limit_request(std::shared_ptr<limit_request> one, instant now) {
  renumber(one);
  if (connected_at_) {
    perform(one, one->machine.begin(), now);
  }
}

void session_core::perform(const std::shared_ptr<limit_request>& one, limit_action what, instant now) {
  const std::string path = full(one->target->path);
  const std::uint64_t number = one->number;
  switch (what) {
    case limit_action::none: break;
    case limit_action::look:
      one->retry_at.reset();
      send(number, purpose::limit_sync, client::request::sync{path}, true, now);
      send(number, purpose::limit_read, client::request::get{path, client::no_watch}, false, now);
      if (one->machine.changes()) {  // behind the data: whoever comes after this list goes by them, or by later ones
        send(number, purpose::limit_list, client::request::list{path, client::no_watch}, false, now);
      }
      break;
    case limit_action::store:
      send(number, purpose::limit_store, client::request::set{path, one->machine.data(), one->machine.version()}, true,
           now);
      break;
    case limit_action::make_lock_node:
      send_creates(number, purpose::limit_make, {path, one->machine.data(), true, one->target->acl}, one->making, now);
      break;
    case limit_action::begin_later:
      renumber(one);
      one->retry_at = now + retry_delay;
      break;
    case limit_action::finish: finish(one); break;
  }
}

void session_core::on_limit_reply(const pending_request& asked, client::reply&& answer, instant now) {
  const auto found = limit_requests_.find(asked.contender);
  if (found == limit_requests_.end()) {
    return;
  }
  const std::shared_ptr<limit_request> one = found->second;
  recipes::limit_change& machine = one->machine;
  switch (asked.what) {
    case purpose::limit_sync: perform(one, machine.synced(answer.code), now); break;
    case purpose::limit_read:
      one->as_of = answer.stat.mzxid;
      perform(one, machine.read(answer.code, answer.data, answer.stat.version), now);
      break;
    case purpose::limit_list: perform(one, machine.listed(answer.code, answer.children), now); break;
    case purpose::limit_store:
      one->as_of = answer.stat.mzxid;
      perform(one, machine.stored(answer.code), now);
      break;
    default:
      if (note_created(one->making, answer.code)) {
        one->as_of = answer.stat.czxid;
        perform(one, machine.made(one->making.result(), one->making.without_root()), now);
      }
      break;
  }
}

/// The connection is gone, or there is a new one: what is under way belongs to another one.
void session_core::begin_all_limit_requests(instant now) {
  const auto before = std::exchange(limit_requests_, {});
  for (const auto& [number, one] : before) {
    begin_limit_request(one, now);
  }
}

/// They are of use as long as there may be a session within their limits.
void session_core::refuse_limit_requests_of_no_use() {
  const auto over = failure_of_session();
  while (over && !limit_requests_.empty()) {
    refuse(std::shared_ptr(limit_requests_.begin()->second), over->ec, over->answer);
  }
}

/// It ends before its time. What was written without an answer may be there all the same.
void session_core::refuse(const std::shared_ptr<limit_request>& one, std::error_code why, client::code answer) {
  limit_requests_.erase(std::exchange(one->number, 0));
  one->answered({one->machine.may_have_applied() ? make_error_code(errc::outcome_unknown) : why, answer, 0, 0});
}

void session_core::finish(const std::shared_ptr<limit_request>& one) {
  limit_requests_.erase(std::exchange(one->number, 0));
  const recipes::limit_change& machine = one->machine;
  const client::code answer = machine.refused_with();
  one->answered({error_of(machine.why_refused(), answer), answer, machine.limit(), one->as_of});
}

void session_core::fire_limit_timers(instant now) {
  const auto all = limit_requests_;
  for (const auto& [number, one] : all) {
    if (one->number != number) {
      continue;  // answered meanwhile
    }
    if (one->until <= now) {
      refuse(one, errc::not_connected, client::code::ok);
    } else if (one->retry_at && *one->retry_at <= now && connected_at_) {
      perform(one, one->machine.begin(), now);
    }
  }
}

std::optional<instant> session_core::limit_request_due() const {
  std::optional<instant> first;
  for (const auto& [number, one] : limit_requests_) {
    const instant due = one->retry_at && connected_at_ ? std::min(*one->retry_at, one->until) : one->until;
    first = first ? std::min(*first, due) : due;
  }
  return first;
}

}  // namespace zklock::detail
