#pragma once

#include <string>

#include "recipes/acquire_spec.hpp"
#include "recipes/mark.hpp"
#include "recipes/node_terms.hpp"
#include "recipes/predecessor_watch.hpp"
#include "recipes/queue.hpp"
#include "recipes/session_queue.hpp"

namespace zklock::recipes {

/// What the turns have in common in which a contender waits behind one predecessor. A turn hides what is different for it.
class waiting_turn {
 public:
  template <class Event>
  decision on(const Event& what, const own_node& own, action_list&) {
    return behind_.on(what, own);
  }
  decision on(const event::predecessor_watched& told, const own_node& own, action_list&) {
    return behind_.watched({.code = told.code, .same_session = told.same_session}, own);
  }
  /// A contender of this session stands right before the own one, by numbers in a row.
  decision follow_own_session(std::string_view predecessor, action_list& out) {
    return behind_.follow_own_session(predecessor, out);
  }
  /// The lock is held from now on.
  void granted(action_list&) noexcept {}
  /// A session event.
  void disturbed() noexcept { behind_.disturbed(); }
  /// The turn is over: its watches are dropped.
  void drop(action_list& out) { behind_.end(out); }

  [[nodiscard]] static node_terms terms(const acquire_spec&) noexcept { return {}; }
  [[nodiscard]] turn_state is_at() const noexcept { return behind_.is_at(); }
  [[nodiscard]] marking marks() const noexcept { return marking::none; }
  [[nodiscard]] bool one_try() const noexcept { return one_try_; }
  [[nodiscard]] std::string_view predecessor() const noexcept { return behind_.predecessor(); }
  [[nodiscard]] bool needs_own_watch() const noexcept { return behind_.needs_own_watch(); }
  [[nodiscard]] bool waits_behind(std::string_view other) const noexcept { return behind_.waits_behind(other); }

  bool operator==(const waiting_turn&) const = default;

 protected:
  explicit waiting_turn(bool one_try) noexcept : one_try_(one_try) {}
  ~waiting_turn() = default;
  waiting_turn(const waiting_turn&) = default;
  waiting_turn(waiting_turn&&) = default;
  waiting_turn& operator=(const waiting_turn&) = default;
  waiting_turn& operator=(waiting_turn&&) = default;

  /// Behind the predecessor that a list has shown.
  decision follow(const verdict& seen, const round_answers& round, const own_node& own, action_list& out) {
    return round.beside != nullptr && round.beside->find(seen.predecessor) != nullptr
               ? behind_.follow_own_session(seen.predecessor, out)
               : behind_.follow(seen.predecessor, seen.sole, own, out);
  }

  predecessor_watch behind_;
  bool one_try_;  ///< not to wait behind another contender
};

}  // namespace zklock::recipes
