#pragma once

#include <string>

#include "recipes/contender_data.hpp"
#include "recipes/contender_event.hpp"
#include "recipes/mark.hpp"
#include "recipes/node_terms.hpp"
#include "recipes/places.hpp"
#include "recipes/queue.hpp"

namespace zklock::recipes {

/// The turn of one lease of a semaphore in Curator's layout. The recipe:
///   1. get the mutex in `locks`; 2. create `<id>-lease-` in `leases`, ephemeral and sequential; 3. list `leases`;
///   4. no more children than the limit, the own among them: the lease is held; give the mutex back;
///   5. else watch the children, and 3 when they change.
/// Source: Curator's InterProcessSemaphoreV2. The order is that of the mutex: its owner alone makes leases, so that it is
/// always next. The mutex and the leases are places of one attempt (multi_contender).
///
/// | state   | under way               | goes on with                                                      |
/// |---------|-------------------------|-------------------------------------------------------------------|
/// | resting | a round, or nothing     | a complete round: pass, next, or look with a watch on the children |
/// | next    | the watch on the children | its event: look, with a watch                                   |
class lease_turn {
 public:
  explicit lease_turn(bool one_try) noexcept : one_try_(one_try) {}
  /// The limit is what the spec says: no node does.
  [[nodiscard]] static node_terms terms(const acquire_spec& wanted) noexcept {
    return {.given_limit = permit_limit{wanted.limit, wanted.limit}};
  }
  decision decide(const round_answers& round, const own_node& own, action_list& out);
  template <class Event>
  decision on(const Event&, const own_node&, action_list&) noexcept {
    return {};
  }
  decision on(const event::children_changed&, const own_node& own, action_list& out);
  decision on(const event::own_gone&, const own_node& own, action_list& out);
  void granted(action_list&) noexcept {}
  void disturbed() noexcept {}
  void drop(action_list&) noexcept { next_ = false; }

  [[nodiscard]] turn_state is_at() const noexcept { return next_ ? turn_state::waiting : turn_state::resting; }
  [[nodiscard]] static marking marks() noexcept { return marking::none; }
  [[nodiscard]] static contender_mode mode() noexcept { return contender_mode::write; }

  bool operator==(const lease_turn&) const = default;

 private:
  bool one_try_;
  bool next_ = false;  ///< the watch stands, and there was no room
};

/// The places of an attempt for permits. The mutex beside the leases lets in one contender at a time, which waits there for as
/// many leases as are wanted. All of them are made at once: contenders that make them one by one can wait for a rest that
/// another one has (F58).
void add_places_of_leases(const place& first, place_plan& to);

/// What a contender wants for a mutex that no thread owns: in Curator's layout that is a semaphore of one. `in`: in which
/// layout.
[[nodiscard]] acquire_spec spec_of_unowned_mutex(acquire_spec in) noexcept;

/// First is a lease that is there, where there are no more children than the limit. Else it is next.
[[nodiscard]] verdict lease_policy(const queue_view& seen);

}  // namespace zklock::recipes
