#include <utility>

#include "src/session/session_core.hpp"

namespace zklock::detail {
namespace {

namespace event = recipes::event;

/// SetWatches after a reconnect carries every watched path in one packet, and a server cuts the connection above 1 MB.
constexpr std::size_t watched_bytes_max = 900'000;
constexpr std::size_t bytes_per_watch = 8;

}  // namespace

client::watch_id session_core::new_watch(std::uint64_t number, contender_shell& shell, bool own,
                                         const std::string& path) {
  if (watched_bytes_ + path.size() + bytes_per_watch > watched_bytes_max) {
    shell.over_budget = shell.wanted != nullptr;  // a holder is asked for from time to time instead
    return client::no_watch;
  }
  watched_bytes_ += path.size() + bytes_per_watch;
  const client::watch_id id = ++last_watch_;
  watches_.emplace(id, watch_entry{number, own, path});
  return id;
}

void session_core::watch_own(std::uint64_t number, contender_shell& shell, instant now) {
  const std::string path = node_path(shell, shell.machine.own());
  shell.own_watch = new_watch(number, shell, true, path);
  send(number, purpose::watch_own, client::request::get{path, shell.own_watch}, false, now);
}

void session_core::watch_predecessor(std::uint64_t number, contender_shell& shell, instant now) {
  const std::string path = node_path(shell, shell.machine.predecessor());
  shell.predecessor_watch = new_watch(number, shell, false, path);
  send(number, purpose::watch_predecessor, client::request::get{path, shell.predecessor_watch}, false, now);
}

void session_core::forget(client::watch_id& watch) {
  const auto found = watches_.find(std::exchange(watch, client::no_watch));
  if (found == watches_.end()) {
    return;
  }
  if (connection_) {
    connection_->forget(found->second.path, found->first, client::connection::watch_kind::data);
  }
  watched_bytes_ -= found->second.path.size() + bytes_per_watch;
  watches_.erase(found);
}

void session_core::on_node_event(std::uint64_t generation, client::watch_id id, client::node_event what, instant now) {
  note_awake(now);
  const auto found = watches_.find(id);
  if (generation != generation_ || found == watches_.end()) {
    return;
  }
  const watch_entry entry = std::move(found->second);
  watched_bytes_ -= entry.path.size() + bytes_per_watch;
  watches_.erase(found);
  const auto owner = contenders_.find(entry.contender);
  if (owner == contenders_.end()) {
    return;
  }
  contender_shell& shell = owner->second;
  const bool gone = what == client::node_event::deleted;
  if (entry.own) {
    shell.own_watch = client::no_watch;
    const bool holding = shell.proof != nullptr;
    gone ? tell(entry.contender, event::own_gone{}, now) : tell(entry.contender, event::own_changed{}, now);
    if (!gone && holding) {
      watch_soon(entry.contender, now);
    }
  } else {
    shell.predecessor_watch = client::no_watch;
    gone ? tell(entry.contender, event::predecessor_gone{}, now)
         : tell(entry.contender, event::predecessor_changed{}, now);
  }
  begin_again(now);
}

}  // namespace zklock::detail
