#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <zklock/session.hpp>

namespace zklock::testing {

/// A ZooKeeper ensemble inside a test program. A test uses it to run code that uses zklock without a server, and with
/// faults that real servers show rarely.
///
///     zklock::testing::fake_ensemble zookeeper;
///     zklock::session session(zookeeper.clients());
///     zklock::recursive_mutex orders(session, "/locks/orders");
///     zklock::grant g = orders.acquire();
///     zookeeper.expire_sessions();
///     while (g.held()) std::this_thread::sleep_for(1ms);  // the session learns of it a little later
///
/// It behaves as ZooKeeper 3.8 and its C client: sessions, versions, ephemeral, sequential and container nodes, access
/// lists, one-shot watches, transactions, followers that lag. The project runs one contract suite against the ensemble
/// and against a real server. Left out: negative sequence numbers, TTL nodes, quotas, persistent watches.
///
/// *Threads*: any. *Blocking*: a member makes its change before it returns, and does not wait for clients, which learn
/// of the change later. *Time*: real; `config` has the tick. *Lifetime*: sessions may outlive the ensemble; after its
/// destruction all servers stay out of reach.
class fake_ensemble {
 public:
  struct config {
    int servers = 1;  ///< 1, or 3 to have followers
    std::chrono::milliseconds tick{500};
    std::chrono::milliseconds session_timeout_min{500};     ///< a shorter session timeout is raised to this one
    std::chrono::milliseconds session_timeout_max{60'000};  ///< a longer session timeout is lowered to this one
  };

  fake_ensemble();
  explicit fake_ensemble(const config& with);
  fake_ensemble(const fake_ensemble&) = delete;
  fake_ensemble& operator=(const fake_ensemble&) = delete;
  ~fake_ensemble();

  /// Pass the result to the constructor of a session. A fault for a client number affects every session that was made
  /// with this number. A session connects to `first_server`, and if this server fails, to the next one.
  [[nodiscard]] connector clients(int client = 0, int first_server = 0);

  /// In place of a client number: all clients.
  static constexpr int everybody = -1;

  // The network between clients and servers. A fault acts at once; refuse() and the holds replace each other.
  void cut(int client = everybody);            ///< resets connections; clients may connect again
  void refuse(int client = everybody);         ///< cuts, and refuses new connections until restore()
  void hold(int client = everybody);           ///< delays requests and replies until restore(); loses none
  void hold_requests(int client = everybody);  ///< delays requests alone until restore()
  void hold_replies(int client = everybody);   ///< delays replies and events alone until restore()
  void restore(int client = everybody);        ///< ends refuse() and each kind of hold()
  void lose_next_request(int client);          ///< the servers do not execute the next request; the connection is cut
  void lose_next_reply(int client);  ///< the servers execute the next request; its reply is lost, the connection cut

  // Sessions, as the servers end or move them.
  void expire_sessions(int client = everybody);  ///< ends the client's sessions now, and removes their ephemeral nodes

  /// As if another client connected with the same session ids and left: connections are dropped, the sessions live on.
  void take_over_sessions(int client = everybody);

  // Servers, counted from 0.
  void freeze(int server = 0);  ///< stops the server as SIGSTOP does, until thaw()
  /// Overdue sessions expire before the server does anything else. A real server does not promise that.
  void thaw(int server = 0);
  void restart(int server = 0);   ///< resets connections and keeps the nodes; a leader's session clocks start afresh
  void kill(int server);          ///< the server stays down until restart()
  void cut_follower(int server);  ///< no connection to the leader; answers reads until it gives the leader up (4 ticks)
  void lag_follower(int server);  ///< the leader's messages are delayed; answers reads until it gives the leader up
  void join_follower(int server);    ///< ends cut_follower() and lag_follower()
  [[nodiscard]] int leader() const;  ///< the number of the leading server; -1: no server leads at the moment

  // The nodes, as an operator changes them. The results say whether the change was made.
  bool create_node(std::string_view path, std::string_view data = {}, bool container = false);  ///< if a parent exists
  bool set_data(std::string_view path, std::string_view data);                                  ///< at any version
  bool remove_node(std::string_view path);                                                      ///< if it is childless
  /// Deletes empty containers that once had a child, as servers do every minute. Returns how many.
  int reap_containers();
  /// Sets the number that the next sequential child of `path` gets.
  void set_sequence_counter(std::string_view path, std::int32_t next);

  // Nodes, sessions and watches, as the leader sees them.
  [[nodiscard]] bool exists(std::string_view path) const;                        ///< whether there is such a node
  [[nodiscard]] std::optional<std::string> data(std::string_view path) const;    ///< without value: no such node
  [[nodiscard]] std::vector<std::string> children(std::string_view path) const;  ///< their names
  [[nodiscard]] std::size_t node_count() const;                                  ///< without the root
  [[nodiscard]] std::size_t session_count() const;                               ///< sessions that the servers keep
  [[nodiscard]] std::size_t watch_count(int client = everybody) const;           ///< watches that are set or asked for
  [[nodiscard]] std::uint64_t request_count(int client = everybody) const;       ///< sent to servers, without pings
  /// Whether nothing is under way: no request, reply or event, and no notice to a client.
  [[nodiscard]] bool quiet() const;

 private:
  class core;
  class owner;
  std::shared_ptr<owner> owner_;
};

}  // namespace zklock::testing
