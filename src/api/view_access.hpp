#pragma once

#include <memory>

#include <zklock/view.hpp>

#include "src/api/lock_state.hpp"

namespace zklock::detail {

/// Lets the library's own bodies make views, and look into them.
struct view_access {
  static lock_view make(std::shared_ptr<acquirable_state> state, lock_mode what) noexcept {
    return {std::move(state), what.of, what.permits, what.owner};
  }
  /// Null: it is a view of a multi-lock.
  static std::shared_ptr<lock_state> lock(const lock_view& of) noexcept {
    return std::dynamic_pointer_cast<lock_state>(of.state_);
  }
  static const std::shared_ptr<acquirable_state>& state(const lock_view& of) noexcept { return of.state_; }
  static lock_mode what(const lock_view& of) noexcept { return {of.side_, of.permits_, of.owner_}; }
};

}  // namespace zklock::detail
