#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace zklock::recipes {

/// What happens to a joint hold. `place`: a contender's, among those that are held together.
namespace joint_event {

/// One contender's node has gone. `alone`: not with the session, which takes all of them.
struct lost {
  std::size_t place;
  bool alone;
};
/// All that the session holds is lost. `nodes_stand`: by the local deadline, before the servers can know of it.
struct holds_over {
  bool nodes_stand;
};
/// The answer to `end` and `blame`. Not by loss: it was given back just before.
struct ended {
  bool by_loss;
};
/// A contender's hold is given back; the others are too, or go on alone.
struct released {};
/// The servers can have ended the session by now.
struct margin_over {};
struct session_over {};
struct stop {};

}  // namespace joint_event

using joint_hold_event =
    std::variant<joint_event::lost, joint_event::holds_over, joint_event::ended, joint_event::released,
                 joint_event::margin_over, joint_event::session_over, joint_event::stop>;

/// What a joint hold wants done.
struct joint_action {
  enum class kind : std::uint8_t {
    end,          ///< the hold is lost, if it was not given back; no part is to blame            -> ended
    blame,        ///< the same, and the part of `place` is to blame                              -> ended
    report_loss,  ///< of the hold, and of each part that has several contenders
    lose,         ///< what the contender at `place` holds
    keep,         ///< the nodes stay                                                             -> margin_over
    forget,       ///< the contender at `place`: it is gone
    stop,         ///< the contender at `place`, which removes its node
    release,      ///< the same, of a hold that was lost before
    ungroup,      ///< the contenders go on, or go, one by one. The last, and only once
  };
  kind is;
  std::size_t place = 0;

  bool operator==(const joint_action&) const = default;
};

/// What several contenders hold as one, from the grant on: with the first that is lost all are (F67). Pure, like
/// multi_contender, behind which it comes.
///
///     held ──► ending ──► lost ─────────┐
///      │         │ └────► kept ─────────┤     by the local deadline: the nodes stand until the margin is over
///      └─────────┴──────────────────────┴──► apart
///
/// Invariants:
/// - A part is to blame only if it was lost alone: what ends the session, or its deadline, is told of some place first.
/// - Nodes are removed one by one, the last first (F108).
/// - A hold that was given back just before a loss is not lost: each place is on its own.
class joint_hold {
 public:
  enum class state : std::uint8_t {
    held,
    ending,  ///< asked whether the loss came first
    lost,    ///< the session is closed: `stop` comes next
    kept,    ///< lost, and the nodes stand until the margin is over
    apart,   ///< each contender is on its own
  };
  using action_vector = std::vector<joint_action>;

  /// `of_parts`: of a multi-lock, one of whose parts can be to blame.
  joint_hold(std::size_t places, bool of_parts) : there_(places, true), of_parts_(of_parts) {}

  [[nodiscard]] action_vector resume(const joint_hold_event& what);

  [[nodiscard]] state now() const noexcept { return state_; }

  bool operator==(const joint_hold&) const = default;

 private:
  void on(const joint_event::lost&, action_vector& out);
  void on(const joint_event::holds_over&, action_vector& out);
  void on(const joint_event::ended&, action_vector& out);
  void on(const joint_event::released&, action_vector& out);
  void on(const joint_event::margin_over&, action_vector& out);
  void on(const joint_event::session_over&, action_vector& out);
  void on(const joint_event::stop&, action_vector& out);

  void end_each(joint_action::kind how, action_vector& out);
  void ungroup(action_vector& out);

  state state_ = state::held;
  std::vector<bool> there_;  ///< by place; empty: apart
  bool of_parts_;
  std::optional<std::size_t> by_;  ///< ending: the place that is lost; none: all are
  bool nodes_stand_ = false;       ///< ending
};

}  // namespace zklock::recipes
