#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/testing/ensemble_config.hpp"
#include "src/testing/ensemble_view.hpp"
#include "src/testing/fault.hpp"
#include "src/testing/step.hpp"
#include "src/zookeeper/client.hpp"

namespace zklock::testing {

class world;

/// A ZooKeeper ensemble in memory: deterministic, single-threaded, in virtual time. It implements the port, with the
/// C client's ways, and does nothing by itself: each request, reply, event, transaction and timer is a step, and the
/// schedule is whoever calls perform(). Not thread-safe; fake_ensemble is the form with a thread.
///
/// Observers are called from within perform(), as its last act, and may submit, open, forget and apply faults from
/// there; they must not call perform(). Refusals that the C client makes on the spot (a bad path, a dead handle) are
/// told from within submit().
///
/// Left out: TTL nodes, quotas, read-only mode, persistent watches, the even-list bug of the C client (the port's lists
/// are of odd length).
class ensemble {
 public:
  using config = ensemble_config;

  ensemble() : ensemble(config{}) {}
  explicit ensemble(const config& with);
  ensemble(const ensemble&) = delete;
  ensemble& operator=(const ensemble&) = delete;
  /// Connections may outlive it: nothing is told to their observers any more.
  ~ensemble();

  /// Connections opened through it belong to that client (the number in steps and faults). It tries `first_server`,
  /// then the ones behind it, round and round; or knows that one `only`.
  [[nodiscard]] std::shared_ptr<client::factory> clients(int client = 0, int first_server = 0, bool only = false);

  /// What can happen now, in an order that depends on nothing but the past.
  [[nodiscard]] std::vector<step> steps() const;
  void steps(std::vector<step>& out) const;  ///< the same, without allocating anew
  void perform(const step& what);
  /// "c1 -> s0: create /l/abc-lock-"
  [[nodiscard]] std::string describe(const step& what) const;
  /// Performs steps (the first of the list each time) until none is left. False: `limit` was not enough.
  bool settle(int limit = 100'000);

  [[nodiscard]] instant now() const noexcept;
  /// Only moves the clock: timers that fall due become steps. To keep the timing of a healthy ensemble, advance no
  /// further than next_timer() and perform what is due before going on.
  void advance(instant by) noexcept;
  /// When the next timer falls due that is not due yet.
  [[nodiscard]] std::optional<instant> next_timer() const;

  /// The faults that can be applied now and would change something.
  [[nodiscard]] std::vector<fault> faults() const;
  void apply(const fault& what);
  [[nodiscard]] std::string describe(const fault& what) const;

  // By name; clients and servers that do not exist are ignored.
  void cut(int client);
  void refuse(int client, bool refused);  ///< connection attempts fail at once
  void hold(int client, bool up, bool down);
  void hold_requests(int client, bool held);
  void hold_replies(int client, bool held);
  void lose_next_request(int client);  ///< when it reaches the server
  void lose_next_reply(int client);    ///< the next request is executed, its reply and the connection are lost
  /// The next request is answered with that code, whether it was executed or not.
  void answer_next_with(int client, client::code code, bool applied = false);
  void crash(int client);  ///< the process dies: connections closed, sessions left, observers never called
  void expire(std::int64_t session);
  void expire_sessions(int client);
  /// Somebody connects with the ids of the client's sessions and goes away again: the servers drop its connections.
  void take_over_sessions(int client);
  void stop_server(int server);
  void continue_server(int server);
  /// Ends the sessions that are overdue: what a server does first when it goes on after a stop.
  void expire_overdue();
  void restart_server(int server);
  void kill_server(int server);  ///< stays down
  void start_server(int server);
  /// Its followers leave it and elect another one; it goes on answering reads, syncs and pings, and commits nothing, until
  /// it is joined or has heard of no follower for sync_limit ticks.
  void depose_leader();
  void cut_follower(int server);
  void lag_follower(int server);
  /// What passes between a follower and its leader stays under way, in order; false: it moves again.
  void hold_to_leader(int server, bool held);
  void hold_from_leader(int server, bool held);
  /// The leader's next ping comes leader_ping_delay after it is due.
  void delay_leader_ping();
  void join_follower(int server);
  /// What a client is granted when it connects from now on, again or for the first time.
  void bound_timeouts(std::chrono::milliseconds min, std::chrono::milliseconds max);
  int reap_containers();
  /// An operator's doing, with all rights.
  bool remove_node(std::string_view path);
  bool create_node(std::string_view path, std::string_view data = {}, bool container = false);
  void set_sequence_counter(std::string_view path, std::int32_t next);

  struct child {
    std::string name;
    std::int64_t czxid = 0;
    std::int64_t owner = 0;
    std::string data;
  };
  /// The leader's view.
  [[nodiscard]] std::vector<child> children(std::string_view path) const;
  [[nodiscard]] bool exists(std::string_view path) const;
  [[nodiscard]] std::optional<std::string> data(std::string_view path) const;
  [[nodiscard]] std::size_t node_count() const;  ///< without the root
  [[nodiscard]] std::int64_t last_zxid() const noexcept;
  [[nodiscard]] int leader() const noexcept;  ///< -1: none

  using session_info = ensemble_view::session_info;
  [[nodiscard]] std::vector<session_info> sessions() const;
  /// The leader has been told of a timeout for the client's session that is smaller than all that the client has been
  /// told: the answer to its connect request is under way, or lost. No client can know of that.
  [[nodiscard]] bool lowered_untold(int client) const;
  /// And has ended that session, which the client does not know either.
  [[nodiscard]] bool ended_untold(int client) const;

  /// The client is connected to a server that exchanges words with a leader which has a quorum, neither of them late.
  [[nodiscard]] bool in_touch(int client) const;
  /// It is connected to a leader that was deposed.
  [[nodiscard]] bool with_deposed(int client) const;

  using watch_counts = ensemble_view::watch_counts;
  [[nodiscard]] watch_counts watches(int client) const;
  /// Requests without an answer, and messages under way in either direction.
  [[nodiscard]] std::size_t queued(int client) const;

  using request_counts = testing::request_counts;
  [[nodiscard]] request_counts requests(int client) const;

 private:
  std::shared_ptr<world> world_;
};

}  // namespace zklock::testing
