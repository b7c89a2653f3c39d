#include "src/engine/wire.hpp"

#include <utility>
#include <variant>

namespace zklock::engine {
namespace {

namespace request = client::request;

/// What a server answers by itself says nothing of the leader.
bool asks_leader(const client::any_request& what) {
  return !std::holds_alternative<request::get>(what) && !std::holds_alternative<request::list>(what) &&
         !std::holds_alternative<request::exists>(what) && !std::holds_alternative<request::get_acl>(what);
}

recipes::local_deadline::request_kind kind_of(const client::any_request& what) {
  using kind = recipes::local_deadline::request_kind;
  return std::holds_alternative<request::sync>(what) ? kind::sync : kind::write;
}

}  // namespace

void wire::send(const ledger::entry& as, client::any_request&& what, instant now) {
  client::connection* const connection = connections_.current();
  if (connection == nullptr) {
    return;
  }
  ledger::traits is = as.is;
  is.proves = asks_leader(what);
  is.write = is.proves && kind_of(what) == recipes::request_kind::write;
  is.kind = static_cast<std::uint8_t>(what.index());
  const client::request_id id = ledger_.add(as.owner, as.as, is, now);
  if (is.proves) {
    deadline_.sent(id, kind_of(what), now);
  }
  connection->submit(id, std::move(what));
  spares_.keep(what);  // NOLINT(bugprone-use-after-move): what the connection has left of it
}

bool wire::watch(std::uint64_t owner, tag as, std::string path, watch_table::kind on, instant now) {
  using kind = watch_table::kind;
  const client::watch_id id = watches_.add(owner, as, path, on, connections_.servers().budget_of_watches());
  const ledger::entry kept{0, owner, as, {.watch = true, .exists = on == kind::exists}};
  switch (on) {
    case kind::data: send(kept, request::get{std::move(path), id}, now); break;
    case kind::exists: send(kept, request::exists{std::move(path), id}, now); break;
    case kind::children: send(kept, request::list{std::move(path), id}, now); break;
  }
  return id != client::no_watch;
}

void wire::forget_watch(std::uint64_t owner, tag as) {
  if (const auto gone = watches_.take_of(owner, as)) {
    forget(*gone);
  }
}

void wire::forget(std::uint64_t owner) {
  ledger_.owner_ended(owner);
  while (const auto gone = watches_.take_any_of(owner)) {
    forget(*gone);
  }
}

void wire::forget(const watch_table::entry& gone) {
  if (connections_.current() != nullptr) {
    connections_.current()->forget(gone.path, gone.id, gone.on);
  }
}

std::optional<ledger::entry> wire::answered(std::uint64_t generation, client::request_id id) {
  return connections_.is_current(generation) ? ledger_.take(id) : std::nullopt;
}

std::optional<watch_table::entry> wire::fired(std::uint64_t generation, client::watch_id id) {
  return connections_.is_current(generation) ? watches_.take(id) : std::nullopt;
}

void wire::clear() noexcept {
  ledger_.clear();
  watches_.clear();
}

}  // namespace zklock::engine
