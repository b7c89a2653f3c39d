#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "recipes/code.hpp"
#include "recipes/contender_data.hpp"
#include "recipes/contender_name.hpp"
#include "recipes/permit_limit.hpp"
#include "recipes/queue.hpp"

namespace zklock::recipes {

/// What a contender wants of its lock.
struct claim {
  contender_kind kind = contender_kind::mutex;
  std::uint32_t permits = 1;  ///< of a semaphore
  std::uint32_t limit = 0;    ///< which the semaphore must have, and is given if it has none; 0: whatever it has
  bool agreed = false;        ///< it was compared before: who waits already goes by what the limit becomes
  layout as = layout::native;
  bool below = false;  ///< the lock node stands below the path that names the lock: nobody may contend right under that
};

/// Why a contender was refused: what the caller is told.
enum class refusal : std::uint8_t {
  none,
  not_in_time,       ///< its limit has passed, or it was one try and somebody is before it
  abandoned,         ///< its caller does not want it any more
  closed,            ///< the session object is being closed
  wrong_recipe,      ///< the lock node is used by another recipe
  exhausted,         ///< the lock node's sequence counter is near its end
  no_limit,          ///< the semaphore's lock node does not say how many permits there are
  limit_mismatch,    ///< it says another number than the one claimed
  limit_exceeded,    ///< more permits are wanted than there are
  too_many_watches,  ///< no watch can be afforded on this handle
  server_error,      ///< a server has refused a request: `contender::refused_with()`
};

/// What happens to a contender. Codes and names come from replies; nothing else comes in.
namespace event {

struct connected {};     ///< there is a connection (again), in the session this contender lives in
struct enlisted {};      ///< by another: the transaction that creates its node has been sent
struct disconnected {};  ///< the connection was lost; the session may live
struct session_over {};  ///< the session is over, and its nodes with it
/// `without_root`: not even the topmost part has a parent: the handle's chroot is not there.
struct lock_node_made {
  recipes::code code;
  bool without_root = false;
};
struct created {
  recipes::code code;
  std::string_view name;
  fencing_token token;
};  ///< name without directory; token 0: not told
struct synced {
  recipes::code code;
};
struct listed {
  recipes::code code;
  std::span<const std::string> children;
};
/// What stands beside the lock node, under the same parent.
struct looked_beside {
  recipes::code code;
  std::span<const std::string> children;
};
/// The lock node's data.
struct limit_read {
  recipes::code code;
  std::string_view data;
  std::int32_t version = 0;
};
struct limit_stored {
  recipes::code code;
};
struct marked {
  recipes::code code;
};
/// `owned`: the node's ephemeralOwner is the session this contender lives in.
struct own_watched {
  recipes::code code;
  fencing_token token;
  bool owned;
};
struct predecessor_watched {
  recipes::code code;
  bool same_session = false;  ///< its ephemeralOwner is the session this contender lives in
  contender_mode mode = contender_mode::write;
};
struct removed {
  recipes::code code;
};
struct own_gone {};     ///< the watch on the own node: it was deleted
struct own_changed {};  ///< the watch on the own node: somebody has set its data
struct predecessor_gone {};
struct predecessor_changed {};
struct children_changed {};  ///< the watch on the lock node's children
struct limit_changed {};     ///< the watch on the lock node's data
struct downgrade {};         ///< a write lock's holder goes on as a reader
struct stop {
  refusal why;
};                         ///< from the caller, who is answered at once
struct release {};         ///< the grant is given back
struct look_after_own {};  ///< a heartbeat: a holder watches its own node from now on (F13)

}  // namespace event

using contender_event =
    std::variant<event::connected, event::enlisted, event::disconnected, event::session_over, event::lock_node_made,
                 event::created, event::synced, event::listed, event::looked_beside, event::limit_read,
                 event::limit_stored, event::marked, event::own_watched, event::predecessor_watched, event::removed,
                 event::own_gone, event::own_changed, event::predecessor_gone, event::predecessor_changed,
                 event::children_changed, event::limit_changed, event::stop, event::release, event::look_after_own,
                 event::downgrade>;

/// What a contender wants done. Each request is answered by exactly one event, in the order of the requests.
enum class action : std::uint8_t {
  make_lock_node,     ///< create the lock node and what is missing above it       -> lock_node_made
  create_own,         ///< create the node `prefix()`, ephemeral and sequential    -> created
  sync,               ///< a write that changes nothing: it asks the quorum, too      -> synced
  list,               ///< list the lock node's children                           -> listed
  look_beside,        ///< list the children of the lock node's parent             -> looked_beside
  watch_own,          ///< get with a watch on `own()`                             -> own_watched
  watch_predecessor,  ///< get with a watch on `predecessor()`                     -> predecessor_watched
  read_limit,         ///< get the lock node                                       -> limit_read
  store_limit,  ///< create the `limit_keeper`, which is not answered, and set the lock node's data to the claimed limit,
                ///< if its version is still `limit_version()`               -> limit_stored
  watch_limit,         ///< get with a watch on the lock node                       -> limit_read
  watch_children,      ///< list with a watch on the lock node                      -> listed
  mark_own,            ///< set the own node's data: `mode()`                       -> marked
  go_on_as_reader,     ///< in one transaction create `reader()`, ephemeral, and remove `own()` -> marked
  forget_limit,        ///< drop the watch that the last watch_limit has set
  forget_children,     ///< drop the watch that the last watch_children has set
  forget_predecessor,  ///< drop the watch that the last watch_predecessor has set
  forget_own,          ///< drop the watch that the last watch_own has set
  remove_own,          ///< remove the node `own()`                                 -> removed
  grant,               ///< the lock is held, with `token()`
  refuse,              ///< answer the caller: `why_refused()`
  lose,                ///< the hold is lost: the own node is gone
  start_over,          ///< this contender is void; try with a new one, if there is time left
  finish,              ///< nothing of this contender is left on the server: drop it
};

/// A few actions, in the order in which they are to be done. No allocation.
class action_list {
 public:
  action_list() = default;
  template <class... Actions>
  explicit action_list(Actions... several) {
    (push(several), ...);
  }
  void push(action one) { items_[size_++] = one; }
  [[nodiscard]] const action* begin() const noexcept { return items_.data(); }
  [[nodiscard]] const action* end() const noexcept { return items_.data() + size_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

 private:
  std::array<action, 8> items_{};
  std::uint8_t size_ = 0;
};

/// One attempt to acquire, in one ZooKeeper session: from the create to the removal of its node.
///
///     idle ──► entering ──► watching ──► waiting ──► granted ──► removing ──► finished
///                │  ▲          ▲  │         │
///        unknown ▼  │          │  ▼         │ somebody has gone, and a list has to tell what that means
///      unsettled ─► searching  listing ◄────┘
///
/// A pure state machine: `resume(event)` gives the actions, and every state answers every event. It serves every recipe:
/// `policy_of(claim.kind)` says for whom it has to wait. Source: the lock and shared-lock recipes of the ZooKeeper
/// documentation, with the recovery by id of Curator's protected creates.
///
/// - A mutex and a writer wait for their nearest predecessor, a reader for the nearest writer before it; a writer that was
///   downgraded says so in its data, and lets readers pass.
/// - A semaphore's waiter waits for its predecessor to go or to be granted (which that one marks in its own data: F106).
///   Then it is `next`: it watches the lock node's children and data, since any holder may leave.
/// - In Curator's layout: a semaphore's permit is a `lease`, asked for by who has the mutex beside the leases (places of
///   one attempt: multi_contender). It is `next` until there is room. A writer goes on reading as another node.
/// - One that is enlisted by another does not create its node: a transaction does, with those of others (multi_contender).
///   Where any other contender would create its node once more, it says `start_over`.
///
/// Invariants:
/// - The name is asked for once at a time: another create is sent only when the outcome of the one before is known.
/// - `grant` only follows a list of this session in which nobody conflicting was before the own node, or the going (or the
///   downgrade) of the one node that was, in another session, with no session event and no word of the own node's going in
///   between (F104).
/// - `refuse` or `start_over` or `grant` is given once; after `grant`, `lose` at the most once. (A `stop` after `grant`
///   is answered by `refuse` as well: it comes only while the grant has not been delivered, or when all is closed.)
/// - `finish` comes last, and only when the own node is known to be gone, or its session over, or the server forbids its
///   removal (or forbids the list in which it would be found after an unknown outcome).
class contender {
 public:
  enum class state : std::uint8_t {
    idle,         ///< not begun: waits for a connection
    entering,     ///< create and list are under way
    unsettled,    ///< the create's outcome is unknown; waits for a connection
    searching,    ///< that write and a list are under way, to find the own node by its id
    settling,     ///< the node was found; its token is asked for
    listing,      ///< a list is under way; the own node is known
    storing,      ///< a semaphore's first use: its limit is being stored
    interrupted,  ///< the list has to be asked again; waits for a connection
    watching,     ///< the watches are being set
    waiting,      ///< the watches stand
    granted,
    removing,   ///< the removal is under way
    unremoved,  ///< the removal's outcome is unknown; waits for a connection
    finished,
  };

  /// `one_try`: do not wait behind anybody. `enlisted_by_another`: somebody else sends the transaction that creates its
  /// node, and says `enlisted`.
  contender(const contender_id& id, const claim& wanted, bool one_try, bool enlisted_by_another = false);

  [[nodiscard]] action_list resume(const contender_event& what);

  [[nodiscard]] state now() const noexcept { return state_; }
  [[nodiscard]] const contender_id& id() const noexcept { return id_; }
  [[nodiscard]] const claim& wanted() const noexcept { return claim_; }
  [[nodiscard]] std::string prefix() const { return contender_prefix(claim_.kind, id_, claim_.permits, claim_.as); }
  /// In Curator's layout: as which a writer goes on reading.
  [[nodiscard]] std::string reader() const { return curator_reader_of(own_); }
  /// What the own node's data is to say now.
  [[nodiscard]] contender_mode mode() const noexcept;
  [[nodiscard]] const std::string& own() const noexcept { return own_; }
  [[nodiscard]] const std::string& predecessor() const noexcept { return predecessor_; }
  [[nodiscard]] fencing_token token() const noexcept { return token_; }
  [[nodiscard]] refusal why_refused() const noexcept { return refusal_; }
  [[nodiscard]] code refused_with() const noexcept { return refused_with_; }
  /// What a semaphore's lock node has said last. Nothing: no limit.
  [[nodiscard]] const std::optional<permit_limit>& limit() const noexcept { return limit_; }
  [[nodiscard]] std::int32_t limit_version() const noexcept { return limit_version_; }
  /// The claim was compared with it.
  [[nodiscard]] bool limit_agreed() const noexcept { return limit_agreed_; }
  /// In Curator's layout: a downgrade is neither done nor under way, so that which node stands for the hold is not known.
  [[nodiscard]] bool node_in_doubt() const noexcept { return reader_may_stand_ && !mark_asked_; }
  /// Whether it can go on only when there is a connection.
  [[nodiscard]] bool needs_connection() const noexcept;
  /// Whether it has what it has asked for, for now: its place in the queue and the watches there, or the lock.
  [[nodiscard]] bool at_rest() const noexcept {
    return state_ == state::waiting || (state_ == state::granted && !mark_owed_);
  }
  /// Whether its lock node can be made if it is missing: a semaphore's only by who says how many permits there are to be.
  [[nodiscard]] bool can_make_lock_node() const noexcept { return !wants_permits() || claim_.limit != 0; }
  /// Whether a server has answered a request of this contender: its place in the queue was seen.
  [[nodiscard]] bool queue_seen() const noexcept { return queue_seen_; }

 private:
  action_list on(const event::connected&);
  action_list on(const event::enlisted&);
  action_list on(const event::disconnected&);
  action_list on(const event::session_over&);
  action_list on(const event::lock_node_made&);
  action_list on(const event::created&);
  action_list on(const event::synced&);
  action_list on(const event::listed&);
  action_list on(const event::looked_beside&);
  action_list on(const event::limit_read&);
  action_list on(const event::limit_stored&);
  action_list on(const event::marked&);
  action_list on(const event::own_watched&);
  action_list on(const event::predecessor_watched&);
  action_list on(const event::removed&);
  action_list on(const event::own_gone&);
  action_list on(const event::own_changed&);
  action_list on(const event::predecessor_gone&);
  action_list on(const event::predecessor_changed&);
  action_list on(const event::children_changed&);
  action_list on(const event::limit_changed&);
  action_list on(const event::stop&);
  action_list on(const event::release&);
  action_list on(const event::look_after_own&);
  action_list on(const event::downgrade&);

  // its node (contender.cpp)
  action_list enter(bool make_lock_node);
  action_list entered(const event::listed& list);
  action_list search();
  action_list searched(const event::listed& list);
  action_list start_over();
  action_list finish();
  action_list lose();
  action_list refuse(refusal why, code with = code::ok);
  action_list refuse_without_node(refusal why, code with = code::ok);
  action_list remove();
  void answer(action_list& actions, refusal why, code with);
  void note_answer(code with) noexcept;

  // its turn (contender_turn.cpp)
  void look(action_list& actions);
  action_list list();
  action_list looked(const event::listed& list);
  action_list decide(std::span<const std::string> children);
  std::optional<action_list> judge_limit(const verdict& seen);
  action_list watch(const verdict& seen);
  action_list watch_queue();
  action_list watches_answered();
  action_list predecessor_went();
  action_list look_after_own();
  void drop_watches(action_list& actions);
  void drop_watches_for_turn(action_list& actions);
  [[nodiscard]] bool wants_permits() const noexcept { return claim_.kind == contender_kind::permit; }
  [[nodiscard]] bool wants_lease() const noexcept { return claim_.kind == contender_kind::lease; }
  [[nodiscard]] bool looks_beside() const noexcept { return claim_.below; }
  [[nodiscard]] bool of_curator() const noexcept { return claim_.as == layout::curator; }
  [[nodiscard]] bool may_pass_unseen() const noexcept;
  [[nodiscard]] bool predecessor_is_marked() const noexcept;

  // its hold (contender_hold.cpp)
  action_list grant(bool followed);
  action_list mark();
  action_list went_on_as_reader();

  contender_id id_;
  claim claim_;
  queue_policy policy_;
  bool one_try_;
  bool enlisted_by_another_;

  state state_ = state::idle;
  std::string own_;          ///< empty until the own node is known
  std::string predecessor_;  ///< the node that is, or is being, watched
  std::string marked_;       ///< a predecessor whose mark was seen
  fencing_token token_;
  refusal refusal_ = refusal::none;
  code refused_with_ = code::ok;

  bool answered_ = false;  ///< the caller has its answer, so the node has to go
  bool queue_seen_ = false;
  bool waited_ = false;
  bool next_ = false;         ///< it watches the lock node, not a predecessor
  bool sole_ = false;         ///< the last list showed `predecessor_` as the only conflicting one before the own
  bool undisturbed_ = false;  ///< no session event since that list
  bool own_watch_ = false;    ///< a watch on the own node stands
  bool own_asked_ = false;    ///< a watch_own is unanswered
  bool own_went_ = false;     ///< the own node was reported gone while a watch was being set
  bool predecessor_watch_ = false;
  bool predecessor_ours_ = false;  ///< it lives in the same session
  bool predecessor_asked_ = false;
  bool predecessor_went_ = false;  ///< the predecessor went, or let pass, while the other watch was being set
  bool children_watch_ = false;
  bool children_asked_ = false;
  bool limit_watch_ = false;
  bool limit_asked_ = false;   ///< a watch_limit is unanswered
  bool limit_stale_ = false;   ///< it was reported changed, and not read since
  bool limit_agreed_ = false;  ///< it was compared with the claim
  bool limit_empty_ = false;   ///< the lock node has no data
  bool own_marked_ = false;    ///< the own node is to be marked, or is
  bool mark_owed_ = false;     ///< the mark is not confirmed
  bool mark_asked_ = false;    ///< a mark_own is unanswered
  bool reader_may_stand_ =
      false;  ///< the transaction that makes `reader()` has been sent, and `own()` is still the writer
  bool reader_unsettled_ = false;  ///< the outcome of such a transaction is not known
  bool mixed_beside_ = false;      ///< contenders of another recipe stand beside the lock node
  bool without_root_ = false;
  std::int32_t limit_version_ = 0;
  std::optional<permit_limit> limit_;
  contender_mode predecessor_mode_ = contender_mode::write;
  code made_ = code::ok;  ///< the answers of this round, kept until the last of them is there
  code created_ = code::ok;
  code synced_ = code::ok;
  code limit_code_ = code::ok;
  code own_result_ = code::ok;
  code predecessor_result_ = code::ok;
};

}  // namespace zklock::recipes
