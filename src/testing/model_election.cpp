// Servers that leave, lead, and come back.
#include <algorithm>
#include <utility>

#include "src/testing/world.hpp"

namespace zklock::testing {

/// In the one that has a quorum, if any has.
bool world::believes_in_leader(const server& s) const { return leader >= 0 && !s.down && s.serving && !s.deposed; }

bool world::attached(const server& s) const {
  if (!believes_in_leader(s) || s.cut) return false;
  return s.number == leader || !servers[static_cast<std::size_t>(leader)].cut;
}

bool world::has_quorum() const {
  if (leader < 0) return false;
  const auto count =
      std::count_if(servers.begin(), servers.end(), [this](const server& s) { return attached(s) && !s.frozen; });
  return static_cast<std::size_t>(count) * 2 > servers.size();
}

bool world::elects(const server& s) const { return !s.down && !s.frozen && !s.cut && !s.deposed; }

bool world::can_rejoin(const server& s) const {
  if (leader < 0 || s.serving || !elects(s) || s.lagging || s.unheard) return false;
  const server& to = servers[static_cast<std::size_t>(leader)];
  return !to.frozen && !to.cut;
}

bool world::can_elect() const {
  if (leader >= 0) return false;
  const auto count = std::count_if(servers.begin(), servers.end(), [this](const server& s) { return elects(s); });
  return static_cast<std::size_t>(count) * 2 > servers.size();
}

/// Everybody looks for a leader: connections are reset, and what was under way between servers is gone. What the
/// leader had put into its log stays, for a majority has it. A leader that stands still learns nothing of it.
void world::lose_leader() {
  if (servers[static_cast<std::size_t>(leader)].frozen) depose(servers[static_cast<std::size_t>(leader)]);
  leader = -1;
  for (server& s : servers) {
    if (s.deposed) continue;
    s.serving = false;
    s.up.clear();
    s.down_stream.clear();
    s.touched.clear();
    s.revalidating.clear();
    if (!s.frozen) drop_links_of(s.number);
  }
}

/// Its followers have left it without a word.
void world::depose(server& s) {
  s.deposed = true;
  s.steps_down_at = now + with.sync_limit * instant(with.tick);
  s.up.clear();
  for (const auto& [id, session] : sessions) s.owners.emplace(id, session.owner);
}

void world::depose_leader() {
  depose(servers[static_cast<std::size_t>(leader)]);
  lose_leader();
}

void world::give_leader_up(server& follower) {
  follower.serving = false;
  follower.up.clear();
  follower.down_stream.clear();
  drop_links_of(follower.number);
  if (!has_quorum()) lose_leader();
}

/// The ping that is overdue goes out first: it is never later than it may be. A leader that was deposed meanwhile counts the
/// ticks in which it ran.
void world::go_on(server& s) {
  s.frozen = false;
  if (s.deposed) {
    s.steps_down_at = now + with.sync_limit * instant(with.tick);
  } else if (s.number == leader && next_leader_ping <= now) {
    ping_followers();
  } else if (!s.serving) {
    rejoin(s);
  }
}

void world::elect() {
  const auto it = std::find_if(servers.begin(), servers.end(), [this](const server& s) { return elects(s); });
  leader = it->number;
  zxid = ((zxid >> 32) + 1) << 32;
  for (server& s : servers) {
    if (elects(s)) rejoin(s);
  }
  start_clocks_afresh();
  next_leader_ping = now + with.tick / 2;
  ping_is_late = false;
}

/// Takes over what it has missed before it serves anybody.
void world::rejoin(server& s) {
  drop_links_of(s.number);
  s.up.clear();
  s.down_stream.clear();
  s.touched.clear();
  s.revalidating.clear();
  s.heard_leader = now;
  s.cut = s.lagging = s.unheard = s.deposed = s.serving = false;
  s.owners.clear();
  if (leader < 0) return;
  for (; s.applied < log.size(); ++s.applied) {
    for (const change& each : log[s.applied]->changes) s.tree.apply(each, log[s.applied]->zxid);
    s.zxid = log[s.applied]->zxid;
  }
  s.serving = true;
}

void world::restart(server& s) {
  s.frozen = false;
  s.down = false;
  if (servers.size() == 1) {
    drop_links_of(s.number);
    s.serving = true;
    leader = s.number;
    start_clocks_afresh();
    return;
  }
  if (s.number == leader) {
    lose_leader();
    return;
  }
  rejoin(s);
}

}  // namespace zklock::testing
