#pragma once

#include <cstdint>

#include "recipes/action.hpp"
#include "recipes/contender_event.hpp"
#include "recipes/decision.hpp"
#include "recipes/permit_limit.hpp"
#include "recipes/watch.hpp"

namespace zklock::recipes {

/// One look at the queue: the requests are sent back to back, and the list's answer comes last. Its answers are used when
/// all of them are there, or not at all.
///
/// | state              | under way                                                    | goes on with                  |
/// |--------------------|--------------------------------------------------------------|-------------------------------|
/// | idle               | nothing                                                      | `look`, `look_with_watches`   |
/// | asked              | get of the lock node, list of what stands beside it, list    | the list's answer: idle       |
/// | asked_with_watches | the same with watches, without those that stand; a list      | the list's answer: idle       |
/// | interrupted        | nothing: an answer did not come                              | a connection: `look`          |
///
/// The lock node is asked for only where it says a limit, and for that limit's watch or while it is not known: a list says
/// whether it was written since. What stands beside the lock node is asked for only where it is one of two below one path.
/// The watches on the lock node stand from one round to the next, until they fire or are dropped.
class queue_round {
 public:
  enum class state : std::uint8_t { idle, asked, asked_with_watches, interrupted };

  /// `known`: what is known of the limit from the start, by an earlier contender of this lock object and session.
  queue_round(bool reads_limit, bool lists_siblings, const limit_node& known = {});

  /// `how`: `list` or `share_list`.
  void look(action how, action_list& out);
  void look_with_watches(action_list& out);
  /// It is to be repeated as soon as there is a connection.
  void interrupt() noexcept { state_ = state::interrupted; }
  /// The queue is of no more concern: watches are dropped; one that comes up later, by another `end`.
  void end(action_list& out);

  void read(const event::limit_read& answer);
  void siblings_listed(const event::siblings_listed& answer);
  /// The list's answer ends the round.
  round_answers listed(const event::listed& answer);
  void children_changed() noexcept { children_watch_ = fired(children_watch_); }
  void limit_changed() noexcept;

  void drop_watches(action_list& out);

  [[nodiscard]] state now() const noexcept { return state_; }
  [[nodiscard]] bool under_way() const noexcept {
    return state_ == state::asked || state_ == state::asked_with_watches;
  }
  [[nodiscard]] const limit_node& limit() const noexcept { return limit_; }

  bool operator==(const queue_round&) const = default;

 private:
  /// As of the last list. What is no limit (yet) is asked for anew each time.
  [[nodiscard]] bool limit_is_known() const noexcept { return !reads_limit_ || (limit_.limit && limit_.written != 0); }
  [[nodiscard]] bool limit_is_watched() const noexcept { return !reads_limit_ || limit_watch_ == watch::set; }

  bool reads_limit_;
  bool lists_siblings_;
  state state_ = state::idle;
  watch limit_watch_ = watch::none;
  watch children_watch_ = watch::none;
  bool mixed_beside_ = false;
  code limit_code_ = code::ok;  ///< the answer to the get of the lock node, in the round that is under way
  limit_node limit_;
};

}  // namespace zklock::recipes
