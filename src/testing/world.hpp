#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/testing/ensemble_model.hpp"
#include "src/testing/transaction.hpp"

/// The inside of ensemble: plain data, and the rules that move it. Split by who acts: model_client.cpp (the C
/// client's ways), model_server.cpp (one server and its connections), model_leader.cpp (the log, followers),
/// model_sessions.cpp (sessions and their clocks), model_election.cpp (servers that leave, lead and come back),
/// model_steps.cpp (what is enabled), model_faults.cpp.
namespace zklock::testing {

struct handle;

/// What a client tells its server.
struct upward {
  enum class kind : std::uint8_t { connect, auth, set_watches, request, ping, close };
  struct watch_lists {
    std::int64_t seen = 0;
    std::vector<std::string> data, exist, child;
  };
  kind what = kind::ping;
  client::request_id id = 0;
  client::any_request request;
  std::unique_ptr<watch_lists> watches;
};

/// What reaches a client, from a server or from its own library.
struct downward {
  enum class kind : std::uint8_t { connected, expired, auth_failed, lost, reply, event, pong, closed, hangup };
  kind what = kind::pong;
  client::request_id id = 0;
  std::int64_t zxid = 0;
  client::reply reply;
  std::string path;
  client::node_event event = client::node_event::created;
  std::uint32_t group = 0;  ///< not 0: may change places with its neighbours of the same group
  bool confirmed = false;   ///< closed
};

/// A request at a server that waits for the leader's answer, or behind one that does.
struct staged {
  upward message;
  bool forwarded = false;
  std::optional<client::code> answer;  ///< instead of what it would be answered
};

/// One connection. The client's end and the server's end close apart from each other.
struct link {
  std::uint32_t number = 0;
  std::shared_ptr<handle> client;
  int server = 0;
  std::int64_t session = 0;              ///< 0 until its server has heard of it
  std::chrono::milliseconds timeout{0};  ///< granted on this connection; what the server hears on it touches with that
  bool client_open = true;
  bool server_open = true;
  std::deque<upward> up;
  std::deque<downward> down;
  data_tree::identities identities;
  std::deque<staged> stage;
  std::set<std::string, std::less<>> data_watches;
  std::set<std::string, std::less<>> child_watches;
};

enum class handle_state : std::uint8_t { connecting, connected, expired, auth_failed, closed };

/// A client's end of it all: what zhandle_t is to the C client.
struct handle {
  std::uint32_t number = 0;
  int client = 0;
  world* home = nullptr;  ///< null once the ensemble is gone
  client::observer* observer = nullptr;
  client::parameters with;
  handle_state state = handle_state::connecting;
  bool closing = false;
  instant close_by{0};
  std::int64_t session = 0;
  std::chrono::milliseconds timeout{0};        ///< granted last; asked for when it connects again
  std::chrono::milliseconds least_told{0};     ///< of all that were granted to this session
  std::chrono::milliseconds least_applied{0};  ///< by the leader, whether it was told or not
  std::int64_t seen = 0;                       ///< lastZxidSeen
  link* at = nullptr;                          ///< the connection, or the attempt at one
  int next_server = 0;
  bool stays = false;  ///< knows no other server
  int failures = 0;
  instant retry_at{0};
  instant last_sent{0};
  instant last_heard{0};

  struct asked {
    client::request_id id = 0;
    std::string watch_path;
    client::watch_id watch = client::no_watch;
    client::connection::watch_kind watch_kind = client::connection::watch_kind::data;
  };
  std::deque<asked> pending;                                 ///< sent, not answered
  std::deque<std::pair<asked, client::any_request>> queued;  ///< for the next successful attempt
  std::deque<downward> inbox;  ///< from the library itself; told before anything on the connection
  using watch_table = std::map<std::string, std::vector<client::watch_id>, std::less<>>;
  watch_table data_watches, exist_watches, child_watches;
};

struct client_state {
  bool refused = false;
  bool up_held = false;
  bool down_held = false;
  bool lose_next_request = false;
  bool lose_next_reply = false;
  struct dictated {
    client::code code;
    bool applied;
  };
  std::optional<dictated> next_answer;
  ensemble::request_counts counts;
};

/// Sessions that a follower has heard of, each with the timeout of its connection.
using touch_table = std::map<std::int64_t, std::chrono::milliseconds>;

/// A follower's words to its leader.
struct to_leader {
  enum class kind : std::uint8_t { request, new_session, revalidate, ping };
  kind what = kind::ping;
  std::uint32_t link = 0;
  std::int64_t session = 0;
  std::chrono::milliseconds timeout{0};
  data_tree::identities identities;
  upward message;
  touch_table touched;
};

/// A leader's words to a follower.
struct from_leader {
  enum class kind : std::uint8_t { commit, answer, revalidated, ping };
  kind what = kind::ping;
  std::uint32_t link = 0;
  std::int64_t session = 0;  ///< revalidated
  std::shared_ptr<const transaction> entry;
  client::code code = client::code::ok;
};

struct server {
  int number = 0;
  data_tree tree;
  std::int64_t zxid = 0;    ///< of the last transaction applied
  std::size_t applied = 0;  ///< entries of the log
  bool down = false;        ///< killed
  bool frozen = false;
  bool cut = false;      ///< from the leader
  bool lagging = false;  ///< leader's words stay under way
  bool unheard = false;  ///< its words to the leader stay under way
  bool serving = true;   ///< has a leader that it believes in
  /// Leads no more, and does not know it: answers reads, syncs and pings of its clients, and commits nothing.
  bool deposed = false;
  instant steps_down_at{0};
  std::map<std::int64_t, int> owners;  ///< deposed: what it knows of sessions, and who serves them
  touch_table touched;                 ///< since the leader's last ping
  /// By session, as in the servers: an answer that comes late can answer a newer connection.
  std::map<std::int64_t, std::uint32_t> revalidating;
  std::deque<to_leader> up;
  std::deque<from_leader> down_stream;
  instant heard_leader{0};
};

struct session_record {
  std::chrono::milliseconds timeout{0};  ///< of its creation: a new leader knows no other
  instant deadline{0};
  int owner = 0;
  int client = 0;
};

class world {
 public:
  explicit world(const ensemble::config& with);
  ~world();
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  // model_client.cpp: the handle
  std::shared_ptr<handle> open(int client, int first_server, bool stays, const client::parameters& with,
                               client::observer& to);
  void submit(handle& h, client::request_id id, client::any_request&& what);
  void forget(handle& h, std::string_view path, client::watch_id id, client::connection::watch_kind kind);
  void close(handle& h);
  void connect(handle& h);
  void deliver(link& l, std::size_t position);
  void deliver_inbox(const std::shared_ptr<handle>& h);
  void ping(handle& h);
  void time_out(handle& h);
  void lose(handle& h, client::code why);  ///< the client's end notices
  void sever(link& l, client::code why);   ///< both ends at once; nothing under way survives

  // model_server.cpp
  [[nodiscard]] bool can_serve(const link& l) const;
  void serve(link& l);
  void apply_at(server& s, const std::shared_ptr<const transaction>& entry);
  void answer(server& s, link& l, client::reply&& with);
  void hang_up(link& l);
  void drop_links_of(int server_number);

  // model_leader.cpp
  [[nodiscard]] bool can_lead(const server& from) const;
  void lead(server& from);
  void follow(server& at);
  void ping_followers();
  void commit(transaction&& entry);
  void operator_change(std::vector<change>&& changes);
  [[nodiscard]] std::int64_t next_zxid() noexcept { return ++zxid; }

  // model_sessions.cpp
  void expire(std::int64_t session);
  void replace(std::int64_t session);
  void touch(server& at, std::int64_t session, std::chrono::milliseconds timeout);
  void move_expiry(session_record& session, std::chrono::milliseconds timeout) const;
  void start_clocks_afresh();

  // model_election.cpp
  void lose_leader();
  void depose_leader();
  void give_leader_up(server& follower);
  void go_on(server& s);  ///< after it stood still
  void elect();
  void rejoin(server& s);
  void restart(server& s);
  [[nodiscard]] bool has_quorum() const;
  [[nodiscard]] bool attached(const server& s) const;
  [[nodiscard]] bool believes_in_leader(const server& s) const;
  [[nodiscard]] bool can_elect() const;
  [[nodiscard]] bool elects(const server& s) const;
  [[nodiscard]] bool can_rejoin(const server& s) const;

  // world.cpp: lookups
  [[nodiscard]] link* find_link(std::uint32_t number) const;
  [[nodiscard]] std::shared_ptr<handle> find_handle(std::uint32_t number) const;
  [[nodiscard]] client_state& state_of(int client);
  [[nodiscard]] const client_state* find_state(int client) const;
  [[nodiscard]] const data_tree& authoritative() const;
  void forget_handle(handle& h);
  void sweep();  ///< forgets connections that are closed at both ends

  ensemble::config with;
  instant now{0};
  std::vector<server> servers;
  int leader = 0;
  std::int64_t zxid = std::int64_t{1} << 32;
  std::vector<std::shared_ptr<const transaction>> log;  ///< only with several servers
  std::map<std::int64_t, session_record> sessions;
  std::set<std::int64_t> replaced;  ///< sessions whose clients are given another one when they come back
  std::vector<std::unique_ptr<link>> links;
  std::vector<std::shared_ptr<handle>> handles;
  std::vector<std::pair<int, client_state>> clients;
  instant next_leader_ping{0};
  bool ping_is_late = false;
  std::uint32_t last_number = 0;
  std::uint32_t last_group = 0;
  std::int64_t last_session = 0x1000000000000000;

 private:
  void end_closing(handle& h, bool confirmed);
  void tell_session(const std::shared_ptr<handle>& h, client::connection_state state);
  void accept(const std::shared_ptr<handle>& h, link& l);
  void fail_pending(handle& h, client::code why);
  void send(handle& h, handle::asked&& entry, client::any_request&& what);
  void dispatch(const std::shared_ptr<handle>& h, const std::string& path, client::node_event event);
  void answered(const std::shared_ptr<handle>& h, downward&& message);
  void serve_connect(server& s, link& l);
  void revalidated(server& s, const from_leader& message);
  void serve_request(server& s, link& l, upward&& message);
  void serve_read(server& s, link& l, const staged& entry);
  void serve_watches(server& s, link& l, const upward::watch_lists& lists);
  void forward(server& s, to_leader&& message);
  void advance_stage(server& s, link& l);
  void trigger(server& s, const change& what);
  void notify(link& l, std::string_view path, client::node_event event, std::uint32_t group = 0);
  void lead_request(server& from, to_leader&& message);
  void new_session(server& from, const to_leader& message);
  void revalidate(server& from, const to_leader& message);
  void reply_to(server& to, from_leader&& message);
  void depose(server& s);
  void answer_deposed(server& s, const to_leader& message);
};

}  // namespace zklock::testing
