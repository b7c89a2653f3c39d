#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "recipes/contender_data.hpp"
#include "recipes/mark.hpp"
#include "recipes/node_terms.hpp"
#include "recipes/predecessor_watch.hpp"
#include "recipes/queue.hpp"

namespace zklock::recipes {

/// The turn of a semaphore's contender. The recipe:
///   1. create `permit-<id>-<n>-`, ephemeral and sequential; 2. list the lock node's children; if its data
///   (the limit) are not known, or were written since: get them before, and list again;
///   3. the own permits and all before them are no more than the limit: they are held;
///   4. else watch the contender right before the own one; it goes, or says `mode=granted` in its data: 2;
///   5. behind holders alone (`next`) any of them may leave: watch the lock node's data and children; one changes: 2.
/// A contender that was let in after a wait shows its list to those of its session behind it: it lets in all that fit (F191).
/// Source: ZooKeeper's recipes have none. 4 and 5 keep a crowd of waiters from waking together (F106).
///
/// | state                      | under way                           | goes on with                                    |
/// |----------------------------|-------------------------------------|-------------------------------------------------|
/// | resting                    | a round, or nothing                 | a complete round: pass, store, next, or follow  |
/// | storing                    | set of the lock node: its first limit | the answer: look, whichever limit was stored  |
/// | watching, passing, waiting | as in predecessor_watch             | as there, with `look` for `pass`                |
/// | next                       | the watches on the lock node        | an event on it: look, with the watch that fired |
/// | resting, with a mark       | set of the own node: the permits are held | as in mark                                |
class permit_turn {
 public:
  permit_turn(const acquire_spec& wanted, bool one_try) noexcept;
  /// The lock node says the limit: it is made to stay, and not at all where no limit is wanted.
  [[nodiscard]] static node_terms terms(const acquire_spec& wanted) noexcept;

  decision decide(const round_answers& round, const own_node& own, action_list& out);
  template <class Event>
  decision on(const Event& what, const own_node& own, action_list&) {
    return behind_.on(what, own);
  }
  decision on(const event::list_shown& what, const own_node& own, action_list& out);
  decision on(const event::predecessor_watched& told, const own_node& own, action_list& out);
  decision on(const event::predecessor_changed&, const own_node& own, action_list& out);
  decision on(const event::children_changed&, const own_node& own, action_list& out);
  decision on(const event::limit_changed&, const own_node& own, action_list& out);
  decision on(const event::limit_stored& told, const own_node& own, action_list& out);
  decision on(const event::marked& told, const own_node& own, action_list& out);
  decision on(const event::connected&, const own_node& own, action_list& out);
  void granted(action_list& out);
  void disturbed() noexcept {}
  void drop(action_list& out);

  [[nodiscard]] turn_state is_at() const noexcept;
  [[nodiscard]] bool agreed() const noexcept { return agreed_; }
  [[nodiscard]] marking marks() const noexcept { return mark_.now(); }
  [[nodiscard]] contender_mode mode() const noexcept {
    return marks() == marking::none ? contender_mode::permit : contender_mode::granted;
  }
  [[nodiscard]] std::string_view predecessor() const noexcept { return behind_.predecessor(); }
  [[nodiscard]] bool needs_own_watch() const noexcept { return behind_.needs_own_watch(); }

  bool operator==(const permit_turn&) const = default;

 private:
  enum class state : std::uint8_t { resting, storing, next };

  std::optional<decision> judge_limit(const round_answers& round, bool mixed, action_list& out);
  decision watch_queue(const round_answers& round, action_list& out);

  predecessor_watch behind_;
  mark mark_;
  std::uint32_t permits_;
  std::uint32_t wanted_limit_;  ///< the limit that the semaphore must have; 0: any
  bool agreed_;                 ///< it was compared with the limit before
  bool one_try_;
  bool waited_ = false;  ///< a contender may have come meanwhile that waits for the mark
  state state_ = state::resting;
};

/// What a contender for so many permits wants. `limit`: that the semaphore must have; 0: any. `in`: in which layout.
[[nodiscard]] acquire_spec spec_of_permits(std::uint32_t permits, std::uint32_t limit, acquire_spec in) noexcept;

/// First is a contender whose permits and all those before add up to no more than the limit. So holders are the head of
/// the queue; the contender right behind them is `next`.
[[nodiscard]] verdict permit_policy(const queue_view& seen);

}  // namespace zklock::recipes
