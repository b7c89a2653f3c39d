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

/// A ZooKeeper ensemble inside your test program, to test code that uses zklock without a server, and with the faults
/// that a real one shows once a year.
///
///     zklock::testing::fake_ensemble zookeeper;
///     zklock::session session(zookeeper.clients());
///     zklock::recursive_mutex orders(session, "/locks/orders");
///     zklock::grant g = orders.acquire();
///     zookeeper.expire_sessions();
///     EXPECT_TRUE(eventually([&] { return !g.held(); }));
///
/// ZooKeeper 3.8's semantics and the C client's ways: sessions, versions, ephemeral, sequential and container nodes,
/// access lists, one-shot watches, transactions, followers that lag; the project runs one contract suite against it and
/// against a real server. Left out: negative sequence numbers, TTL nodes, quotas, persistent watches.
///
/// *Threads*: any. *Blocking*: members return at once, with the change made; clients hear of it later. *Time*: real;
/// `config` has the tick. *Lifetime*: sessions may outlive it: all servers are gone for good then.
class fake_ensemble {
 public:
  struct config {
    int servers = 1;  ///< 1, or 3 to have followers
    std::chrono::milliseconds tick{500};
    std::chrono::milliseconds session_timeout_min{500};  ///< what a client asks for is bounded by these two
    std::chrono::milliseconds session_timeout_max{60'000};
  };

  fake_ensemble();
  explicit fake_ensemble(const config& with);
  fake_ensemble(const fake_ensemble&) = delete;
  fake_ensemble& operator=(const fake_ensemble&) = delete;
  ~fake_ensemble();

  /// What a session connects with. Sessions with the same client number have their faults in common. They prefer
  /// `first_server`, and go on to the next when it fails them.
  [[nodiscard]] connector clients(int client = 0, int first_server = 0);

  /// In place of a client number: all clients.
  static constexpr int everybody = -1;

  // The network. Each takes effect at once.
  void cut(int client = everybody);     ///< resets connections; clients may come back
  void refuse(int client = everybody);  ///< cuts, and refuses new connections until restore()
  void hold(int client = everybody);    ///< both directions go silent, nothing is lost, until restore()
  void hold_requests(int client = everybody);
  void hold_replies(int client = everybody);
  void restore(int client = everybody);
  void lose_next_request(int client);  ///< it is not executed; the connection is cut instead
  void lose_next_reply(int client);    ///< the next request is executed, its reply is lost and the connection is cut

  // Sessions, by the servers' doing.
  void expire_sessions(int client = everybody);

  /// As if another client connected with the same session ids and left: connections are dropped, the sessions live on.
  void take_over_sessions(int client = everybody);

  // Servers, counted from 0.
  void freeze(int server = 0);  ///< as SIGSTOP
  /// Overdue sessions expire before the server does anything else. A real server does not promise that.
  void thaw(int server = 0);
  void restart(int server = 0);   ///< connections are reset, session clocks start afresh, the nodes stay
  void kill(int server);          ///< stays down until restart()
  void cut_follower(int server);  ///< from the leader; it goes on answering reads
  void lag_follower(int server);  ///< applies nothing new, but goes on answering reads
  void join_follower(int server);
  [[nodiscard]] int leader() const;  ///< -1: none at the moment

  // The nodes, with an operator's hand. The answers say whether it was done.
  bool create_node(std::string_view path, std::string_view data = {}, bool container = false);
  bool set_data(std::string_view path, std::string_view data);
  bool remove_node(std::string_view path);
  /// Deletes empty containers that once had a child, as servers do every minute. Returns how many.
  int reap_containers();
  /// The number that the next sequential child of `path` gets.
  void set_sequence_counter(std::string_view path, std::int32_t next);

  // What there is, as the leader sees it.
  [[nodiscard]] bool exists(std::string_view path) const;
  [[nodiscard]] std::optional<std::string> data(std::string_view path) const;  ///< nothing: no such node
  [[nodiscard]] std::vector<std::string> children(std::string_view path) const;
  [[nodiscard]] std::size_t node_count() const;  ///< without the root
  [[nodiscard]] std::size_t session_count() const;
  [[nodiscard]] std::size_t watch_count(int client = everybody) const;      ///< that clients wait for
  [[nodiscard]] std::uint64_t request_count(int client = everybody) const;  ///< sent to servers, without pings
  /// Whether nothing is under way: no request, reply or event, and no notice to a client.
  [[nodiscard]] bool quiet() const;

 private:
  class core;
  class owner;
  std::shared_ptr<owner> owner_;
};

}  // namespace zklock::testing
