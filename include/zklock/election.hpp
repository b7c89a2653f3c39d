#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <zklock/acquire.hpp>
#include <zklock/clock.hpp>
#include <zklock/fencing_token.hpp>
#include <zklock/grant.hpp>
#include <zklock/options.hpp>
#include <zklock/queue.hpp>
#include <zklock/session.hpp>

namespace zklock {

namespace detail {
class election_state;
struct followed_election;
struct term_state;
namespace calls {
struct campaign;
struct proclaim;
}  // namespace calls
}  // namespace detail

/// Which names an election's nodes have: those of one recipe of Apache Curator's. All candidates of one path must use the
/// same. Candidates of different kinds do not exclude each other.
enum class election_names : std::uint8_t {
  selector,  ///< LeaderSelector's, `_c_<uuid>-lock-N`: mutexes of both layouts exclude it, too
  latch,     ///< LeaderLatch's, `_c_<uuid>-latch-N`
};

/// How a candidate stands.
struct election_options {
  /// What its node says, whole: an address, for example. Any bytes. At most about 1 MB; 1 KB is advised, since every
  /// observer reads it.
  std::string data{};
  election_names names = election_names::selector;
  std::optional<zklock::acl> acl{};  ///< if set: replaces the session's access list
  /// As lock_options::max_hold: a bound of each term, which is lost at its end (loss_reason::held_too_long). 0: none.
  std::chrono::milliseconds max_hold{0};
  /// run() stands again at the earliest this long after it stood before, unless the term was lost.
  std::chrono::milliseconds stand_interval{1'000};
  std::string name{};  ///< as lock_options::name: under which session::statistics() counts it
};

/// One term as the leader: the grant of a candidate's node. It is over at its release or at its loss, whichever is first, and
/// never later than valid_until(). The next term begins when the node is gone: after a removal by a third party that is
/// *before* this one learns of it, so guard what you write (transaction), or compare tokens where you store it.
///
/// - *Threads*: as grant.
class [[nodiscard]] ZKLOCK_EXPORT term : public grant {
 public:
  term() noexcept;
  term(term&&) noexcept;
  term& operator=(term&&) noexcept;
  ~term();

  /// What the node was last told to say.
  [[nodiscard]] std::string data() const;
  /// Changes it, for observers, and waits until a server has answered; through outages until the term is over, at the
  /// longest. Of two the later one stands. Any thread. *Errors*: errc::lost, also when an earlier try was applied;
  /// errc::request_too_large; errc::permission_denied; errc::not_owner if it is empty; those of a session. *Cost*: 1 write;
  /// 1 read each of the next in line, of each observer, and of the leader itself.
  void proclaim(std::string_view data) const;
  void proclaim(std::string_view data, std::error_code& ec) const;
  /// grant::release(): the next in line leads.
  void resign() { release(); }
  void resign(std::error_code& ec) noexcept { release(ec); }

 private:
  friend class detail::election_state;
  friend struct detail::calls::proclaim;
  term(grant&& of, std::shared_ptr<detail::term_state> state) noexcept;

  std::shared_ptr<detail::term_state> state_;
};

/// What a candidate is at.
struct election_status {
  enum class state : std::uint8_t {
    idle,      ///< neither run() nor campaign() is under way, and there is no term
    standing,  ///< it waits for its turn
    leading,
    ending,   ///< the term is over, or a stop was requested, and `f` still runs; or the node is being removed
    pausing,  ///< until election_options::stand_interval is over
    over,     ///< run() has ended
  };
  state is = state::idle;
  fencing_token token{};           ///< of the term, while there is one
  boot_clock::time_point since{};  ///< when it came to `is`
  std::uint64_t terms = 0;         ///< how many were begun
  std::error_code last_error{};    ///< of the last attempt to stand that has failed
};

[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(election_status::state value) noexcept;

/// A candidate of a leader election.
///
///     zklock::election election(session, "/app/leader", {.data = my_address});
///     election.run([&](const zklock::term& term, std::stop_token enough) {
///       while (!enough.stop_requested()) { work(term); }
///     }, stop);
///
/// - *Guide*: docs/guide/leader_election.md. *Source*: "Leader Election" in ZooKeeper's recipes; LeaderSelector and
///   LeaderLatch of Apache Curator, with whose participants it stands in one queue.
/// - *Threads*: any. One object has one candidate: run(), campaign() or a term at a time, else errc::would_deadlock.
/// - *Fork*: in a child each call fails with errc::forked.
/// - *Cost*: no thread, but that run() blocks its caller. A candidate that waits watches one node.
class ZKLOCK_EXPORT election {
 public:
  using lead_function = std::function<void(const term&, std::stop_token)>;

  /// *Errors*: errc::invalid_path, errc::invalid_option, errc::request_too_large.
  election(session& in, std::string_view path, election_options options = {});
  election(const election&) = delete;
  election& operator=(const election&) = delete;
  /// Ends run() and campaign() as a stop does. While `f` runs in another thread it waits for its return, at most for
  /// session_options::close_time_limit (docs/guide/threads.md). Not from within `f`.
  ~election();

  [[nodiscard]] const std::string& path() const noexcept;

  /// Stands, calls `f` when it leads, waits until `f` has returned, gives the lead back, and stands again at the end of the
  /// queue; until `stop`, after which it returns. `f`'s stop token is asked to stop at the end of its term, and at `stop`:
  /// then `f` should return. A lost term is told on the session's notification thread: a callback that does not return delays
  /// it, but not held(). The node of a lost term goes though `f` runs on; that of a term that was stopped stays until `f` has
  /// returned, and once each session timeout the log says so. It waits for the removal of the node, at most to the end of the
  /// term; while there is no connection not at all. Throws what `f` throws, and what standing refuses for good
  /// (errc::wrong_recipe, errc::permission_denied …), when it has given back. An outage is no error: it waits; with an adopted
  /// handle that has expired, for readopt(). *Errors*: errc::session_closed; errc::would_deadlock, also in callbacks of this
  /// library.
  void run(const lead_function& f, std::stop_token stop = {});

  /// For those who own their loop: waits for the lead. *Errors*: errc::abandoned after a stop; those of acquiring a mutex.
  [[nodiscard]] term campaign(std::stop_token stop = {});
  /// Empty: not in time. *Errors*: also errc::not_connected, when no server has answered in this time: unlike run(), it does
  /// not wait through an outage.
  template <class Rep, class Period>
  [[nodiscard]] term campaign(const std::chrono::duration<Rep, Period>& time, std::stop_token stop = {}) {
    return campaign_within(detail::time_limit::from_duration(time), std::move(stop));
  }

  [[nodiscard]] election_status status() const;
  /// For a health check. False: `f` still runs `max_late` after its stop; run() has ended by an error; or there has been no
  /// connection for `max_late` (a server that does not answer is given up after 2/3 of the session timeout). A candidate that
  /// waits is healthy.
  [[nodiscard]] bool healthy(std::chrono::milliseconds max_late) const;
  /// All candidates, the leader first: as a lock's queue().
  [[nodiscard]] std::vector<participant> queue() const;

 private:
  friend struct detail::calls::campaign;
  term campaign_within(detail::time_limit limit, std::stop_token stop);

  std::shared_ptr<detail::election_state> state_;
};

/// Who is first in an election's queue. It is first on the servers: it may not know it yet, may have stopped, may never lead.
struct leader_view {
  enum class state : std::uint8_t {
    unknown,  ///< no server has answered yet
    present,  ///< there is one
    none,     ///< there is no candidate
    refused,  ///< `error`: errc::permission_denied; errc::wrong_recipe if there are contenders of different kinds, which is
              ///< seen when who leads has to be found out: at the begin, and when a leader goes
  };
  state is = state::unknown;
  fencing_token token{};        ///< of the term
  std::string data{};           ///< what its node says: election_options::data, or a Java participant's id
  bool hidden = false;          ///< an access list hides `data`
  std::string node{};           ///< its path
  std::int64_t session_id = 0;  ///< of the leader
  std::error_code error{};
  bool current = false;            ///< false from the loss of the connection until the first answer behind the next one
  boot_clock::time_point as_of{};  ///< when a server last showed it, or said that it is current
  std::uint64_t change = 0;        ///< grows by one with each change of any of these

  [[nodiscard]] explicit operator bool() const noexcept { return is == state::present; }
};

/// The names of the values: "present", "unknown" …
[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(leader_view::state value) noexcept;

/// Follows who leads, for those who do not stand.
///
///     zklock::election_observer leader(session, "/app/leader");
///     if (const zklock::leader_view now = leader.current()) { redirect(now.data); }
///
/// - *Order*: tokens only grow, across reconnects, servers, expiries and readopt(). Terms and proclamations may be missed,
///   never the last one; that there is no candidate is told as well, unless one has come meanwhile.
/// - *Servers that have lost their data*: the first leader of a new session counts, whatever its token.
/// - *Threads*: any number. *Blocking*: constructor and current() do not wait.
/// - *Lifetime*: may outlive the session; after session::close() current() keeps its last answer, not current.
/// - *Moved from*: it may only be destroyed, or assigned to.
/// - *Cost*: a change of leader 1 list and 1 read; a proclamation 1 read; what others do nothing. No thread.
class ZKLOCK_EXPORT election_observer {
 public:
  /// `f` is called as watched_value::observe() calls its function: with the view at hand, and with the latest at each change.
  /// Null: nothing is called. *Errors*: errc::invalid_path, errc::forked.
  election_observer(session& in, std::string_view path, std::function<void(const leader_view&)> f = {});
  election_observer(election_observer&& other) noexcept;
  election_observer& operator=(election_observer&& other) noexcept;
  ~election_observer();

  [[nodiscard]] const std::string& path() const noexcept;
  /// From memory, without a request. *Errors*: errc::forked.
  [[nodiscard]] leader_view current() const;

 private:
  std::shared_ptr<detail::followed_election> followed_;
};

/// Who leads, read once, no older than this call. No leader: leader_view::state::none. *Errors*: errc::wrong_recipe,
/// errc::permission_denied; errc::not_connected after `time_limit`; those of a session. *Cost*: 2 round trips.
[[nodiscard]] ZKLOCK_EXPORT leader_view leader(session& in, std::string_view path,
                                               std::chrono::milliseconds time_limit = std::chrono::seconds(10));

namespace detail {
[[nodiscard]] ZKLOCK_EXPORT std::optional<leader_view> wait_leader_for(session& in, std::string_view path,
                                                                       std::chrono::nanoseconds limit,
                                                                       std::stop_token stop);
}  // namespace detail

/// The first leader that is seen. Empty: not in time, or a stop was requested. For programs that start before their leader.
/// *Errors*: those of leader(), but errc::not_connected: an outage is waited for.
template <class Rep, class Period>
[[nodiscard]] std::optional<leader_view> wait_leader(session& in, std::string_view path,
                                                     const std::chrono::duration<Rep, Period>& time,
                                                     std::stop_token stop = {}) {
  return detail::wait_leader_for(in, path, detail::bounded_time(time), std::move(stop));
}

}  // namespace zklock
