#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "recipes/code.hpp"
#include "recipes/contender.hpp"
#include "recipes/places.hpp"

namespace zklock::recipes {

/// What happens to an attempt that takes several contenders. `place`: the contender's, among them.
namespace multi_event {

struct connected {};
/// A lock node, and what is missing above it, was made, or was not.
struct lock_node_made {
  std::size_t place;
  recipes::code code;
  bool without_root = false;
};
/// The transaction's answer. `place`: the part for which the create has failed, if it was not done. `makeable`: its
/// lock node can be made.
struct created {
  recipes::code code;
  std::size_t place = 0;
  bool makeable = true;
};
/// One contender is granted. `token`: 0 if it does not know it.
struct granted {
  std::size_t place;
  fencing_token token;
  czxid_bounds bounds{};
};
struct refused {
  std::size_t place;
  refusal why;
  recipes::code with = recipes::code::ok;
};
/// One contender is void, or has lost its node, before the caller was told of a grant.
struct gone {
  std::size_t place;
};
/// The answer to read_token. `owned`: see event::own_watched.
struct token_read {
  recipes::code code;
  fencing_token token;
  bool owned;
};
struct stop {
  refusal why;
};

}  // namespace multi_event

using multi_contender_event =
    std::variant<multi_event::connected, multi_event::lock_node_made, multi_event::created, multi_event::granted,
                 multi_event::refused, multi_event::gone, multi_event::token_read, multi_event::stop>;

enum class multi_action : std::uint8_t {
  begin_step,       ///< begin a contender at each place of `step()`, which creates its own node
  let_pass,         ///< release the passing ones of the step two before `step()`: all of the step behind is held
  make_lock_nodes,  ///< of all places                                                -> lock_node_made, for each
  create_all,       ///< one transaction that creates all contenders' nodes           -> created;
                    ///< and `enlisted` to each contender, right behind it
  read_token,       ///< get any contender's node                                     -> token_read
  grant,            ///< all is held, with `token()`
  refuse,           ///< answer the caller: `why_refused()`, because of `place()`
  start_over,       ///< try with new contenders, if there is time left; `lock_nodes_missing()` says how
  dissolve,         ///< stop every contender: one by one, whatever becomes of the others (F108)
};

/// One attempt to acquire several locks as one. For each there is a contender (for a semaphore of Curator's several), which
/// has its place here and waits in its own queue; this machine creates them in one transaction, and puts together what
/// becomes of them.
///
///     idle ──► enlisting ──► waiting ──► (reading) ──► granted ──► over
///       └───────────────────────┘ in turn, step by step
///
/// In Curator's layout they are taken in turn, as Curator does: a whole transaction at once would wait for a Java client
/// that waits for it. There a semaphore takes several places in two steps: the mutex beside the leases, which passes, and
/// the leases.
///
/// Since all nodes of a transaction get the same czxid, any two multi-locks stand in the same order in every queue that they
/// share: every wait among them points from a greater czxid to a smaller one, so there is no circle of waits (F65). All or
/// nothing (F66): the first contender that fails, or is lost, ends the attempt. What was granted is lost as one, too: that is
/// joint_hold (F67).
///
/// Invariants:
/// - `grant`, `refuse` or `start_over` is given once. (Behind a `grant` that the caller has not been told of yet comes one of
///   the others, when a contender is lost or the attempt is stopped.)
/// - `dissolve` goes with every end but the grant that is told.
/// - `grant` only follows the grants of all contenders, none of which has gone since.
class multi_contender {
 public:
  enum class state : std::uint8_t {
    idle,       ///< waits for a connection
    enlisting,  ///< the transaction is under way
    waiting,    ///< not all contenders are granted
    reading,    ///< all are; the token is asked for
    unread,     ///< it has to be asked for again; waits for a connection
    granted,
    over,
  };
  using action_vector = std::vector<multi_action>;

  /// `make_lock_nodes`: as the attempt before says (lock_nodes_missing()).
  multi_contender(std::size_t places, bool make_lock_nodes);
  /// In turn: one for each place.
  explicit multi_contender(std::vector<place_turn> turns);

  [[nodiscard]] action_vector resume(const multi_contender_event& what);

  [[nodiscard]] state now() const noexcept { return state_; }
  /// In turn: which places are waited for; as many as there are steps: none.
  [[nodiscard]] std::size_t step() const noexcept { return step_; }
  [[nodiscard]] fencing_token token() const noexcept { return token_; }
  [[nodiscard]] refusal why_refused() const noexcept { return refusal_; }
  [[nodiscard]] code refused_with() const noexcept { return refused_with_; }
  /// Because of which it was refused; as many as there are places: because of none in particular.
  [[nodiscard]] std::size_t place() const noexcept { return place_; }
  /// The next try makes them at once: one was missing, or they were made here and are of no use any more.
  [[nodiscard]] bool lock_nodes_missing() const noexcept { return lock_nodes_missing_; }
  /// Whether it can go on only when there is a connection.
  [[nodiscard]] bool needs_connection() const noexcept { return state_ == state::idle || state_ == state::unread; }

  bool operator==(const multi_contender&) const = default;

 private:
  [[nodiscard]] bool in_turn() const noexcept { return !turns_.empty(); }
  action_vector on(const multi_event::connected&);
  action_vector on(const multi_event::lock_node_made&);
  action_vector on(const multi_event::created&);
  action_vector on(const multi_event::granted&);
  action_vector on(const multi_event::refused&);
  action_vector on(const multi_event::gone&);
  action_vector on(const multi_event::token_read&);
  action_vector on(const multi_event::stop&);

  /// All are granted, and `token_` is the czxid of their nodes.
  action_vector grant_with_czxid();
  action_vector granted_in_turn(const multi_event::granted&);
  action_vector refuse(refusal why, std::size_t place, code with = code::ok);
  action_vector start_over();
  void end();

  std::vector<bool> granted_;                 ///< by place
  std::int64_t alone_at_ = INT64_MAX;         ///< the least of the places that are granted; 0: one of them does not know it
  std::int64_t outnumbered_at_ = INT64_MAX;   ///< the least of the places that were
  std::size_t outnumbered_ = 0;               ///< that place
  std::vector<place_turn> turns_;             ///< by place; empty: all at once
  std::size_t step_ = 0;
  bool make_lock_nodes_;
  state state_ = state::idle;
  fencing_token token_;
  refusal refusal_ = refusal::none;
  code refused_with_ = code::ok;
  std::size_t place_;
  bool lock_nodes_missing_ = false;
  code made_ = code::ok;  ///< the first failure to make a lock node
  std::size_t not_made_ = 0;
};

}  // namespace zklock::recipes
