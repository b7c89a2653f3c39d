#pragma once

#include <cstdint>
#include <string_view>

#include "recipes/action.hpp"
#include "recipes/contender_event.hpp"
#include "recipes/decision.hpp"
#include "recipes/watch.hpp"

namespace zklock::recipes {

/// A waiter behind one predecessor watches that node, so that one removal wakes one waiter. Its own node it watches too: at
/// once where the event alone may be its turn, so that it does not take the event for that when its own node has been removed
/// (F104); else from T/12 on (F12). Both are asked for by `get`: one that finds no node leaves no watch behind, and means:
/// look again (F21).
/// Source: steps 4 to 6 of "Locks" in ZooKeeper's recipes.
///
/// | state      | under way                                      | goes on with                                       |
/// |------------|------------------------------------------------|----------------------------------------------------|
/// | resting    | nothing: a look at the queue, or no turn       | `follow`, `follow_own_session`                     |
/// | watching   | get of the predecessor, perhaps of the own node | the last answer: waiting, or a decision               |
/// | passing    | get of the own node; the predecessor is gone   | the answer: pass, look, or as from watching        |
/// | waiting    | the watches                                    | an event on one of the two nodes                   |
/// | behind_own | nothing: the predecessor is of this session    | `passed_on`: pass; `predecessor_left`: look        |
///
/// The event alone is a grant only where the last list of this session has announced it: the predecessor was the only
/// conflicting contender before the own node, no session event came since (after a reconnect the watches are set again in
/// any order), and it lives in another session: one that ends takes both nodes, and the server tells of them in any order
/// (F112). Of a predecessor of this session the answer to its removal counts instead: `ok` proves that the session lived, and
/// the transaction with it that the own node stood.
class predecessor_watch {
 public:
  enum class state : std::uint8_t { resting, watching, passing, waiting, behind_own };

  /// What the predecessor's node has said. `lets_pass`: its data says that the waiter need not wait for it.
  struct answer {
    recipes::code code;
    bool lets_pass = false;
    bool same_session = false;
  };

  /// `announced`: its going, or its letting pass, is the grant. A watch that stands is not set again.
  decision follow(std::string_view predecessor, bool announced, const own_node& own, action_list& out);

  /// The predecessor is a contender of this session, of which the client knows without a watch.
  decision follow_own_session(std::string_view predecessor, action_list& out);

  decision watched(const answer& told, const own_node& own);
  decision on(const event::own_watched& told, const own_node& own);
  decision on(const event::predecessor_gone&, const own_node& own);
  /// What does its data say now?
  decision on(const event::predecessor_changed&, const own_node& own);
  decision on(const event::own_gone&, const own_node& own);
  decision on(const event::own_changed&, const own_node& own);
  decision on(const event::passed_on&, const own_node& own);
  decision on(const event::predecessor_left&, const own_node& own);
  decision on(const event::look_after_own&, const own_node& own);
  template <class Other>
  decision on(const Other&, const own_node&) noexcept {
    return {};
  }
  /// A session event.
  void disturbed() noexcept { announced_ = false; }
  /// The turn goes by something else.
  void drop(action_list& out);
  /// The turn is over.
  void end(action_list& out);

  [[nodiscard]] state now() const noexcept { return state_; }
  [[nodiscard]] bool is_set() const noexcept { return watch_ == watch::set; }
  /// Without a watch on the own node the contender may not wait on.
  [[nodiscard]] bool needs_own_watch() const noexcept { return announced_; }
  [[nodiscard]] std::string_view predecessor() const noexcept { return name_; }
  [[nodiscard]] bool waits_behind(std::string_view other) const noexcept {
    return state_ == state::behind_own && name_ == other;
  }
  /// The last predecessor that let pass. Once so, always so: an older answer is none the worse.
  [[nodiscard]] std::string_view let_pass() const noexcept { return let_pass_; }
  [[nodiscard]] turn_state is_at() const noexcept;

  bool operator==(const predecessor_watch&) const = default;

 private:
  decision answered_by_both(const own_node& own);
  decision went();
  decision rest(const decision& next) noexcept;
  void forget() noexcept;
  void forget_if_over() noexcept;

  heap_text name_;  ///< the predecessor's; empty when neither watched nor asked for
  heap_text let_pass_;
  state state_ = state::resting;
  watch watch_ = watch::none;  ///< on the predecessor
  bool announced_ = false;
  bool same_session_ = false;   ///< the watched predecessor lives in the session of the waiter
  bool lets_pass_ = false;      ///< the watched predecessor does
  code result_ = code::ok;      ///< of the get of the predecessor, until both are answered
  code own_result_ = code::ok;  ///< of the get of the own node; `no_node` also when its going was reported
};

}  // namespace zklock::recipes
