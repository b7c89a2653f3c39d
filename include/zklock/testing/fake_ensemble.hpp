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

/// A ZooKeeper ensemble inside a test program: code that uses zklock runs without a server, and with faults.
///
///     zklock::testing::fake_ensemble zookeeper;
///     zklock::session session(zookeeper.clients());
///     zklock::recursive_mutex orders(session, "/locks/orders");
///     zklock::grant g = orders.acquire();
///     zookeeper.expire_sessions();
///     while (g.held()) std::this_thread::sleep_for(1ms);  // the session learns of it a little later
///
/// What it has of ZooKeeper, and what it has not: docs/guide/testing.md. *Threads*: any. *Blocking*: a member makes its
/// change at once; clients learn of it later. *Time*: real. *Lifetime*: sessions may outlive the ensemble. After its
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

  /// For the constructor of a session. A fault for a client number affects every session made with this number. A
  /// session connects to `first_server`, and if this server fails, to the next one.
  [[nodiscard]] connector clients(int client = 0, int first_server = 0);

  /// In place of a client number: all clients.
  static constexpr int everybody = -1;

  // The network between clients and servers. A fault acts at once. Each refuse() or hold*() replaces the one before.
  void cut(int client = everybody);            ///< resets connections; clients may connect again
  void refuse(int client = everybody);         ///< cuts, and refuses new connections until restore()
  void hold(int client = everybody);           ///< delays requests and replies until restore(); loses none
  void hold_requests(int client = everybody);  ///< delays only requests until restore()
  void hold_replies(int client = everybody);   ///< delays only replies and events until restore()
  void restore(int client = everybody);        ///< ends refuse(), hold(), hold_requests(), hold_replies()
  void lose_next_request(int client);          ///< the next request is not executed, and the connection is cut
  void lose_next_reply(int client);  ///< the next request is executed; its reply is lost, and the connection is cut

  // Sessions, as the servers end or move them.
  void expire_sessions(int client = everybody);  ///< ends sessions now, and removes their ephemeral nodes

  /// The servers close the connections, as when another client connects with the same session ids and leaves. The
  /// sessions live on, and the clients may connect again.
  void take_over_sessions(int client = everybody);

  // Servers, counted from 0.
  void freeze(int server = 0);  ///< stops the server as SIGSTOP does, until thaw()
  /// Overdue sessions expire before the server does anything else. A real server does not promise this order.
  void thaw(int server = 0);
  void restart(int server = 0);      ///< resets connections, keeps the nodes; a leader's session clocks start afresh
  void kill(int server);             ///< the server stays down until restart()
  void cut_follower(int server);     ///< cut from the leader; answers reads until it gives the leader up (4 ticks)
  void lag_follower(int server);     ///< delays the leader's messages; answers reads until it gives the leader up
  void join_follower(int server);    ///< ends cut_follower() and lag_follower()
  [[nodiscard]] int leader() const;  ///< the number of the leading server; -1: none leads

  // The nodes, as an operator changes them. The results say whether the change was made.
  bool create_node(std::string_view path, std::string_view data = {}, bool container = false);  ///< if a parent exists
  bool set_data(std::string_view path, std::string_view data);                                  ///< at any version
  bool remove_node(std::string_view path);                                                      ///< if it is childless
  /// Deletes empty containers that once had a child, as servers do every minute. Returns how many.
  int reap_containers();
  /// Sets the number that the next sequential child of `path` gets.
  void set_sequence_counter(std::string_view path, std::int32_t next);

  // Nodes and sessions, as the leader sees them; watches and requests, as the clients do.
  [[nodiscard]] bool exists(std::string_view path) const;                        ///< whether there is such a node
  [[nodiscard]] std::optional<std::string> data(std::string_view path) const;    ///< without value: no such node
  [[nodiscard]] std::vector<std::string> children(std::string_view path) const;  ///< their names
  [[nodiscard]] std::size_t node_count() const;                                  ///< without the root
  [[nodiscard]] std::size_t session_count() const;                               ///< sessions that the servers keep
  /// Set, or asked for and unanswered. A session keeps one on each lock node that it has taken again, alone.
  [[nodiscard]] std::size_t watch_count(int client = everybody) const;
  [[nodiscard]] std::uint64_t request_count(int client = everybody) const;  ///< sent to servers, without pings
  /// Whether nothing is under way: no request, reply or event, and no notice to a client.
  [[nodiscard]] bool quiet() const;

 private:
  class core;
  class owner;
  std::shared_ptr<owner> owner_;
};

}  // namespace zklock::testing
