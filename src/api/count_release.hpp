#pragma once

#include <memory>

#include <zklock/grant.hpp>

#include "src/api/lock_owners.hpp"
#include "src/api/session_impl.hpp"
#include "src/operations/release.hpp"

namespace zklock::detail {

struct released_count {
  bool stood = false;     ///< the hold was not lost
  bool removing = false;  ///< it was the last count: the listener will be told
};

/// One count of the hold less, and what follows from it: nothing, a downgrade, or the removal of the node (of a multi-lock:
/// of each part that is held no more, one by one). `listener` may be null; it is told only if something is removed.
released_count release_count(session_impl& session, lock_owners& owners, const std::shared_ptr<hold>& held, side of,
                             std::shared_ptr<operations::release_receiver> listener);

/// The same for a count that is given back already.
released_count follow_up(session_impl& session, lock_owners& owners, const std::shared_ptr<hold>& held,
                         lock_owners::remainder left, std::shared_ptr<operations::release_receiver> listener);

/// Of what was granted, but could not be entered in each table: no caller knows of it, so no caller would give it back.
void release_unentered(session_impl& session, lock_owners& owners, const std::shared_ptr<hold>& held);

}  // namespace zklock::detail
