#pragma once

#include <cstdint>
#include <string_view>

#include "recipes/action.hpp"
#include "recipes/contender_event.hpp"
#include "recipes/decision.hpp"
#include "recipes/node_name.hpp"
#include "recipes/watch.hpp"

namespace zklock::recipes {

/// The life of one contender's node, from the create to the removal, in one ZooKeeper session: the same for all recipes.
/// Source: the recovery by id is that of Curator's protected creates.
///
///     idle ──► entering ──► entered ──► held ──► removing ──► finished
///                │  ▲         ▲  └──► missing       │  ▲
///        unknown ▼  │         │                     ▼  │ unknown
///      unsettled ─► searching ─► settling         unremoved
///
/// | state     | under way                                         | goes on with                                  |
/// |-----------|---------------------------------------------------|-----------------------------------------------|
/// | idle      | nothing                                           | `connected`; enlisted by another: `enlisted`  |
/// | entering  | create (enlisted: not), a look at the queue       | the look's end: `entered`                     |
/// | unsettled | nothing: the create's outcome is unknown          | `connected`                                   |
/// | searching | a write that changes nothing, list                | `searched`: the node bears the id, or is none |
/// | settling  | get with watch on the node that was found         | the answer: its token, and its session        |
/// | entered   | what the turn wants                               | what the turn decides                         |
/// | missing   | a look with watches; the node was reported gone   | the look's end: a new attempt                 |
/// | held      | (later: the watch on the own node)                | `remove`, or the node's end: lose             |
/// | removing  | remove                                            | its answer                                    |
/// | unremoved | nothing: the removal's outcome is unknown         | `connected`                                   |
/// | finished  | nothing                                           |                                               |
///
/// The name is asked for once at a time: another create is sent only when the outcome of the one before is known. A
/// node of a contender whose caller has its answer (`unwanted`) is removed as soon as it is found.
class node_life {
 public:
  enum class state : std::uint8_t {
    idle,
    entering,
    unsettled,
    searching,
    settling,
    entered,
    missing,
    held,
    removing,
    unremoved,
    finished,
  };

  /// `prefix`: of the node's name. `makes_lock_node`: it may, if there is none. `enlisted`: a transaction creates it.
  node_life(std::string_view prefix, bool makes_lock_node, bool enlisted);

  decision connected(action_list& out);
  decision enlisted();
  void lock_node_made(const event::lock_node_made& answer);
  void created(const event::created& answer);
  /// The look behind the create has ended. `mixed_beside`: no lock node may be left among contenders of another recipe.
  decision entered(bool mixed_beside, action_list& out);
  void synced(const event::synced& answer);
  decision searched(const event::listed& list, action_list& out);
  decision own_watched(const event::own_watched& answer);
  decision own_gone();
  void own_changed() noexcept { node_.watched = watch::none; }
  decision removed(const event::removed& answer, action_list& out);

  /// A watch on the own node, unless there is one.
  void watch_own(action_list& out);
  void drop_watch(action_list& out);
  void hold() noexcept { state_ = state::held; }
  /// The node was reported gone while a look with watches is under way: they have to be dropped afterwards.
  void miss() noexcept { state_ = state::missing; }
  /// Its caller has its answer.
  void unwant() noexcept;
  /// `stood`: it is known that the node stood when its holder gave it up; its going after that is no loss.
  void remove(action_list& out, bool stood = false);
  void finish() noexcept;

  /// A request is sent that may put another node in its place (none: it did not). Until its answer, the going of either
  /// says nothing.
  void may_become(std::string_view other) { node_.becomes = other; }
  void became_other(action_list& out);

  [[nodiscard]] state now() const noexcept { return state_; }
  [[nodiscard]] std::string_view prefix() const noexcept { return node_.name.prefix(); }
  [[nodiscard]] bool waits_for_connection() const noexcept;
  /// It is there, as far as is known, and not to be removed.
  [[nodiscard]] bool has_node() const noexcept;
  [[nodiscard]] const own_node& node() const noexcept { return node_; }
  [[nodiscard]] bool unwanted() const noexcept { return unwanted_; }

  bool operator==(const node_life&) const = default;

 private:
  decision enter(bool make_lock_node, action_list& out);
  void forget_why() noexcept;
  decision search(action_list& out);

  own_node node_;
  bool makes_lock_node_;
  bool enlisted_;
  state state_ = state::idle;
  bool unwanted_ = false;
  code written_ = code::ok;  ///< the answer to the create, to the write before the search, or to the removal before
  /// Why there is no lock node: `ok` also where it is worth another create. Of a transaction of which it is searched for
  /// what became: why it was refused, if it has no node.
  code made_ = code::ok;
};

}  // namespace zklock::recipes
