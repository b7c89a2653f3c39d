#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"
#include "src/session/session_core.hpp"

namespace zklock::detail {
namespace {

using recipes::limit_action;

}  // namespace

void session_core::ask_limit(std::shared_ptr<limit_request> wanted, instant now) {
  if (wanted->abandoned) {
    refuse(wanted, errc::abandoned, client::code::ok);
    return;
  }
  begin_try(wanted, now);
  refuse_requests_of_no_use();
}

void session_core::abandon(const std::shared_ptr<limit_request>& unwanted) {
  unwanted->abandoned = true;
  if (unwanted->number != 0) {
    refuse(unwanted, errc::abandoned, client::code::ok);
  }
}

/// At once if there is a connection, else as soon as there is one.
void session_core::begin_try(const std::shared_ptr<limit_request>& one, instant now) {
  limit_requests_.renumber(one);
  one->pace.start_anew();
  if (connected_at_) {
    send_try(one, now);
  }
}

void session_core::send_try(const std::shared_ptr<limit_request>& one, instant now) {
  perform(one, one->machine.begin(), now);
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
    case limit_action::keep_and_store: create_limit_keeper(path, one->target->acl, now); [[fallthrough]];
    case limit_action::store:
      send(number, purpose::limit_store, client::request::set{path, one->machine.data(), one->machine.version()}, true,
           now);
      break;
    case limit_action::make_lock_node:
      send_creates(number, purpose::limit_make, {path, one->machine.data(), true, one->target->acl}, one->making, now);
      break;
    case limit_action::begin_later: limit_requests_.renumber(one, one->pace.next_try(now, deadline_.timeout())); break;
    case limit_action::finish: finish(one); break;
  }
}

/// Ahead of the limit, so that there is never a limit without it. The lock node's user waits for the limit alone.
void session_core::create_limit_keeper(const std::string& lock_node, const client::acl& acl, instant now) {
  constexpr const char* says = "without a child a container is removed, and this semaphore's limit with it";
  send(0, purpose::keep_limit,
       client::request::create{lock_node + "/" + std::string(recipes::limit_keeper), says,
                               client::create_mode::persistent, acl},
       true, now);
}

void session_core::on_limit_kept(client::code answer) {
  using client::code;
  const bool matters = recipes::answered_by_server(answer) && answer != code::ok && answer != code::node_exists &&
                       answer != code::no_node;
  if (matters) {  // else it is there, or the limit has not been stored either
    world_.log(environment::severity::warning,
               "a semaphore's limit may be forgotten when nobody uses it: " + std::string(recipes::name(answer)));
  }
}

void session_core::on_limit_reply(const pending_request& asked, client::reply&& answer, instant now) {
  const std::shared_ptr<limit_request> one = limit_requests_.find(asked.contender);
  if (one == nullptr) {
    return;
  }
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

/// It ends before its time. What was written without an answer may be there all the same.
void session_core::refuse(const std::shared_ptr<limit_request>& one, std::error_code why, client::code answer) {
  limit_requests_.end(*one);
  one->answered({one->machine.may_have_applied() ? make_error_code(errc::outcome_unknown) : why, answer, 0, 0});
}

void session_core::finish(const std::shared_ptr<limit_request>& one) {
  limit_requests_.end(*one);
  const recipes::limit_change& machine = one->machine;
  const client::code answer = machine.refused_with();
  one->answered({error_of(machine.why_refused(), answer), answer, machine.limit(), one->as_of});
}

}  // namespace zklock::detail
