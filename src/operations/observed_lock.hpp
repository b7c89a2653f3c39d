#pragma once

#include <cstddef>
#include <cstdint>

#include <zklock/lock_event.hpp>

#include "recipes/contender_event.hpp"
#include "recipes/contender_name.hpp"
#include "src/engine/hold.hpp"
#include "src/engine/out.hpp"
#include "src/operations/lock_target.hpp"

/// What those who observe a session's locks are told of one of them. Nothing is done where nobody does.
namespace zklock::operations {

/// For whom a lock is acquired.
struct grantee {
  std::uint64_t owner = 0;   ///< 0: none
  engine::instant asked{0};  ///< since when; 0: not known
};

/// `ahead`: how many of its recipe stand before it; 0: not known.
void tell_enqueued(const detail::lock_target& of, recipes::contender_kind kind, std::uint64_t owner, std::size_t ahead,
                   const engine::out& wants);
void tell_granted(const detail::lock_target& of, recipes::contender_kind kind, const detail::hold& held,
                  const grantee& to, const engine::out& wants);
/// `why`: none: it is given back.
void tell_ended(const detail::lock_target& of, recipes::contender_kind kind, const detail::hold& was, loss_reason why,
                const engine::out& wants);

/// Of the recipe of `own`, by number.
[[nodiscard]] std::size_t count_ahead(const recipes::event::listed& list, std::string_view own);

}  // namespace zklock::operations
