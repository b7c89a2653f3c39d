#pragma once

namespace zklock::testing {

class world;

/// Starts and stops servers, and what passes between them. Servers that do not exist are ignored.
class server_control {
 public:
  explicit server_control(world& of) noexcept : w_(of) {}

  void stop_server(int server);  ///< SIGSTOP
  void continue_server(int server);
  void restart_server(int server);
  void kill_server(int server);  ///< stays down
  void start_server(int server);
  /// All of them come back without their data.
  void lose_data();

  /// Its followers leave it and elect another one; it goes on answering reads, syncs and pings, and commits nothing,
  /// until it is joined or has heard of no follower for sync_limit ticks.
  void depose_leader();
  void cut_follower(int server);
  void lag_follower(int server);
  /// What passes between a follower and its leader stays under way, in order; false: it moves again.
  void hold_to_leader(int server, bool held);
  void hold_from_leader(int server, bool held);
  void join_follower(int server);
  /// The leader's next ping comes leader_ping_delay after it is due.
  void delay_leader_ping();

 private:
  world& w_;
};

}  // namespace zklock::testing
