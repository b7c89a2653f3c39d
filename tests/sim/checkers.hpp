#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "src/engine/hold.hpp"
#include "src/testing/ensemble_model.hpp"
#include "tests/sim/bound_checker.hpp"
#include "tests/sim/grant_checker.hpp"
#include "tests/sim/leader_checker.hpp"
#include "tests/sim/owner_checker.hpp"
#include "tests/sim/participants_checker.hpp"
#include "tests/sim/transcript.hpp"
#include "tests/sim/turn_checker.hpp"
#include "tests/sim/value_checker.hpp"
#include "tests/sim/work_checker.hpp"
#include "tests/sim/write_checker.hpp"

namespace zklock::sim {

struct violation {
  std::string checker;  ///< its name, as `checkers` lists them
  std::string what;
};

/// What must hold in every schedule, judged from outside: from what programs asked and were told, from requests and
/// events on the port, and from the leader's nodes. No look into a machine.
///
/// | name | says |
/// |---|---|
/// | one_holder | readers may overlap, nothing overlaps a writer or a mutex's holder; and no grant while a contender
/// that came before, and conflicts, still stands  |
/// | permits_within_limit | the permits held never exceed the highest limit since each of them was asked for (F58, F62) |
/// | first_come_first_served | no permits while those that came before, and these, are more than there are |
/// | all_or_none | the parts of a multi-lock are created together, granted together and lost together (F65 to F67) |
/// | tokens_rise | tokens of successive grants that exclude each other rise strictly  |
/// | finishes_once | every acquire and every awaited release is answered once, and a loss told once  |
/// | nothing_left | when quiet: no contender node, watch, pending request or context is left  |
/// | one_node_per_attempt | no two nodes bear the same id, ever, unless force was used (F01, F02, F04); but a writer's in
/// Curator's layout, as which it goes on reading |
/// | one_wake_up | a contender's going wakes exactly those that had it as nearest predecessor (F23, F57) |
/// | one_first_waiter | the lock node of a semaphore is watched by one waiter at the most |
/// | no_idle_permit | no contender waits for permits that it may have, once nothing is under way (F59, F106) |
/// | no_waiter_sleeps | no contender waits although it is its turn, or without a watch on a node that is there, once
/// nothing is under way (F21, F22) |
/// | place_kept | no session that stands is given up without a server's word, but for a hold lost at its deadline (F183) |
/// | own_node_missed | no contender waits on although its own node has gone, once nothing is under way (F104) |
/// | granted_with_a_node | no contender is granted whose node was removed while it had to wait (F104) |
/// | everybody_granted | once faults have stopped, all contenders that wait without a limit are granted; a contender is
/// refused only if it asked for that, its time is up, it wants more permits than there were, or it tried once behind
/// another one |
/// | limit_kept | a contender with a limit is answered at it, at the latest (F27, F28) |
/// | loss_told | past its deadline, a holder has been told (F10, F15) |
/// | requests_bounded | no more requests than the hand-overs, events and reconnects explain (F23) |
/// | participants_true | a listing shows only those that stood meanwhile, all that stood all the while, in order (F51) |
/// | guarded_write | a guarded write is applied only while its guard stands, and not after the grant of a later holder (F96) |
/// | release_told_truly | a release says that the hold was lost only if it was, or if force has removed a node of it (F182) |
/// | written_once | a guarded write is applied once at the most (F08) |
/// | write_told_truly | a guarded write is told to be applied, or not, as it is; or to be of unknown outcome (F08) |
/// | counts_are_the_owners, one_contender_per_owner | see owner_checker |
/// | value_never_older, value_current, value_at_rest, update_told_truly, update_shown | see value_checker |
/// | leader_never_older, leader_current, leader_at_rest, proclaimed_truly | see leader_checker |
/// | one_work_at_a_time, given_back_behind_the_work | see work_checker |
/// | turns_in_order, turns_within_bounds, turn_before_deadline, turn_after_loss | see turn_checker |
/// | bound_kept, bound_alone, extended_in_time, node_stands_for_the_margin | see bound_checker |
/// | reentry_is_local | re-entry sends nothing, and succeeds exactly while the hold stands (F40, F41) |
///
/// Two things no client can prevent are excused, as promise 1 says: a holder whose node or session was ended by force
/// counts no more as holder, and its late grant is no step back of the tokens.
class checkers {
 public:
  explicit checkers(std::vector<lock_plan> locks)
      : locks_(std::move(locks)), lock_nodes_(lock_nodes_of(locks_)), limits_(locks_.size(), 0) {}
  checkers(const checkers&) = delete;
  checkers& operator=(const checkers&) = delete;

  [[nodiscard]] const std::optional<violation>& found() const noexcept { return found_; }
  /// A holder was not told that the servers have lowered its timeout, and have ended its session by it: no client can
  /// know, and another one was granted beside it. Counted apart.
  [[nodiscard]] bool excused_by_untold_timeout() const noexcept { return excused_; }

  /// A server may be behind the leader: a try may be told of what stood before it.
  void servers_may_lag() { may_lag_ = true; }
  /// Threads of one program share a session: what passes the port is the host's.
  void same_session(int client, int host) { hosts_[client] = host; }
  /// An error that this test is about. Any other refusal of a contender without a limit is a violation.
  void may_be_refused_with(std::error_code why) { expected_errors_.push_back(why); }

  // ---- what programs ask and are told
  void attempt_begun(int client, std::uint64_t attempt, std::optional<instant> limit, bool once,
                     const std::vector<want>& wanted, const testing::ensemble& servers);
  void abandon_begun(int client, std::uint64_t attempt);
  void close_begun(int client) { closed_.insert(session_of(client)); }
  void id_made(int client, std::string_view id);
  void granted(int client, std::uint64_t attempt, const std::vector<want>& wanted,
               const std::shared_ptr<detail::hold>& hold, const testing::ensemble& servers);
  void downgraded(const detail::hold& hold) {
    grants_.downgraded(hold);
    turns_.downgraded(hold);
  }
  void refused(int client, std::uint64_t attempt, std::error_code why, instant now);
  void extended(const detail::hold& hold, bool accepted, instant to) { bounds_.extended(hold, accepted, to); }
  [[nodiscard]] bound_checker& bounds() noexcept { return bounds_; }
  void reentered(int client, const detail::hold& hold, bool entered, bool sent_something, instant now);
  void released(int client, const detail::hold& hold);
  void release_awaited(int client) { ++releases_awaited_[client]; }
  /// `hold`: null: it was given back before.
  void release_answered(int client, const detail::hold* hold, std::error_code result, const testing::ensemble& servers);
  void loss_told(int client, const detail::hold& hold);
  void following_begun(int client) {
    ++traffic_[session_of(client)].followings;
    values_.begun(client);
  }
  void observing_begun(int client) {
    ++traffic_[session_of(client)].observings;
    leaders_.begun(client);
  }
  void revoked(int client) { ++traffic_[session_of(client)].revocations; }
  void limit_change_begun(int client) { ++traffic_[session_of(client)].limit_changes; }
  void look_begun(int client, instant limit, const testing::ensemble& servers);
  [[nodiscard]] participants_checker& participants() noexcept { return participants_; }
  [[nodiscard]] write_checker& writes() noexcept { return writes_; }
  [[nodiscard]] value_checker& values() noexcept { return values_; }
  [[nodiscard]] leader_checker& leaders() noexcept { return leaders_; }
  [[nodiscard]] work_checker& works() noexcept { return works_; }
  [[nodiscard]] owner_checker& owners() noexcept { return owners_; }
  /// Of all that they judge by, for callers that compare and do not judge.
  [[nodiscard]] transcript& seen() noexcept { return seen_; }
  [[nodiscard]] bool followers_at_rest() const { return values_.all_at_rest() && leaders_.all_at_rest(); }
  void crashed(int client);
  /// A stopped process knows nothing, and answers nothing in time.
  void stopped(int client) { stopped_.insert(client); }
  void continued(int client, instant now);

  // ---- what passes the port
  void asked(int client, const client::any_request& what);
  void watch_stands(int client, client::watch_id id, const std::string& path);
  void watch_ended(int client, client::watch_id id, std::optional<client::node_event> by);
  void answered_without_node(int client) { ++traffic_[client].missing; }
  void answered_hidden(int client) { ++traffic_[client].hidden; }
  /// A request about the followed node has failed, or has found that it is there, and did not read it.
  void value_to_be_read_again(int client) { ++traffic_[client].values_again; }
  void session_event(int client, client::connection_state state);
  void handle_closed(int client);

  // ---- what is done to the nodes
  /// What happens to the nodes in the next step is done by force, to this node (empty: to those of a session).
  void forced(bool by_force) noexcept { by_force_ = by_force; }
  void nodes_may_have_changed(const testing::ensemble& servers);
  /// The servers begin anew, with nothing: tokens start again, and no session of before ends by their word.
  void history_lost() {
    grants_.history_lost();
    values_.history_lost();
    leaders_.history_lost();
  }
  /// A session object gives up that session, without the loss of a hold that would have to be.
  void session_given_up(int client, std::int64_t session, const testing::ensemble& servers);

  // ---- at certain points
  /// Nothing is under way; only time could move something.
  void quiescent(const testing::ensemble& servers, const std::vector<bool>& connected, instant now);
  void time_has_passed(const testing::ensemble& servers);
  struct remains {
    std::size_t contenders = 0, watches = 0, watched_lock_nodes = 0;
  };
  void finished(const testing::ensemble& servers, const std::map<int, remains>& left_in_sessions);
  /// Time is up although faults have stopped long ago.
  void never_finished(const testing::ensemble& servers);

  void report(std::string checker, std::string what);

 private:
  struct attempt {
    std::optional<instant> limit;
    bool once = false;
    std::vector<want> wanted;
    bool over = false;
    bool abandoned = false;
    bool had_to_wait = false;       ///< another contender stood before it, at some time
    bool node_removed = false;      ///< by force, and no other one has come since
    std::string removed_in_wait{};  ///< the node that was removed by force while it had to wait
    instant sleeps_since{-1};
    instant nodeless_since{-1};
    instant entitled_since{-1};
    instant in_touch_since{-1};             ///< and the limits are what they were
    std::vector<std::uint32_t> limits_max;  ///< by lock, of those that it may still go by
    std::vector<std::uint32_t> limits_min;  ///< by lock, since it was begun
  };
  using node = contender_node;
  struct gone_node {
    std::set<int> queue;     ///< clients: those with a contender that stood when it went
    std::set<int> expected;  ///< clients: those that watched it
    int waiters = 0;         ///< contenders that had it as nearest predecessor
    std::set<int> woken;
    bool by_force = false;
  };
  struct traffic {
    std::array<std::uint64_t, std::variant_size_v<client::any_request>> by_kind{};
    std::uint64_t own_creates = 0, of_permits = 0, multis = 0, beside = 0, limits = 0, limit_changes = 0, missing = 0,
                  hidden = 0, probes = 0, followings = 0, observings = 0, values = 0, values_again = 0,
                  value_events = 0, handles = 0, node_events = 0, session_events = 0, grants = 0, looks = 0,
                  glances = 0, tries = 0, revocations = 0;
  };

  [[nodiscard]] grant_checker::scene scene(instant now) const;
  [[nodiscard]] bool is_lock(std::string_view path) const;
  [[nodiscard]] bool is_watched_by_first_waiters(std::string_view path) const;
  [[nodiscard]] bool is_ghost(const contender_node& one) const;
  [[nodiscard]] bool is_its_turn(int client, std::uint64_t attempt, bool& of_permits) const;
  void judge_turn(int client, std::uint64_t attempt, struct attempt& one, bool can_tell, instant now);
  void judge_refusal(int client, const attempt& one, std::error_code why, instant now);
  void judge_own_node(int client, std::uint64_t attempt, struct attempt& one, bool can_tell, instant now);
  void note_limits_known(attempt& one, bool can_tell, instant now);
  void note_contender(node& fresh, const std::string& path);
  void note_waits();
  [[nodiscard]] bool would_wait(const want& what) const;
  [[nodiscard]] bool holds_itself(int client, const std::vector<want>& wanted);
  void judge_first_waiters(const testing::ensemble& servers, const std::vector<bool>& connected, instant now);
  void note_limits(const testing::ensemble& servers);
  void note_ended_untold(const testing::ensemble& servers);
  void node_went(const std::string& path, const node& was);
  void check_requests(int client);
  [[nodiscard]] int session_of(int client) const;
  [[nodiscard]] bool shares_session(int client) const;

  const std::vector<lock_plan> locks_;
  const std::vector<lock_node> lock_nodes_;
  std::vector<std::uint32_t> limits_;  ///< in force, by lock
  bool may_lag_ = false;
  std::set<std::size_t> used_;  ///< locks that have had a contender
  transcript seen_;
  std::optional<violation> found_;
  std::map<std::pair<int, std::uint64_t>, attempt> attempts_;
  std::map<int, int> releases_awaited_;
  std::map<int, int> hosts_;  ///< guest -> host
  std::vector<std::error_code> expected_errors_;
  const grant_checker::reporter report_ = [this](std::string checker, std::string what) {
    if (ended_untold_) {
      excused_ = true;
    } else {
      report(std::move(checker), std::move(what));
    }
  };
  grant_checker grants_{locks_, report_};
  bool ended_untold_ = false;
  bool excused_ = false;
  participants_checker participants_{locks_.front().path, [this](std::string checker, std::string what) {
                                       report(std::move(checker), std::move(what));
                                     }};
  owner_checker owners_{[this](std::string checker, std::string what) { report(std::move(checker), std::move(what)); }};
  write_checker writes_{[this](std::string checker, std::string what) { report(std::move(checker), std::move(what)); }};
  value_checker values_{[this](std::string checker, std::string what) { report(std::move(checker), std::move(what)); }};
  leader_checker leaders_{locks_.front().path, [this](std::string checker, std::string what) {
                            report(std::move(checker), std::move(what));
                          }};
  work_checker works_{[this](std::string checker, std::string what) { report(std::move(checker), std::move(what)); }};
  bound_checker bounds_{locks_,
                        [this](std::string checker, std::string what) { report(std::move(checker), std::move(what)); }};
  turn_checker turns_{locks_,
                      [this](std::string checker, std::string what) { report(std::move(checker), std::move(what)); }};
  std::size_t most_nodes_ = 0;  ///< at once
  std::set<int> crashed_;
  std::set<int> stopped_;
  std::set<int> closed_;                                ///< sessions, by their users
  std::map<std::string, int, std::less<>> ids_;         ///< id -> client
  std::set<std::string, std::less<>> ids_seen_;         ///< ids that a node has borne
  contender_nodes nodes_;                               ///< that stand now
  std::map<std::string, gone_node, std::less<>> gone_;  ///< by path
  std::map<std::pair<int, client::watch_id>, std::string> watches_;
  std::map<int, traffic> traffic_;
  std::int64_t seen_zxid_ = 0;
  std::map<std::string, instant, std::less<>> several_first_since_;  ///< by lock
  std::map<int, client::connection_state> last_event_;               ///< by client
  std::set<int> forced_;  ///< clients: one that has not heard that its node went watches on for a while
  bool by_force_ = false;
};

}  // namespace zklock::sim
