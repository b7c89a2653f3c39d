#include "src/testing/administration.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "src/port/request_check.hpp"
#include "src/testing/leadership.hpp"
#include "src/testing/world.hpp"

namespace zklock::testing {

bool administration::create_node(std::string_view path, std::string_view data, bool container) {
  const data_tree& tree = w_.servers.nodes();
  if (!client::valid_path(path) || tree.find(path) != nullptr || tree.find(parent_of(path)) == nullptr) return false;
  if (!w_.servers.has_leader()) return false;
  leadership(w_).change_nodes({change{change::kind::create, std::string(path), std::string(data), {}, 0, container}});
  return true;
}

bool administration::set_data(std::string_view path, std::string_view data) {
  if (w_.servers.nodes().find(path) == nullptr || !w_.servers.has_leader()) return false;
  leadership(w_).change_nodes({change{change::kind::set, std::string(path), std::string(data), {}, 0, false}});
  return true;
}

bool administration::remove_node(std::string_view path) {
  const tree_node* node = w_.servers.nodes().find(path);
  if (node == nullptr || path == "/" || !node->children.empty() || !w_.servers.has_leader()) return false;
  leadership(w_).change_nodes({change{change::kind::remove, std::string(path), {}, {}, 0, false}});
  return true;
}

int administration::reap_containers() {
  if (!w_.servers.has_quorum()) return 0;
  std::vector<change> gone = w_.servers.nodes().plan_reaping();
  const int count = static_cast<int>(gone.size());
  leadership(w_).change_nodes(std::move(gone));
  return count;
}

void administration::set_sequence_counter(std::string_view path, std::int32_t next) {
  for (server& s : w_.servers) s.nodes.nodes().set_sequence_counter(path, next);
}

void administration::expire(std::int64_t session) { leadership(w_).expire(session); }

template <class Wanted>
void administration::expire_if(Wanted wanted) {
  std::vector<std::int64_t> chosen;
  for (const auto& [id, session] : w_.sessions.all()) {
    if (wanted(session)) chosen.push_back(id);
  }
  for (const std::int64_t id : chosen) expire(id);
}

void administration::expire_sessions(int client) {
  expire_if([client](const session_record& session) { return session.client == client; });
}

void administration::expire_overdue() {
  expire_if([this](const session_record& session) { return session.deadline <= w_.now; });
}

void administration::bound_timeouts(std::chrono::milliseconds min, std::chrono::milliseconds max) {
  w_.with.session_timeout_min = min;
  w_.with.session_timeout_max = std::max(min, max);
}

}  // namespace zklock::testing
