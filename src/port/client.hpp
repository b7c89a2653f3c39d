#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "recipes/code.hpp"
#include "recipes/names_view.hpp"

/// The port: an abstract, asynchronous ZooKeeper client, as little of it as the session needs.
///
/// Two things implement it: the real C client (c_client.hpp, the one place that includes zookeeper.h) and the
/// in-memory fake_ensemble (src/testing/). The contract suite (tests/contract/) runs the same test bodies against
/// both; what it asserts is what this page promises.
namespace zklock::client {

using recipes::code;

/// Chosen by the caller, unique among the requests (or watches) of a connection. 44 bits at the most, never 0.
using request_id = std::uint64_t;
using watch_id = std::uint64_t;
inline constexpr watch_id no_watch = 0;
inline constexpr std::uint64_t id_max = (std::uint64_t{1} << 44) - 1;

struct stat {
  std::int64_t czxid = 0;
  std::int64_t mzxid = 0;
  std::int64_t pzxid = 0;
  std::int64_t ephemeral_owner = 0;
  std::int32_t version = 0;
  std::int32_t cversion = 0;
  std::int32_t child_count = 0;
};

enum class create_mode : std::uint8_t { persistent, ephemeral, persistent_sequential, ephemeral_sequential, container };

/// One entry of an access list: ZooKeeper's permission bits (read 1, write 2, create 4, delete 8, admin 16).
struct acl_entry {
  std::int32_t permissions = 31;
  std::string scheme = "world";
  std::string id = "anyone";

  bool operator==(const acl_entry&) const = default;
};
using acl = boost::container::small_vector<acl_entry, 1>;

namespace request {

struct create {
  std::string path;
  std::string data = {};
  create_mode mode = create_mode::persistent;
  client::acl acl = {acl_entry{}};
};
struct list {
  std::string path;
  watch_id watch = no_watch;
};
/// Data and stat. A watch on a node that is not there leaves none.
struct get {
  std::string path;
  watch_id watch = no_watch;
};
/// Stat alone, no read permission needed. A watch on a node that is not there stays, for its creation.
struct exists {
  std::string path;
  watch_id watch = no_watch;
};
struct set {
  std::string path;
  std::string data = {};
  std::int32_t version = -1;
};
struct remove {
  std::string path;
  std::int32_t version = -1;
};
/// Only inside a multi. Version -1 tests that the node exists.
struct check {
  std::string path;
  std::int32_t version = -1;
};
/// Answered when the server that we talk to has seen all that the leader had committed when the sync reached it.
struct sync {
  std::string path;
};
using operation = std::variant<create, set, remove, check>;
/// The node's access list and its stat. Asks for the permission to read or to administrate; who may not administrate is
/// not shown the ids of scheme "digest" whole, but "user:x".
struct get_acl {
  std::string path;
};
/// All or nothing. Containers are refused with bad_arguments before anything is sent (they abort the C client).
struct multi {
  std::vector<operation> operations;
};

}  // namespace request

using any_request = std::variant<request::create, request::list, request::get, request::exists, request::set,
                                 request::remove, request::sync, request::multi, request::get_acl>;

struct part_result {
  client::code code = client::code::ok;
  std::string name;   ///< full path of a created node
  client::stat stat;  ///< of a set
};

/// Which fields are filled depends on the request; all are empty when `code` is not ok, but for a failed multi, whose
/// parts say which of them was at fault.
struct reply {
  client::code code = client::code::ok;
  std::string name;                   ///< create: the full path, with its sequence number
  std::string data;                   ///< get
  std::vector<std::string> children;  ///< list: names without their directory, in no order
  client::stat stat;                  ///< create, get, exists, set, list (of the listed node), get_acl
  std::vector<part_result> parts;     ///< multi
  std::vector<acl_entry> acl;         ///< get_acl
};

/// The same, with texts that are elsewhere. They stay until the call that brings the answer returns.
struct reply_view {
  reply_view() = default;
  reply_view(const reply& of) noexcept
      : code(of.code),
        name(of.name),
        data(of.data),
        children(of.children),
        stat(of.stat),
        parts(of.parts),
        acl(of.acl) {}
  /// With texts of its own.
  [[nodiscard]] reply copy() const {
    return {code,
            std::string(name),
            std::string(data),
            {children.begin(), children.end()},
            stat,
            {parts.begin(), parts.end()},
            {acl.begin(), acl.end()}};
  }

  client::code code = client::code::ok;
  std::string_view name;
  std::string_view data;
  recipes::names_view children;
  client::stat stat;
  std::span<const part_result> parts;
  std::span<const acl_entry> acl;
};

enum class node_event : std::uint8_t { created, deleted, changed, children_changed };

enum class connection_state : std::uint8_t {
  connecting,   ///< no server at the moment: before the first CONNECTED, and after each loss of the connection
  connected,    ///< by a server's word, in the session `session_event::session_id`
  expired,      ///< by a server's word. The handle is dead
  auth_failed,  ///< the credentials were refused. The handle is dead
};

/// What a server asks for of who comes back with a session: whoever has it may end the session.
struct session_key {
  std::int64_t id = 0;        ///< 0: none
  std::string password = {};  ///< bytes
};

struct session_event {
  connection_state state = connection_state::connecting;
  std::int64_t session_id = 0;           ///< connected: the session's id
  std::chrono::milliseconds timeout{0};  ///< connected: the timeout that the server has granted
  std::string server = {};               ///< connected: "127.0.0.1:2181"; empty: not known
  std::string password = {};             ///< connected: the session's
};

/// What the client tells. Calls come one at a time, on the client's callback thread, in this order: replies in that of their
/// requests, but for what is not sent; a watch's event before the first reply that shows what it tells of; on a loss
/// `connecting` before the failed replies; on a reconnect `connected` before the missed events, and those before the
/// replies to what was asked since. A reply may come before its submit() returns, from within it. An implementation of
/// this class must not block, and must not throw.
class observer {
 public:
  virtual ~observer() = default;
  virtual void on_reply(request_id id, const reply_view& answer) = 0;
  /// One-shot: the watch is gone once this has been called.
  virtual void on_node_event(watch_id id, node_event event) = 0;
  /// Only changes are told. Node watches never carry session events here.
  virtual void on_session_event(const session_event& event) = 0;
  /// The last call of all: the answer to close(). `confirmed`: a server was told and the connection was there, so the
  /// session is over; otherwise it may live on until its timeout, and its ephemeral nodes with it.
  virtual void on_closed(bool confirmed) = 0;
};

/// One ZooKeeper handle: at most one session.
class connection {
 public:
  virtual ~connection() = default;  ///< only after on_closed, or when it has never been opened

  /// Sends a request, and keeps no reference to it: the caller goes on with what is left of it. Every request is
  /// answered exactly once by on_reply, or not at all after close(). Safe from any thread; requests submitted one after
  /// the other are executed in that order. While there is no server the request is kept: it is sent when the next attempt
  /// to connect succeeds, or else answered with that attempt's failure. But a multi between two connections of a session
  /// is not sent: it is answered at once, before those that are kept, with system_error (F180, F181).
  virtual void submit(request_id id, any_request&& what) = 0;

  /// Forgets a watch, locally and at once: no event is told for it any more (one already under way may still come), and
  /// it is not set again after a reconnect. The server keeps its side until it fires. Unknown ones are ignored.
  /// `path` and `kind` as in the request that set it.
  enum class watch_kind : std::uint8_t { data, exists, children };
  virtual void forget(std::string_view path, watch_id id, watch_kind kind) = 0;

  /// Asks the handle for its state, and tells a change, perhaps from within this call. Needed for adopted handles alone,
  /// which tell of their session only through watches and answers; does nothing on others.
  virtual void poll() {}
  /// Of an adopted handle: whether it knows that its session has expired, though it may not have told it yet.
  [[nodiscard]] virtual bool expired() { return false; }

  /// Ends the session, if the handle is our own; an adopted one is left as it is. Returns at once; nothing but
  /// on_closed is told from here on (a call that is under way on another thread may still end). Call it once; from within
  /// an observer's call is allowed.
  virtual void close() = 0;
};

struct parameters {
  std::chrono::milliseconds timeout{10'000};
  std::string auth_scheme = {};       ///< empty: none
  std::string auth_credentials = {};  ///< "user:password" for digest
  /// If it has an id: the connection takes this session over, from whoever has it. One that is over, or another password:
  /// expired, instead of connected.
  session_key resumed = {};
};

/// What the watches of a session may take of the packet that sets all of them again after a reconnect: a server cuts the
/// connection above 1 MB, again and again (F83).
struct watch_budget {
  std::size_t bytes = 900'000;  ///< of paths, and `bytes_per_watch` with each
  std::size_t chroot = 0;       ///< bytes that the handle itself puts in front of each path (F146)

  static constexpr std::size_t bytes_per_watch = 8;
  [[nodiscard]] std::size_t cost_of(std::string_view path) const noexcept {
    return chroot + path.size() + bytes_per_watch;
  }
};

/// Where connections come from.
class factory {
 public:
  virtual ~factory() = default;
  /// Starts a connection. Throws zklock::error: errc::unresolvable_host when no server's name can be resolved,
  /// std::errc::resource_unavailable_try_again when no threads are to be had.
  /// `to` must outlive the connection's on_closed.
  [[nodiscard]] virtual std::unique_ptr<connection> open(const parameters& with, observer& to) = 0;
  /// A second one, beside one that cannot connect: a new session at the same servers. Asks no resolver: it would hold up the
  /// session. `last_server`: the one to which the other was connected last. Null: its servers are not known.
  [[nodiscard]] virtual std::unique_ptr<connection> open_newcomer(const parameters& with, observer& to,
                                                                  std::string_view /*last_server*/) {
    return open(with, to);
  }
  /// So many attempts of a connection, one after the other, try each server.
  [[nodiscard]] virtual std::size_t attempts_per_round() const { return server_count(); }
  /// Whether the last attempt of a connection found a server, which closed it. Not known: true.
  [[nodiscard]] virtual bool last_attempt_was_closed() const { return true; }
  /// Whether the handle belongs to the program: it cannot be opened a second time, and close() leaves it open.
  [[nodiscard]] virtual bool adopted() const noexcept = 0;
  /// How many threads an open connection has of its own.
  [[nodiscard]] virtual std::size_t threads_per_connection() const noexcept { return 0; }
  /// How many distinct servers are known; 0 when that cannot be known.
  [[nodiscard]] virtual std::size_t server_count() const noexcept = 0;
  [[nodiscard]] virtual client::watch_budget budget_of_watches() const noexcept { return {}; }
  /// For messages: "127.0.0.1:2181,127.0.0.1:2182".
  [[nodiscard]] virtual std::string describe() const = 0;
  /// For messages: what the last attempt to connect has met, "127.0.0.1:2181: Connection refused". Empty: not known, or
  /// a server was reached since.
  [[nodiscard]] virtual std::string last_failure() const { return {}; }
};

}  // namespace zklock::client
