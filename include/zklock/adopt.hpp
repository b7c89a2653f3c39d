#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <zklock/session.hpp>

struct _zhandle;  // zhandle_t of <zookeeper/zookeeper.h>

namespace zklock {

/// What only the program knows of its handle: the C client has no function that tells.
///
/// After a reconnect the C client sets all watches of the handle again in one packet, in which each path has the
/// handle's chroot in front. A server refuses a packet above 1,048,575 bytes, and the handle never comes back then. So
/// the session sets no more watches than there is room for: errc::too_many_watches for a waiter, and holds without a
/// watch, which learn late of an operator's removal.
struct handle_details {
  /// As in the connect string: "/app"; "" for none. Not told: room is left for one of 255 bytes. A longer one has to be
  /// told.
  std::optional<std::string> chroot{};
  /// What is left of the packet for other watches on the handle, the program's own and those of other sessions that
  /// have adopted it: bytes of paths, chroot included, and 8 for each. At the most 1,048,000.
  std::size_t other_watches = 148'000;
};

/// A session on a ZooKeeper handle that the program already has: the locks' contenders live in the program's session.
///
/// The handle stays the program's: it is neither closed nor reconfigured, and its watcher stays. A chroot of the
/// handle's must be there already: acquiring reports errc::node_missing otherwise.
///
/// *Lifetime*: the session object uses the handle, also a dead one, until it lets it go: `zookeeper_close` comes after
/// the session object's close() or destructor, or after readopt() has returned. close() and the destructor remove every
/// contender, within session_options::close_limit. What they could not remove by then (no server in reach) stays until
/// the program's session ends.
///
/// *Loss*: when the program's session expires, the session object says so (session_state::expired) and refuses
/// everything until it is given a new handle by readopt(). When idle, it asks the handle for its state every
/// timeout/12, with no request.
///
/// `timeout` and `auth` of the options are the handle's own affair and not used. What the program has asked for is not
/// known here: without session_options::tick the servers' tick is taken for half of the timeout that they have granted.
/// The first grant waits until answers prove that the leader has heard of the session: some 0.3 T behind the first
/// request.
/// Throws errc::invalid_option for a null handle, and for details that are out of range.
[[nodiscard]] session adopt(_zhandle* handle, session_options options = {}, const handle_details& details = {});

/// Gives an adopted session the handle that the program has opened after an expiry. May be called as soon as the
/// program hears of the expiry, before the state is `expired`: calls that wait report errc::session_expired then, as if
/// the handle had told it. When it has returned, the dead handle is not used any more:
///
///     zhandle_t* dead = std::exchange(handle, zookeeper_init(...));
///     zklock::readopt(session, handle);
///     zookeeper_close(dead);
///
/// *Blocking*: until callbacks of the library that are under way on the dead handle have ended; never for a server.
/// Throws errc::invalid_option when the session was not adopted, has not expired, or the handle is null; and as
/// adopt().
void readopt(session& adopted, _zhandle* handle, const handle_details& details = {});

}  // namespace zklock
