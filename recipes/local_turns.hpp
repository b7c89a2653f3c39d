#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

#include "recipes/acquire_spec.hpp"
#include "recipes/local_deadline.hpp"

namespace zklock::recipes {

/// How long one contender serves the acquisitions of one lock object, at the most, from its grant on; one that is kept, from
/// when another client may want the lock.
struct turn_bounds {
  std::uint32_t turns;
  std::chrono::nanoseconds time;     ///< to the beginning of the last turn
  std::chrono::nanoseconds idle{0};  ///< for so long it is kept behind a turn that no call follows; 0: it goes

  bool operator==(const turn_bounds&) const = default;
};

/// Whether acquisitions of this can take turns: they need one contender each, and exclude all others.
[[nodiscard]] bool may_take_turns(const acquire_spec& of) noexcept;

/// What happens to the acquisitions of one lock object, and to their contender. `call`: one acquisition, by number.
namespace local_event {

/// `once`: it does not wait behind another acquisition.
struct joined {
  std::uint64_t call;
  bool once;
};
/// It is not wanted any more.
struct left {
  std::uint64_t call;
};
/// By the servers, to the contender. `alone`: no other child was at the lock node; `watched`: and the children are watched.
struct granted {
  instant now;
  bool alone = false;
  bool watched = false;
};
/// Another client may want the lock: the children's watch has fired, or the connection is lost.
struct wanted {
  instant now;
};
/// Time has passed.
struct idled {
  instant now;
};
/// The local deadline is ahead.
struct covered {};
/// The turn's hold is given back. `last`: a write that it guards may still be applied, so its node has to go before another
/// call holds. `timeout`: the session's; no node is kept for longer than half of it.
struct released {
  instant now;
  bool last = false;
  std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max();
};
/// The contender is refused. `not_in_time`: another contender stands before one that does not wait.
struct refused {
  bool not_in_time;
};
/// The contender is void, or its node is gone.
struct lost {};
/// What the session holds is lost; it tells the contender itself.
struct holds_over {};
/// The turn's hold reads only from now on.
struct downgraded {};
/// The session is closed.
struct stopped {};

}  // namespace local_event

using local_turns_event =
    std::variant<local_event::joined, local_event::left, local_event::granted, local_event::covered,
                 local_event::released, local_event::refused, local_event::lost, local_event::holds_over,
                 local_event::downgraded, local_event::stopped, local_event::wanted, local_event::idled>;

/// What local turns want done.
struct local_action {
  enum class kind : std::uint8_t {
    contend,      ///< with a new contender: one_try() and keeps() say how           -> granted, refused, lost, wanted
    stop,         ///< the contender, which no call has been granted
    await_cover,  ///< of the local deadline                                         -> covered
    begin_turn,   ///< `call` holds                                                  -> released, lost, downgraded
    confirm,      ///< the release of the turn's hold: the contender stays
    keep,    ///< the contender, which no call holds                            -> idled, at idle_until(), wanted, lost
    remove,  ///< the contender, with the release of the turn's hold
    lose,    ///< what the contender holds
    let_go,  ///< the contender goes on, or goes, by itself
    refuse,  ///< `call`: another acquisition comes before it
    refuse_all,  ///< that wait, with what the contender was refused with
  };
  kind is;
  std::uint64_t call = 0;
  std::uint32_t turn = 0;  ///< of `begin_turn`

  bool operator==(const local_action&) const = default;
};

/// Local hand-over: one contender serves the acquisitions of one lock object, one after the other. Pure: time comes in as
/// a value.
///
///     idle ──► contending ──► covering ──► held
///      ▲           ▲             ▲          │ released: another call waits, and the bounds allow a turn
///      │           │             └──────────┤
///      │           └────────────────────────┤ released at a bound, lost, downgraded: another call waits
///      ├────────────────────────────────────┤ no call waits
///      └──────────────────────── kept ◄─────┘ the same, and no other client has been seen; a call that comes has a turn
///
/// A kept node is no hold: nothing is lost with it. It is kept for the next call of this process, as long as no other client has
/// come: its turn takes no request. Whoever comes is seen by a watch on the children, or by the end of the idle time; so the watch
/// makes others wait no longer than that, and no turn depends on it. It is asked for where the contender before was alone, and
/// not for some uses behind each contender that others have wanted, or that was kept in vain: 1, 3, 7 .. `rests_max`.
///
/// Invariants:
/// - Calls get their turns in the order in which they have joined, and one holds at a time.
/// - A turn begins only behind `covered`, and behind a `granted` that no `lost`, `holds_over` or `downgraded` has followed.
/// - A contender serves `turn_bounds::turns` at the most, and none later than `turn_bounds::time` after its grant, or after others
///   were seen; the first one is always served. No contender has more turns than `turns_max`.
/// - A contender that no call holds or waits for is removed at once, if it is not kept; one that is, at once when others are seen.
class local_turns {
 public:
  enum class state : std::uint8_t {
    idle,        ///< no call holds or waits for a contender of this
    contending,  ///< the contender waits in the servers' queue, or is to be made
    covering,    ///< the next turn waits for the local deadline
    held,        ///< a call's turn
    kept,        ///< granted, and no call holds or waits for it
  };
  static constexpr std::uint32_t turns_max = 1'024;  ///< zklock::fencing_token::turns_per_node
  static constexpr std::uint32_t rests_max = 1'023;
  using action_vector = std::vector<local_action>;

  explicit local_turns(const turn_bounds& within) : within_(within) {}

  [[nodiscard]] action_vector resume(const local_turns_event& what);

  [[nodiscard]] state now() const noexcept { return state_; }
  /// Whether a release now would begin another turn of the same contender.
  [[nodiscard]] bool would_pass(instant now) const noexcept;
  /// Whether the contender is for a call that does not wait.
  [[nodiscard]] bool one_try() const noexcept { return trying_.has_value(); }
  /// Whether the contender that is to be made may be kept: it watches the children.
  [[nodiscard]] bool keeps() const noexcept { return keeps_; }
  /// Kept: until then.
  [[nodiscard]] instant idle_until() const noexcept { return idle_until_; }
  /// How many calls wait.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

  bool operator==(const local_turns&) const = default;

 private:
  void on(const local_event::joined&, action_vector& out);
  void on(const local_event::left&, action_vector& out);
  void on(const local_event::granted&, action_vector& out);
  void on(const local_event::covered&, action_vector& out);
  void on(const local_event::released&, action_vector& out);
  void on(const local_event::refused&, action_vector& out);
  void on(const local_event::lost&, action_vector& out);
  void on(const local_event::holds_over&, action_vector& out);
  void on(const local_event::downgraded&, action_vector& out);
  void on(const local_event::stopped&, action_vector& out);
  void on(const local_event::wanted&, action_vector& out);
  void on(const local_event::idled&, action_vector& out);

  [[nodiscard]] bool may_have_turn(instant now) const noexcept;
  void cover_next(bool passing, action_vector& out);
  void remove_kept(action_vector& out);
  void rest_for_longer() noexcept;
  /// The contender is not of this any more.
  void contend_or_rest(action_vector& out);

  turn_bounds within_;
  state state_ = state::idle;
  std::deque<std::uint64_t> waiting_;
  std::optional<std::uint64_t> trying_;  ///< the call that the contender is for, if it is one try
  instant bound_from_{0};                ///< the bounds count from then
  std::uint32_t first_ = 0;              ///< and from this turn
  std::uint32_t turn_ = 0;               ///< covering: the next; held: the one that holds; kept: the one before
  bool passing_ = false;                 ///< covering: the turn before is held until the next one begins
  bool keeps_ = false;
  bool watched_ = false;      ///< no other client has come since the grant
  bool was_alone_ = false;    ///< at the last grant no other child was there
  std::uint32_t rests_ = 0;   ///< for so many contenders none is kept
  std::uint32_t rested_ = 0;  ///< so many it was last
  instant idle_until_{0};
};

}  // namespace zklock::recipes
