#include <utility>

#include "src/session/session_core.hpp"

namespace zklock::detail {
namespace {

namespace event = recipes::event;

}  // namespace

/// Whether it holds its lock, or will: a part whose multi-lock waits for others, a grant that waits for the deadline.
bool session_core::is_granted(const contender_shell& shell) noexcept {
  return shell.machine.now() == recipes::contender::state::granted;
}

client::watch_id session_core::new_watch(std::uint64_t number, contender_shell& shell, watched what,
                                         const std::string& path) {
  const client::watch_budget budget = servers_->budget_of_watches();
  if (watched_bytes_ + budget.cost_of(path) > budget.bytes) {
    shell.over_budget = !is_granted(shell);  // a holder is asked for from time to time
    return client::no_watch;
  }
  watched_bytes_ += budget.cost_of(path);
  const client::watch_id id = ++last_watch_;
  watches_.emplace(id, watch_entry{number, what, path});
  return id;
}

void session_core::watch(std::uint64_t number, contender_shell& shell, watched what, instant now) {
  const std::string path = watched_path(shell, what);
  const client::watch_id id = watch_of(shell, what) = new_watch(number, shell, what, path);
  switch (what) {
    case watched::own: send(number, purpose::watch_own, client::request::get{path, id}, now); break;
    case watched::predecessor:
      send(number, purpose::watch_predecessor, client::request::get{path, id}, now);
      break;
    case watched::limit: send(number, purpose::watch_limit, client::request::get{path, id}, now); break;
    case watched::children: send(number, purpose::watch_children, client::request::list{path, id}, now); break;
  }
}

client::watch_id& session_core::watch_of(contender_shell& shell, watched what) noexcept {
  switch (what) {
    case watched::own: return shell.own_watch;
    case watched::predecessor: return shell.predecessor_watch;
    case watched::limit: return shell.limit_watch;
    case watched::children: break;
  }
  return shell.children_watch;
}

std::string session_core::watched_path(const contender_shell& shell, watched what) const {
  switch (what) {
    case watched::own: return node_path(shell, shell.machine.own());
    case watched::predecessor: return node_path(shell, shell.machine.predecessor());
    case watched::limit:
    case watched::children: break;
  }
  return lock_node(shell);
}

void session_core::forget_watches(contender_shell& shell) {
  for (const watched what : {watched::own, watched::predecessor, watched::limit, watched::children}) {
    forget(watch_of(shell, what));
  }
}

void session_core::forget(client::watch_id& watch) {
  const auto found = watches_.find(std::exchange(watch, client::no_watch));
  if (found == watches_.end()) {
    return;
  }
  if (connection_) {
    using kind = client::connection::watch_kind;
    connection_->forget(found->second.path, found->first,
                        found->second.what == watched::children ? kind::children : kind::data);
  }
  watched_bytes_ -= servers_->budget_of_watches().cost_of(found->second.path);
  watches_.erase(found);
}

void session_core::on_node_event(std::uint64_t generation, client::watch_id id, client::node_event what, instant now) {
  const auto found = watches_.find(id);
  if (generation != generation_ || found == watches_.end()) {
    return;
  }
  const watch_entry entry = std::move(found->second);
  watched_bytes_ -= servers_->budget_of_watches().cost_of(entry.path);
  watches_.erase(found);
  const auto owner = contenders_.find(entry.contender);
  if (owner == contenders_.end()) {
    return;
  }
  contender_shell& shell = owner->second;
  const std::uint64_t number = entry.contender;
  watch_of(shell, entry.what) = client::no_watch;
  const bool gone = what == client::node_event::deleted;
  switch (entry.what) {
    case watched::own: {
      const bool holding = is_granted(shell);
      gone ? tell(number, event::own_gone{}, now) : tell(number, event::own_changed{}, now);
      if (!gone && holding) {
        watch_soon(number, now);
      }
      break;
    }
    case watched::predecessor:
      gone ? tell(number, event::predecessor_gone{}, now) : tell(number, event::predecessor_changed{}, now);
      break;
    case watched::limit: tell(number, event::limit_changed{}, now); break;
    case watched::children: tell(number, event::children_changed{}, now); break;
  }
  settle(now);
}

}  // namespace zklock::detail
