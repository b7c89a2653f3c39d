#include "tests/sim/port_transcript.hpp"

#include <algorithm>
#include <variant>

namespace zklock::sim {

using entry = transcript::entry;

// ---- what the core asks ---------------------------------------------------------------------------------------------

void port_transcript::opened(const client::parameters& with) {
  to_.note(entry::connection_opened, client_, connection_, with.timeout.count());
}

void port_transcript::closed() { to_.note(entry::connection_closed, client_, connection_); }

void port_transcript::requested(client::request_id id, const client::any_request& what) {
  unanswered_.push_back({id, ++requests_});
  to_.note(entry::requested, client_, connection_, what.index());
  std::visit([this](const auto& one) { add(one); }, what);
}

void port_transcript::forgotten(std::string_view path, client::watch_id id, client::connection::watch_kind kind) {
  const std::uint64_t stood = take(id);
  to_.note(entry::watch_forgotten, client_, connection_, to_.number_of_path(path), kind, stood);
}

void port_transcript::add(const client::request::create& what) {
  to_.add(to_.number_of_path(what.path));
  to_.add(what.data);
  to_.add(what.mode);
  for (const client::acl_entry& one : what.acl) {
    to_.add(one.permissions);
    to_.add(one.scheme);
    to_.add(one.id);
  }
}

void port_transcript::add(const client::request::set& what) {
  to_.add(to_.number_of_path(what.path));
  to_.add(what.data);
  to_.add(what.version);
}

void port_transcript::add(const client::request::remove& what) {
  to_.add(to_.number_of_path(what.path));
  to_.add(what.version);
}

void port_transcript::add(const client::request::check& what) {
  to_.add(to_.number_of_path(what.path));
  to_.add(what.version);
}

void port_transcript::add(const client::request::sync& what) { to_.add(to_.number_of_path(what.path)); }

void port_transcript::add(const client::request::multi& what) {
  to_.add(what.operations.size());
  for (const client::request::operation& one : what.operations) {
    to_.add(one.index());
    std::visit([this](const auto& each) { add(each); }, one);
  }
}

void port_transcript::add_reading(std::string_view path, client::watch_id watch) {
  const std::uint64_t number = to_.number_of_path(path);
  to_.add(number);
  to_.add(watch != client::no_watch);
  if (watch != client::no_watch) {
    take(watch);
    watches_.push_back({watch, number});
  }
}

std::uint64_t port_transcript::take(client::watch_id id) {
  const auto found =
      std::find_if(watches_.begin(), watches_.end(), [id](const set_watch& one) { return one.id == id; });
  if (found == watches_.end()) {
    return 0;
  }
  const std::uint64_t path = found->path;
  watches_.erase(found);
  return path;
}

// ---- what it is told ------------------------------------------------------------------------------------------------

/// What a reading has found follows from the requests before it: its size is enough.
void port_transcript::answered(client::request_id id, const client::reply_view& answer) {
  const auto asked =
      std::find_if(unanswered_.begin(), unanswered_.end(), [id](const pending& one) { return one.id == id; });
  const std::uint64_t place = asked == unanswered_.end() ? 0 : asked->place;
  if (asked != unanswered_.end()) {
    unanswered_.erase(asked);
  }
  to_.note(entry::answered, client_, connection_, place, answer.code, to_.number_of_path(answer.name),
           answer.data.size(), answer.children.size(), answer.stat.czxid, answer.stat.mzxid, answer.stat.version);
  for (const client::part_result& part : answer.parts) {
    to_.add(part.code);
    to_.add(to_.number_of_path(part.name));
  }
}

void port_transcript::node_event(client::watch_id id, client::node_event event) {
  to_.note(entry::node_event, client_, connection_, take(id), event);
}

void port_transcript::session_event(const client::session_event& event) {
  to_.note(entry::session_event, client_, connection_, event.state, event.session_id, event.timeout.count());
}

void port_transcript::closing_answered(bool confirmed) {
  to_.note(entry::closing_answered, client_, connection_, confirmed);
}

}  // namespace zklock::sim
