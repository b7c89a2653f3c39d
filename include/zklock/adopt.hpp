#pragma once

#include <zklock/session.hpp>

struct _zhandle;  // zhandle_t of <zookeeper/zookeeper.h>

namespace zklock {

/// A session on a ZooKeeper handle that the program already has: the locks' contenders live in the program's session.
///
/// The handle stays the program's: it is neither closed nor reconfigured, and its watcher stays. Destroy the session
/// object before `zookeeper_close`: the destructor removes every contender, within session_options::close_limit. What it
/// could not remove by then (no server in reach) stays until the program's session ends. A chroot of the handle's must be
/// there already: acquiring reports errc::node_missing otherwise.
///
/// When the program's session expires, the session object says so (session_state::expired) and refuses everything until
/// it is given a new handle by readopt(). `timeout` and `auth` of the options are the handle's own affair and not used. What the program
/// has asked for is not known here, so the margin is at least a third of the timeout that the servers have granted.
/// Throws errc::invalid_option for a null handle.
[[nodiscard]] session adopt(_zhandle* handle, session_options options = {});

/// Gives an adopted session the handle that the program has opened after an expiry.
/// Throws errc::invalid_option when the session was not adopted, has not expired, or the handle is null.
void readopt(session& adopted, _zhandle* handle);

}  // namespace zklock
