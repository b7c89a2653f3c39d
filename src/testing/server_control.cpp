#include "src/testing/server_control.hpp"

#include "src/testing/election.hpp"
#include "src/testing/world.hpp"

namespace zklock::testing {

void server_control::stop_server(int number) {
  if (server* s = w_.servers.find(number); s != nullptr && !s->down) s->frozen = true;
}

void server_control::continue_server(int number) {
  if (server* s = w_.servers.find(number); s != nullptr && s->frozen) election(w_).resume(*s);
}

void server_control::restart_server(int number) {
  if (server* s = w_.servers.find(number); s != nullptr) election(w_).restart(*s);
}

void server_control::kill_server(int number) {
  if (server* s = w_.servers.find(number); s != nullptr && !s->down) election(w_).kill(*s);
}

void server_control::start_server(int number) {
  if (server* s = w_.servers.find(number); s != nullptr && s->down) election(w_).restart(*s);
}

void server_control::lose_data() { election(w_).lose_data(); }

void server_control::depose_leader() {
  if (w_.servers.has_leader() && w_.servers.size() > 1) election(w_).depose_leader();
}

void server_control::cut_follower(int number) {
  if (server* s = w_.servers.find(number); s != nullptr && w_.servers.size() > 1) s->line.cut = true;
}

void server_control::lag_follower(int number) {
  if (w_.servers.size() > 1) hold_from_leader(number, true);
}

void server_control::hold_to_leader(int number, bool held) {
  if (server* s = w_.servers.find(number); s != nullptr) s->line.unheard = held;
}

void server_control::hold_from_leader(int number, bool held) {
  if (server* s = w_.servers.find(number); s != nullptr) s->line.lagging = held;
}

void server_control::join_follower(int number) {
  server* s = w_.servers.find(number);
  if (s == nullptr) return;
  s->line.restore();
  if ((!s->serving || s->deposed) && !s->down && !s->frozen) election(w_).rejoin(*s);
}

void server_control::delay_leader_ping() { w_.ping.delay(w_.with.leader_ping_delay); }

}  // namespace zklock::testing
