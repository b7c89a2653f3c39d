#include "recipes/limit_change.hpp"

#include <utility>

#include "recipes/contender_name.hpp"

namespace zklock::recipes {
namespace {

struct crowd {
  bool empty = true;   ///< no contender wants permits
  bool mixed = false;  ///< a contender wants something else
};

crowd crowd_of(names_view children) {
  crowd there;
  for (const std::string_view child : children) {
    const auto parsed = parse_contender_name(child);
    if (!parsed) {
      continue;
    }
    if (parsed->kind == contender_kind::permit) {
      there.empty = false;
    } else {
      there.mixed = true;
    }
  }
  return there;
}

}  // namespace

limit_action limit_change::begin() noexcept {
  if (state_ == state::finished) {
    return limit_action::none;
  }
  rest();
  state_ = state::looking;
  return limit_action::look;
}

// ---- looking --------------------------------------------------------------------------------------------------------

limit_action limit_change::synced(code answer) noexcept {
  if (state_ == state::looking) {
    looked_ = answer;
  }
  return limit_action::none;
}

limit_action limit_change::read(code answer, std::string_view data, std::int32_t version) {
  if (state_ != state::looking) {
    return limit_action::none;
  }
  looked_ = looked_ == code::ok ? answer : looked_;
  if (looked_ == code::ok) {
    found_ = {parse_limit(data), data.empty(), version};
  }
  return changes() ? limit_action::none : judge({});
}

limit_action limit_change::listed(code answer, names_view children) {
  if (state_ != state::looking || !changes()) {
    return limit_action::none;
  }
  looked_ = looked_ == code::ok ? answer : looked_;
  return judge(children);
}

limit_action limit_change::judge(names_view children) {
  const code failed = std::exchange(looked_, code::ok);
  const limit_node found = std::exchange(found_, {});
  if (failed == code::no_node) {
    return changes() ? write(limit_action::make_lock_node, {*to_, *to_}, 0) : finish(refusal::no_permit_limit);
  }
  if (failed != code::ok) {
    return classify(failed) == outcome::not_done ? finish(refusal::server_error, failed) : begin_later();
  }
  if (!changes()) {
    wanted_ = found.limit.value_or(permit_limit());
    const refusal none = found.empty ? refusal::no_permit_limit : refusal::not_a_permit_limit;
    return finish(found.limit ? refusal::none : none);
  }
  // Behind a sync: what was written before is there by now, or never will be.
  const bool written_before = std::exchange(unsettled_, false) && found.limit == wanted_;
  const crowd there = crowd_of(children);
  if (there.mixed) {
    return finish(refusal::wrong_recipe);
  }
  if (!found.limit && !found.empty) {
    return finish(refusal::not_a_permit_limit);  // not ours to overwrite
  }
  const permit_limit changed = found.limit ? changed_limit(*found.limit, *to_, there.empty) : permit_limit{*to_, *to_};
  if (written_before || found.limit == changed) {
    return finish();
  }
  return write(found.limit ? limit_action::store : limit_action::keep_and_store, changed, found.version);
}

// ---- writing --------------------------------------------------------------------------------------------------------

limit_action limit_change::write(limit_action how, const permit_limit& what, std::int32_t version) noexcept {
  state_ = how == limit_action::make_lock_node ? state::making : state::storing;
  wanted_ = what;
  version_ = version;
  unsettled_ = true;
  return how;
}

limit_action limit_change::stored(code answer) noexcept {
  return state_ == state::storing ? written(answer) : limit_action::none;
}

limit_action limit_change::made(code answer, bool without_root) noexcept {
  if (state_ != state::making) {
    return limit_action::none;
  }
  if (answer == code::no_node && without_root) {
    return finish(refusal::server_error, answer);
  }
  return written(answer);
}

limit_action limit_change::written(code answer) noexcept {
  switch (classify(answer)) {
    case outcome::done: return finish();
    case outcome::not_done: {
      unsettled_ = false;
      const bool changed_meanwhile =
          answer == code::bad_version || answer == code::no_node || answer == code::node_exists;
      if (!changed_meanwhile) {
        return finish(refusal::server_error, answer);
      }
      break;
    }
    case outcome::retry: unsettled_ = false; break;
    case outcome::unknown:
    case outcome::session_over: break;
  }
  return begin_later();
}

/// What was written is compared with the next look, while it is not known what came of it.
void limit_change::rest() noexcept {
  found_ = {};
  looked_ = code::ok;
  version_ = 0;
  wanted_ = unsettled_ || !changes() ? wanted_ : permit_limit();
}

limit_action limit_change::begin_later() noexcept {
  rest();
  state_ = state::idle;
  return limit_action::begin_later;
}

limit_action limit_change::finish(refusal why, code with) noexcept {
  state_ = state::finished;
  unsettled_ = false;
  rest();
  refusal_ = why;
  refused_with_ = with;
  return limit_action::finish;
}

}  // namespace zklock::recipes
