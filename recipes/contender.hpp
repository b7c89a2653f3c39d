#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "recipes/acquire_spec.hpp"
#include "recipes/action.hpp"
#include "recipes/any_turn.hpp"
#include "recipes/busy_check.hpp"
#include "recipes/contender_event.hpp"
#include "recipes/node_life.hpp"
#include "recipes/node_name.hpp"
#include "recipes/queue_round.hpp"

namespace zklock::recipes {

/// What lists tell a contender of its czxid, which it does not know.
struct czxid_bounds {
  /// The pzxid of the list that let it pass, alone: no later czxid is smaller. 0: it was not alone.
  std::int64_t alone_at = 0;
  /// The pzxid of a list that showed a greater number: if the own czxid is no less, that node is older (F178). 0: none did.
  std::int64_t outnumbered_at = 0;

  bool operator==(const czxid_bounds&) const = default;
};

/// No other contender of the session is at this lock node, or none that is of any concern.
extern const session_queue no_others;

/// One attempt to acquire, in one ZooKeeper session: from the create to the removal of its node. A pure state machine:
/// an event goes in, actions come out, and every state answers every event. An event goes to the part that it concerns; the
/// part's decision is carried out.
///
///     event ──► node_life    the node: create, find again, settle, stand, remove     the same for all recipes
///           ──► queue_round  one look at the queue: all answers, or none             the same for all recipes
///           ──► any_turn     may the contender pass? what is watched meanwhile?      one file for each recipe
///
/// Invariants:
/// - `grant` only follows a list of this session in which no conflicting contender was before the own node; or the going (or
///   the downgrade) of the one node that was, in another session, with no session event and no word of the own node's going
///   in between (F104); or `passed_on`; or a create right behind a contender of this session that was alone, and has gone
///   (session_queue::alone).
/// - `refuse` or `start_over` or `grant` is given once; after `grant`, `lose` at the most once. (A `stop` after `grant`
///   is answered by `refuse` as well: it comes only while the grant has not been delivered, or when all is closed.)
/// - `finish` comes last, and only when the own node is known to be gone, or its session over, or the server forbids its
///   removal (or forbids the list in which it would be found after an unknown outcome).
class contender {
 public:
  /// `one_try`: do not wait behind another contender. `created_in_transaction`: a transaction of another machine creates its
  /// node, and `enlisted` says when. Where any other contender would create its node once more, this one says `start_over`.
  /// `known`: what an earlier contender of this lock object and session has seen of a semaphore's limit.
  contender(const contender_id& id, const acquire_spec& wanted, bool one_try, bool created_in_transaction = false,
            const limit_node& known = {});

  /// Before its first event: its list sets a watch on the children, which stands while it holds if no other child is there.
  void watch_for_others() noexcept { keeps_ = true; }
  /// `beside`: the contenders of this session at this lock node.
  [[nodiscard]] action_list resume(const contender_event& what, const session_queue& beside = no_others);

  // The state is that of the three parts.
  [[nodiscard]] node_life::state life() const noexcept { return life_.now(); }
  [[nodiscard]] queue_round::state round() const noexcept { return round_.now(); }
  [[nodiscard]] turn_state turn() const noexcept;
  /// In the queue, with its watches set.
  [[nodiscard]] bool is_waiting() const noexcept;
  [[nodiscard]] bool is_granted() const noexcept { return life_.now() == node_life::state::held; }
  [[nodiscard]] const acquire_spec& wanted() const noexcept { return spec_; }
  [[nodiscard]] std::string_view prefix() const noexcept { return life_.prefix(); }
  /// What the own node's data is to say now.
  [[nodiscard]] contender_mode mode() const noexcept;
  [[nodiscard]] std::string_view own() const noexcept { return life_.node().name; }
  [[nodiscard]] std::string_view predecessor() const noexcept;
  /// That has the turn once `own()` is removed: a contender of this session, right behind it.
  [[nodiscard]] std::string_view successor() const noexcept { return successor_; }
  /// Whether a contender of its recipe needs no list, and no watch, to know of a predecessor of its own session.
  [[nodiscard]] bool stands_in_rows() const noexcept;
  /// Whether it may not wait on without a watch on its own node. Others look at the node from time to time instead.
  [[nodiscard]] bool needs_own_watch() const noexcept;
  /// No other contender can hold while it does.
  [[nodiscard]] bool is_exclusive() const noexcept;
  /// A writer that was downgraded, and whose node says so.
  [[nodiscard]] bool reads_by_now() const noexcept;
  /// Its node is there, as far as is known, and not to be removed.
  [[nodiscard]] bool has_node() const noexcept;
  /// It awaits the answer to a list of the queue.
  [[nodiscard]] bool list_under_way() const noexcept { return round_.under_way(); }
  /// It waits, without a watch, for that contender of its session to leave.
  [[nodiscard]] bool waits_behind(std::string_view other) const noexcept;
  [[nodiscard]] fencing_token token() const noexcept { return {life_.node().czxid}; }
  /// Of a grant by a list that showed `own()` alone: greater than each earlier holder's token, smaller than each later one's.
  /// 0: no such list.
  [[nodiscard]] czxid_bounds bounds() const noexcept {
    return knows_alone_ ? czxid_bounds{.alone_at = bounds_.alone_at} : bounds_;
  }
  /// It was granted with no other child at the lock node.
  [[nodiscard]] bool passed_alone() const noexcept { return knows_alone_; }
  /// It watches the children, or is going to: no other has been seen.
  [[nodiscard]] bool keeps() const noexcept { return keeps_; }
  [[nodiscard]] refusal why_refused() const noexcept { return refused_because_; }
  /// Behind `finish`: it was granted with no other child at the lock node, and has removed its node.
  [[nodiscard]] std::optional<session_queue::alone> left_alone() const;
  /// It will have, if its removal is done.
  [[nodiscard]] std::optional<session_queue::alone> leaves_alone() const;
  /// Of one try that was refused because it would wait: behind this node. Empty: behind no single one. Nothing: it is not known.
  [[nodiscard]] std::optional<std::string_view> blocked_by() const noexcept;
  /// It holds, and one that wants that, of its recipe, would wait.
  [[nodiscard]] bool excludes(const acquire_spec& other) const noexcept;
  /// Behind `finish` also why the node may stand on.
  [[nodiscard]] code refused_with() const noexcept { return refused_with_; }
  /// Behind `finish`: another client had removed the node, before the own removal was done (F182).
  [[nodiscard]] bool found_gone() const noexcept { return refused_with_ == code::no_node; }
  /// What a semaphore's lock node has said last.
  [[nodiscard]] const limit_node& limit() const noexcept { return round_.limit(); }
  /// The spec was compared with it.
  [[nodiscard]] bool limit_agreed() const noexcept;
  /// In Curator's layout: a downgrade has been asked for, so that another node than `own()` may stand for the hold.
  [[nodiscard]] bool may_be_replaced() const noexcept { return !life_.node().becomes.empty(); }
  /// The same, and it is not under way: which node stands for the hold is known when it has gone on.
  [[nodiscard]] bool node_in_doubt() const noexcept;
  /// Whether it can go on only when there is a connection.
  [[nodiscard]] bool needs_connection() const noexcept;
  /// Whether it has what it has asked for, for now: its place in the queue and the watches there, or the lock.
  [[nodiscard]] bool at_rest() const noexcept;
  /// What its recipe says of its nodes.
  [[nodiscard]] node_terms terms() const noexcept;
  [[nodiscard]] std::string lock_node_data() const;  ///< of one that it makes, as it writes it
  /// Whether a server has answered a request of this contender: its place in the queue was seen.
  [[nodiscard]] bool queue_seen() const noexcept { return queue_seen_; }

 private:
  void on(const event::connected&, const session_queue& beside, action_list& out);
  void on(const event::disconnected&, const session_queue& beside, action_list& out);
  void on(const event::session_over&, const session_queue& beside, action_list& out);

  void on(const event::enlisted&, const session_queue& beside, action_list& out);
  void on(const event::lock_node_made&, const session_queue& beside, action_list& out);
  void on(const event::created&, const session_queue& beside, action_list& out);
  void on(const event::synced&, const session_queue& beside, action_list& out);

  void on(const event::siblings_listed&, const session_queue& beside, action_list& out);
  void on(const event::limit_read&, const session_queue& beside, action_list& out);
  void on(const event::listed&, const session_queue& beside, action_list& out);
  void on(const event::list_shown&, const session_queue& beside, action_list& out);

  void on(const event::own_watched&, const session_queue& beside, action_list& out);
  void on(const event::own_gone&, const session_queue& beside, action_list& out);
  void on(const event::own_changed&, const session_queue& beside, action_list& out);
  void on(const event::look_after_own&, const session_queue& beside, action_list& out);
  void on(const event::removed&, const session_queue& beside, action_list& out);
  void on(const event::lock_node_watched&, const session_queue& beside, action_list& out);

  void on(const event::predecessor_watched&, const session_queue& beside, action_list& out);
  void on(const event::predecessor_gone&, const session_queue& beside, action_list& out);
  void on(const event::predecessor_changed&, const session_queue& beside, action_list& out);
  void on(const event::passed_on&, const session_queue& beside, action_list& out);
  void on(const event::predecessor_left&, const session_queue& beside, action_list& out);
  void on(const event::children_changed&, const session_queue& beside, action_list& out);
  void on(const event::limit_changed&, const session_queue& beside, action_list& out);
  void on(const event::limit_stored&, const session_queue& beside, action_list& out);
  void on(const event::marked&, const session_queue& beside, action_list& out);
  void on(const event::downgrade&, const session_queue& beside, action_list& out);

  void on(const event::stop&, const session_queue& beside, action_list& out);
  void on(const event::release&, const session_queue& beside, action_list& out);

  /// Whether the turn, and no look at the queue, decides what is next.
  [[nodiscard]] bool turn_decides() const noexcept;
  template <class Event>
  void ask_turn(const Event& what, const session_queue& beside, action_list& out);
  /// A holder's turn has still to see to what its node says.
  template <class Event>
  void ask_turn_of_holder(const Event& what, const session_queue& beside, action_list& out);
  void disturb_turn();
  void ask_queue(const session_queue& beside, action_list& out);
  /// The look at the queue has ended, and the own node is known: what the turn says.
  [[nodiscard]] decision decide(round_answers all, const session_queue& beside, action_list& out);
  /// Whether it may, without a look at the lock node.
  [[nodiscard]] bool passes_alone() const noexcept;
  /// Whether a create need not be followed by a list: its number will tell, most likely, that no other contender is there.
  [[nodiscard]] bool goes_by_number(const session_queue& beside, action_list& out);
  /// Its node is there, and its number came in a row. Nothing: that tells nothing.
  [[nodiscard]] std::optional<decision> decide_by_number(const session_queue& beside);
  [[nodiscard]] decision pass_alone(std::int64_t lock_node) noexcept;
  /// Whether a create need not be followed by a list: a contender of the own session is most likely right before it.
  [[nodiscard]] bool goes_without_list(const session_queue& beside) const;
  /// Its node is there, and no list was asked for: the numbers say whether one is needed.
  [[nodiscard]] decision decide_without_list(const session_queue& beside, action_list& out);

  void carry_out(const decision& next, const session_queue& beside, action_list& out);
  void grant(action_list& out);
  /// The caller has one answer.
  void answer(const decision& refused, action_list& out);
  void remove(const session_queue& beside, action_list& out);
  void finish(action_list& out);
  void note_answer(code with) noexcept;
  void watch_own_later(action_list& out);
  void drop_watches(action_list& out);
  void drop_turn_watches(action_list& out);
  /// A watch that comes up while the node is being removed is not wanted.
  void drop_late_watches(action_list& out);

  acquire_spec spec_;
  any_turn turn_;
  node_life life_;
  queue_round round_;
  /// If `knows_alone_`, in their place the own czxid, and that of the lock node in which no other child was at the grant: there may
  /// be many contenders.
  czxid_bounds bounds_;
  heap_text successor_;   ///< that has the turn with the removal; empty: none
  heap_text blocked_by_;  ///< one try alone
  /// Whether the lock node is the same one, where numbers came in a row.
  enum class lock_node_is : std::uint8_t {
    unasked,
    asked,
    awaited,  ///< the answer decides
  };
  lock_node_is lock_node_ = lock_node_is::unasked;
  bool knows_alone_ : 1 = false;
  bool keeps_ : 1 = false;
  bool in_row_ : 1 = false;  ///< its number is one more than that of the last that was alone
  bool removed_own_ : 1 = false;
  bool queue_seen_ : 1 = false;
  bool held_alone_ : 1 = false;  ///< exclusively, and its removal has not ended
  refusal refused_because_ = refusal::none;
  code refused_with_ = code::ok;
};

}  // namespace zklock::recipes
