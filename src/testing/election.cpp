#include "src/testing/election.hpp"

#include <algorithm>

#include "src/testing/client_library.hpp"
#include "src/testing/leadership.hpp"

namespace zklock::testing {

/// No server has a leader: connections are reset, and what was under way between servers is gone. What the leader had
/// put into its log stays, for a majority has it. A leader that stands still learns nothing of it.
void election::lose_leader() {
  if (server& leader = w_.servers.leader(); leader.frozen) depose(leader);
  w_.servers.set_leader(server_group::no_leader);
  for (server& s : w_.servers) {
    if (s.deposed) continue;
    s.serving = false;
    s.forget_leader();
    if (!s.frozen) client_library(w_).sever_all(s.number);
  }
}

void election::depose(server& s) {
  s.deposed.emplace(w_.sessions, step_down_time());
  s.line.up.clear();
}

void election::depose_leader() {
  depose(w_.servers.leader());
  lose_leader();
}

void election::give_leader_up(server& follower) {
  follower.serving = false;
  follower.line.clear();
  client_library(w_).sever_all(follower.number);
  if (!w_.servers.has_quorum()) lose_leader();
}

void election::elect() {
  const auto first = std::find_if(w_.servers.begin(), w_.servers.end(), [](const server& s) { return s.can_vote(); });
  w_.servers.set_leader(first->number);
  w_.log.begin_epoch();
  for (server& s : w_.servers) {
    if (s.can_vote()) rejoin(s);
  }
  w_.sessions.start_clocks_afresh(w_.now);
  w_.ping.schedule(w_.now);
}

void election::rejoin(server& s) {
  client_library(w_).sever_all(s.number);
  s.forget_leader();
  s.line.heard_leader = w_.now;
  s.line.restore();
  s.deposed.reset();
  s.serving = false;
  if (!w_.servers.has_leader()) return;
  s.nodes.catch_up(w_.log);
  s.serving = true;
}

void election::kill(server& s) {
  s.frozen = false;
  s.down = true;
  s.serving = false;
  s.deposed.reset();
  client_library(w_).sever_all(s.number);
  if (w_.servers.leads(s) || (w_.servers.has_leader() && !w_.servers.has_quorum())) lose_leader();
}

void election::restart(server& s) {
  s.frozen = false;
  s.down = false;
  if (w_.servers.size() == 1) {
    client_library(w_).sever_all(s.number);
    s.serving = true;
    w_.servers.set_leader(s.number);
    w_.sessions.start_clocks_afresh(w_.now);
  } else if (w_.servers.leads(s)) {
    lose_leader();
  } else {
    rejoin(s);
  }
}

/// All servers are killed, and start with nothing: their history begins anew, below what any client has seen.
void election::lose_data() {
  w_.log = transaction_log(0);
  w_.sessions.clear();
  for (server& s : w_.servers) {
    client_library(w_).sever_all(s.number);
    s.forget_leader();
    s.line.restore();
    s.deposed.reset();
    s.frozen = s.down = false;
    s.nodes = replica(w_.log.last_zxid(), w_.with.counter_wraps);
    s.serving = true;
    s.line.heard_leader = w_.now;
  }
  w_.servers.set_leader(0);
  w_.ping.schedule(w_.now);
}

/// The ping that is overdue goes out first: it is never later than it may be. A leader that was deposed meanwhile
/// counts the ticks in which it ran.
void election::resume(server& s) {
  s.frozen = false;
  if (s.deposed) {
    s.deposed->postpone(step_down_time());
  } else if (w_.servers.leads(s) && w_.ping.next_at() <= w_.now) {
    leadership(w_).ping_followers();
  } else if (!s.serving) {
    rejoin(s);
  }
}

}  // namespace zklock::testing
