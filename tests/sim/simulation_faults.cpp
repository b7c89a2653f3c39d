// How troubles strike, last and end.
#include <algorithm>
#include <cstdio>

#include "tests/sim/simulation.hpp"

namespace zklock::sim {
namespace {

using testing::fault_kind;

/// The model's own fault, where there is one.
std::optional<fault_kind> in_model(trouble_kind kind) {
  switch (kind) {
    case trouble_kind::request_lost: return fault_kind::request_lost;
    case trouble_kind::request_applied: return fault_kind::request_reply_lost;
    case trouble_kind::request_throttled: return fault_kind::request_throttled;
    case trouble_kind::reply_lost: return fault_kind::reply_lost;
    case trouble_kind::connection_cut:
    case trouble_kind::connection_refused: return fault_kind::connection_cut;
    case trouble_kind::session_expired: return fault_kind::session_expired;
    case trouble_kind::session_replaced: return fault_kind::session_replaced;
    case trouble_kind::lock_node_reaped: return fault_kind::containers_reaped;
    case trouble_kind::server_restarted: return fault_kind::server_restarted;
    case trouble_kind::server_silent:
    case trouble_kind::server_silent_briefly:
    case trouble_kind::server_stood_still: return fault_kind::server_stopped;
    case trouble_kind::uplink_lost:
    case trouble_kind::uplink_slow:
    case trouble_kind::link_slow: return fault_kind::uplink_held;
    case trouble_kind::downlink_lost:
    case trouble_kind::downlink_slow: return fault_kind::downlink_held;
    case trouble_kind::follower_cut: return fault_kind::follower_cut;
    case trouble_kind::leader_killed: return fault_kind::leader_killed;
    case trouble_kind::timeout_lowered: return fault_kind::timeout_lowered;
    case trouble_kind::timeout_raised: return fault_kind::timeout_raised;
    case trouble_kind::to_leader_slow:
    case trouble_kind::follower_slow: return fault_kind::follower_unheard;
    case trouble_kind::from_leader_slow: return fault_kind::follower_lagging;
    case trouble_kind::follower_killed: return fault_kind::follower_killed;
    case trouble_kind::leader_deposed: return fault_kind::leader_deposed;
    case trouble_kind::leader_pings_late: return fault_kind::leader_ping_late;
    default: return std::nullopt;
  }
}

/// How long it lasts, in twelfths of a session timeout; 0: not at all.
int twelfths(trouble_kind kind) {
  switch (kind) {
    case trouble_kind::connection_refused: return 4;
    case trouble_kind::server_silent_briefly: return 1;
    case trouble_kind::server_silent:
    case trouble_kind::uplink_lost:
    case trouble_kind::downlink_lost:
    case trouble_kind::client_stopped:
    case trouble_kind::follower_cut:
    case trouble_kind::leader_killed:
    case trouble_kind::timeout_lowered:
    case trouble_kind::timeout_raised:
    case trouble_kind::follower_killed:
    case trouble_kind::servers_down:
    case trouble_kind::leader_deposed: return 24;
    case trouble_kind::follower_lagging: return 3;
    default: return is_slowness(kind) ? 8 : 0;
  }
}

/// As Curator's names have it.
std::string with_dashes(std::string id) {
  for (const std::size_t place : {8U, 13U, 18U, 23U}) {
    id.insert(place, "-");
  }
  return id;
}

}  // namespace

const testing::fault* simulation::model_fault(const trouble& what) const {
  const std::optional<fault_kind> kind = in_model(what.kind);
  if (!kind) {
    return nullptr;
  }
  faults_buffer_ = servers_.faults();
  const auto found = std::find_if(faults_buffer_.begin(), faults_buffer_.end(), [&](const testing::fault& one) {
    if (one.kind != *kind) {
      return false;
    }
    if (what.kind == trouble_kind::lock_node_reaped || hits_leader(what.kind)) {
      return true;
    }
    return hits_client(what.kind) ? one.client == what.target : one.server == what.target;
  });
  return found == faults_buffer_.end() ? nullptr : &*found;
}

bool simulation::may_strike(const trouble& what) const {
  if (in_model(what.kind)) {
    return model_fault(what) != nullptr;
  }
  const auto target = static_cast<std::size_t>(what.target);
  switch (what.kind) {
    case trouble_kind::node_removed: return !node_of(what.target).empty();
    case trouble_kind::lock_node_removed: return !servers_.children(lock_nodes_.front().path).empty();
    case trouble_kind::client_stopped:
    case trouble_kind::client_crashed:
      return programs_[target]->running() && !programs_[target]->stopped() && !programs_[target]->is_guest();
    case trouble_kind::data_lost:
    case trouble_kind::servers_down: return true;
    case trouble_kind::time_passes: return next_timer().has_value();
    case trouble_kind::follower_lagging:
    case trouble_kind::revalidation_late: return plays_.servers > 1 && servers_.leader() >= 0;
    default: return false;
  }
}

/// By the ids alone: what the client itself knows of its node makes no difference to an operator.
std::string simulation::node_of(int client) const {
  const std::vector<std::string>& ids = programs_[static_cast<std::size_t>(client)]->ids();
  for (const lock_node& parent : lock_nodes_) {
    for (const testing::ensemble::child& child : servers_.children(parent.path)) {
      if (std::find(ids.begin(), ids.end(), id_in(child.name)) != ids.end()) {
        return parent.path + "/" + child.name;
      }
    }
  }
  return is_about_a_value(plays_) && servers_.exists(followed_path) ? std::string(followed_path) : std::string();
}

bool simulation::strike(const trouble& what) {
  if (!may_strike(what)) {
    return false;
  }
  if (lines_ != nullptr) {
    write("FAULT " + std::string(name(what.kind)) + (hits_client(what.kind) ? " (c" : " (s") +
          std::to_string(what.target) + ")");
  }
  struck_ = true;
  checkers_.seen().note(transcript::entry::fault, what.target, what.kind, what.lasts);
  const int leader = servers_.leader();
  last_trouble_ = now();
  checkers_.forced(what.kind == trouble_kind::session_expired || what.kind == trouble_kind::session_replaced ||
                   what.kind == trouble_kind::node_removed || what.kind == trouble_kind::lock_node_removed ||
                   what.kind == trouble_kind::data_lost);
  const auto target = static_cast<std::size_t>(what.target);
  switch (what.kind) {
    case trouble_kind::node_removed: servers_.administrator().remove_node(node_of(what.target)); break;
    case trouble_kind::lock_node_removed: {
      const std::string lock = lock_nodes_.front().path;
      for (const testing::ensemble::child& child : servers_.children(lock)) {
        servers_.administrator().remove_node(lock + "/" + child.name);
        checkers_.leaders().nodes_may_have_changed(servers_);  // the next one was first for a moment
      }
      servers_.administrator().remove_node(lock);
      break;
    }
    case trouble_kind::data_lost:
      servers_.control().lose_data();
      checkers_.history_lost();
      break;
    case trouble_kind::servers_down:
      for (int s = 0; s < plays_.servers; ++s) {
        servers_.control().kill_server(s);
      }
      break;
    case trouble_kind::client_stopped:
      programs_[target]->stop(true);
      checkers_.stopped(what.target);
      for (const program* const guest : programs_[target]->guests()) {
        checkers_.stopped(guest->number());
      }
      break;
    case trouble_kind::client_crashed: programs_[target]->crash(); break;
    case trouble_kind::time_passes: advance_to(*next_timer()); break;
    case trouble_kind::follower_lagging:
      for (int s = 0; s < plays_.servers; ++s) {
        if (s != servers_.leader()) {
          servers_.control().lag_follower(s);
        }
      }
      servers_.network().cut(what.target);
      break;
    case trouble_kind::revalidation_late:
      for (int s = 0; s < plays_.servers; ++s) {
        servers_.control().hold_from_leader(s, true);
      }
      servers_.network().cut(what.target);
      break;
    case trouble_kind::connection_refused: servers_.network().refuse(what.target, true); [[fallthrough]];
    default: servers_.apply(*model_fault(what)); break;
  }
  strike_further(what);
  checkers_.nodes_may_have_changed(servers_);
  checkers_.forced(false);
  if (const instant length = length_of(what); length > instant{0}) {
    lasting_.push_back({what, now() + length, hits_leader(what.kind) ? leader : what.target});
    if (what.kind == trouble_kind::revalidation_late) {
      strike_later({trouble_kind::connection_cut, what.target}, now() + length / 2);
    }
  }
  return true;
}

instant simulation::length_of(const trouble& what) const {
  return what.lasts > instant{0} ? what.lasts : instant(plays_.session_timeout) * twelfths(what.kind) / 12;
}

/// What the model's fault alone does not do.
void simulation::strike_further(const trouble& what) {
  switch (what.kind) {
    case trouble_kind::link_slow: servers_.network().hold_replies(what.target, true); break;
    case trouble_kind::follower_slow: servers_.control().hold_from_leader(what.target, true); break;
    case trouble_kind::timeout_lowered:
    case trouble_kind::timeout_raised: servers_.network().cut(what.target); break;
    default: break;
  }
}

void simulation::strike_later(const trouble& what, instant when) { later_.push_back({what, when, what.target}); }

void simulation::heal_due() {
  for (std::size_t i = 0; i < lasting_.size();) {
    if (lasting_[i].until > now()) {
      ++i;
      continue;
    }
    const lasting ended = lasting_[i];
    lasting_.erase(lasting_.begin() + static_cast<std::ptrdiff_t>(i));
    undo(ended);
  }
}

void simulation::strike_due() {
  for (std::size_t i = 0; i < later_.size();) {
    if (later_[i].until > now()) {
      ++i;
      continue;
    }
    const trouble due = later_[i].what;
    later_.erase(later_.begin() + static_cast<std::ptrdiff_t>(i));
    strike(due);
  }
}

void simulation::heal() {
  while (!lasting_.empty()) {
    const lasting ended = lasting_.back();
    lasting_.pop_back();
    undo(ended);
  }
  later_.clear();
  allowed_ = {};
}

void simulation::undo(const lasting& ended) {
  const trouble& what = ended.what;
  last_trouble_ = now();
  if (lines_ != nullptr) {
    write("HEALED " + std::string(name(what.kind)));
  }
  switch (what.kind) {
    case trouble_kind::connection_refused: servers_.network().refuse(what.target, false); break;
    case trouble_kind::server_silent:
    case trouble_kind::server_silent_briefly:
    case trouble_kind::server_stood_still: servers_.control().continue_server(what.target); break;
    case trouble_kind::uplink_lost:
    case trouble_kind::downlink_lost:
    case trouble_kind::link_slow: servers_.network().hold(what.target, false, false); break;
    case trouble_kind::uplink_slow: servers_.network().hold_requests(what.target, false); break;
    case trouble_kind::downlink_slow: servers_.network().hold_replies(what.target, false); break;
    case trouble_kind::timeout_lowered:
    case trouble_kind::timeout_raised: {
      const testing::ensemble::config usual;
      servers_.administrator().bound_timeouts(usual.session_timeout_min, usual.session_timeout_max);
      break;
    }
    case trouble_kind::revalidation_late:
      for (int s = 0; s < plays_.servers; ++s) {
        servers_.control().hold_from_leader(s, false);
      }
      break;
    case trouble_kind::to_leader_slow: servers_.control().hold_to_leader(what.target, false); break;
    case trouble_kind::from_leader_slow: servers_.control().hold_from_leader(what.target, false); break;
    case trouble_kind::follower_slow:
      servers_.control().hold_to_leader(what.target, false);
      servers_.control().hold_from_leader(what.target, false);
      break;
    case trouble_kind::leader_deposed: servers_.control().join_follower(ended.target); break;
    case trouble_kind::follower_killed: servers_.control().start_server(what.target); break;
    case trouble_kind::client_stopped:
      programs_[static_cast<std::size_t>(what.target)]->stop(false);
      checkers_.continued(what.target, now());
      for (const program* const guest : programs_[static_cast<std::size_t>(what.target)]->guests()) {
        checkers_.continued(guest->number(), now());
      }
      break;
    case trouble_kind::follower_cut:
    case trouble_kind::follower_lagging:
      for (int s = 0; s < plays_.servers; ++s) {
        servers_.control().join_follower(s);
      }
      break;
    case trouble_kind::leader_killed:
    case trouble_kind::servers_down:
      for (int s = 0; s < plays_.servers; ++s) {
        servers_.control().start_server(s);
      }
      break;
    default: break;
  }
  checkers_.nodes_may_have_changed(servers_);
}

// ---- the timeline ---------------------------------------------------------------------------------------------------

void simulation::write_timeline(std::vector<std::string>* lines) {
  lines_ = lines;
  for (const auto& one : programs_) {
    one->keep_notes(lines != nullptr);
  }
}

void simulation::write(const std::string& line) {
  std::string text = line;
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    const std::vector<std::string>& ids = programs_[i]->ids();
    for (std::size_t k = 0; k < ids.size(); ++k) {
      for (const std::string& id : {ids[k], with_dashes(ids[k])}) {
        for (std::size_t at = text.find(id); at != std::string::npos; at = text.find(id, at)) {
          text.replace(at, id.size(), "c" + std::to_string(i) + "#" + std::to_string(k + 1));
        }
      }
    }
  }
  char time[32];
  std::snprintf(time, sizeof time, "%9.1f ms  ", static_cast<double>(now().count()) / 1e6);
  lines_->push_back(time + text);
}

std::string simulation::describe(const choice& what) const {
  const std::string client = "c" + std::to_string(what.client);
  switch (what.what) {
    case choice::kind::model: return servers_.describe(what.step);
    case choice::kind::timer: return client + " timer";
    case choice::kind::act:
      return client + " " +
             std::string(name(is_java(what.client) ? java(what.client).next_action()
                                                   : programs_[static_cast<std::size_t>(what.client)]->next_action()));
    case choice::kind::limit: return client + " its limit has come";
    case choice::kind::time: return "time passes";
    case choice::kind::fault: break;  // strike() writes it
  }
  return "?";
}

}  // namespace zklock::sim
