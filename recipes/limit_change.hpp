#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "recipes/code.hpp"
#include "recipes/contender.hpp"
#include "recipes/names_view.hpp"
#include "recipes/permit_limit.hpp"

namespace zklock::recipes {

/// What a question for a semaphore's limit, or a change of it, wants done next.
enum class limit_action : std::uint8_t {
  none,            ///< answers are to come
  look,            ///< a sync, then get the lock node's data, then (for a change) list its children; each is answered
  store,           ///< set the lock node's data to `data()`, if its version is still `version()`
  keep_and_store,  ///< create the `limit_keeper`, which is not answered, then as `store`
  make_lock_node,  ///< create the lock node to stay, with `data()`, and what is missing above it
  begin_later,     ///< nothing came of it, though there may be a connection: begin() again after a pause
  finish,          ///< `why_refused()` says whether it was done
};

/// One question for a semaphore's limit, or one change of it: read, judge, write with the version read, and again from
/// the start until it is known what came of it. A pure state machine: every state answers everything.
///
///     idle ──► looking ──► finished                    told, there already, or refused
///      ▲        │   └────► storing ──► finished
///      │        ▼             │        the lock node was not there
///      │      making ─────────┤
///      └──────────────────────┘        the outcome is unknown, or another client has changed the node: begin(),
///                                      but never at once, whatever a server answers
///
/// Invariants: nothing is written before a look has shown a limit or an empty lock node, and no contender of another
/// recipe; a write whose outcome is unknown is followed by a look, which tells whether it is still to be done (F01).
class limit_change {
 public:
  enum class state : std::uint8_t { idle, looking, storing, making, finished };

  /// `to`: what it is to be; nothing: it is only asked for.
  explicit limit_change(std::optional<std::uint32_t> to) noexcept : to_(to) {}

  /// There is a connection. What was under way before is void.
  [[nodiscard]] limit_action begin() noexcept;
  [[nodiscard]] limit_action synced(code answer) noexcept;
  [[nodiscard]] limit_action read(code answer, std::string_view data, std::int32_t version);
  [[nodiscard]] limit_action listed(code answer, names_view children);
  [[nodiscard]] limit_action stored(code answer) noexcept;
  /// `answer`: the lock node's own, or why there is nothing that it could have been made below. `without_root`: not even the
  /// topmost part has a parent: the handle's chroot is not there.
  [[nodiscard]] limit_action made(code answer, bool without_root) noexcept;

  [[nodiscard]] state now() const noexcept { return state_; }
  [[nodiscard]] bool changes() const noexcept { return to_.has_value(); }
  [[nodiscard]] std::string data() const { return limit_data(wanted_); }
  [[nodiscard]] std::int32_t version() const noexcept { return version_; }
  /// Whether something was written of which it is not known what came of it.
  [[nodiscard]] bool may_have_applied() const noexcept { return unsettled_; }

  // ---- finished
  [[nodiscard]] std::uint32_t limit() const noexcept { return to_.value_or(wanted_.limit); }
  [[nodiscard]] refusal why_refused() const noexcept { return refusal_; }
  [[nodiscard]] code refused_with() const noexcept { return refused_with_; }

  bool operator==(const limit_change&) const = default;

 private:
  limit_action judge(names_view children);
  limit_action write(limit_action how, const permit_limit& what, std::int32_t version) noexcept;
  limit_action written(code answer) noexcept;
  limit_action begin_later() noexcept;
  void rest() noexcept;
  limit_action finish(refusal why = refusal::none, code with = code::ok) noexcept;

  std::optional<std::uint32_t> to_;
  state state_ = state::idle;
  limit_node found_;          ///< by this look
  code looked_ = code::ok;    ///< the first failure of this look
  permit_limit wanted_;       ///< written, or found by a question
  std::int32_t version_ = 0;  ///< that is replaced
  bool unsettled_ = false;    ///< the outcome of the last write is not known
  refusal refusal_ = refusal::none;
  code refused_with_ = code::ok;
};

}  // namespace zklock::recipes
