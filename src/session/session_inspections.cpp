#include <utility>

#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"
#include "src/session/session_core.hpp"

namespace zklock::detail {

void session_core::inspect(std::shared_ptr<inspection> wanted, instant now) {
  if (wanted->abandoned) {
    refuse(wanted, errc::abandoned, client::code::ok);
    return;
  }
  begin_try(wanted, now);
  refuse_requests_of_no_use();
}

void session_core::abandon(const std::shared_ptr<inspection>& unwanted) {
  unwanted->abandoned = true;
  if (unwanted->number != 0) {
    refuse(unwanted, errc::abandoned, client::code::ok);
  }
}

/// At once if there is a connection, else as soon as there is one.
void session_core::begin_try(const std::shared_ptr<inspection>& one, instant now) {
  inspections_.renumber(one);
  one->reading.reset();
  one->pace.start_anew();
  if (connected_at_) {
    send_try(one, now);
  }
}

void session_core::send_try(const std::shared_ptr<inspection>& asked, instant now) {
  inspection& one = *asked;
  one.retry_at.reset();
  one.reading.emplace(one.sought);
  const std::string path = full(one.target->path);
  const std::uint64_t number = one.number;  // a dead handle answers at once, and then `one` has a new number already
  send(number, purpose::inspect_sync, client::request::sync{path}, true, now);
  if (one.reading && one.reading->wants_limit()) {
    send(number, purpose::inspect_limit, client::request::get{path, client::no_watch}, false, now);
  }
  list_further(one, now);
}

void session_core::list_further(inspection& one, instant now) {
  const std::uint64_t number = one.number;
  while (one.number == number && one.reading) {
    const auto below = one.reading->next_list();
    if (!below) {
      return;
    }
    const std::string path = full(one.target->path) + std::string(*below);
    send(number, purpose::inspect_list, client::request::list{path, client::no_watch}, false, now);
  }
}

void session_core::on_inspection_reply(const pending_request& asked, client::reply&& answer, instant now) {
  const std::shared_ptr<inspection> one = inspections_.find(asked.contender);
  if (one == nullptr || !one->reading) {
    return;
  }
  switch (asked.what) {
    case purpose::inspect_sync: one->reading->synced(answer.code); break;
    case purpose::inspect_limit: one->reading->limit_read(answer); break;
    case purpose::inspect_list: one->reading->listed(std::move(answer)); break;
    default: one->reading->looked(asked.place, answer); break;
  }
  go_on_reading(one, now);
}

void session_core::go_on_reading(const std::shared_ptr<inspection>& one, instant now) {
  queue_reading& reading = *one->reading;
  switch (reading.now()) {
    case queue_reading::state::under_way:
      list_further(*one, now);
      look_further(*one, now);
      break;
    case queue_reading::state::complete:
      inspections_.end(*one);
      one->permits = reading.limit();
      one->seen(reading.take(session_id_));
      break;
    case queue_reading::state::refused: refuse(one, error_of(reading.failure()), reading.failure()); break;
    case queue_reading::state::interrupted: read_later(one, now); break;
  }
}

void session_core::look_further(inspection& one, instant now) {
  const std::uint64_t number = one.number;
  while (one.number == number && one.reading) {
    const auto next = one.reading->next_look();
    if (!next) {
      return;
    }
    const std::string path = full(one.target->path) + "/" + one.reading->name(next->place);
    client::any_request what = client::request::get{path, client::no_watch};
    if (!next->whole) {
      what = client::request::exists{path, client::no_watch};
    }
    send(number, purpose::inspect_node, std::move(what), false, now, next->place);
  }
}

/// A request has failed although there may be a connection (a throttled one, or a failure that came late).
void session_core::read_later(const std::shared_ptr<inspection>& one, instant now) {
  inspections_.renumber(one, one->pace.next_try(now, deadline_.timeout()));
  one->reading.reset();
}

void session_core::refuse(const std::shared_ptr<inspection>& one, std::error_code why, client::code answer) {
  inspections_.end(*one);
  one->refused(why, answer);
}

}  // namespace zklock::detail
