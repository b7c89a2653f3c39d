#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <cstddef>
#include <optional>
#include <string>

#include <zklock/session.hpp>

struct _zhandle;  // zhandle_t of <zookeeper/zookeeper.h>

namespace zklock {

/// What only the program knows of its handle. At a reconnect the C client sets all watches of the handle in one packet,
/// of at most 1,048,575 bytes; the session sets no more watches than this packet has room for.
struct handle_details {
  std::optional<std::string> chroot{};  ///< "/app"; "": none; nullopt: unknown, so 255 bytes are reserved for it
  /// Bytes to reserve for all other watches on the handle: for each its path, chroot included, plus 8.
  std::size_t other_watches = 148'000;
};

/// Makes a session object on a ZooKeeper handle of the program: contenders live in the program's ZooKeeper session. The
/// library neither closes nor reconfigures the handle, and leaves its watcher in place. The handle's chroot has to
/// exist. The options `timeout` and `auth` have no effect. *Lifetime*: close the handle after the session object is
/// destroyed, or after readopt() has returned. dlclose() can leave a plugin that contains this library loaded, since
/// the handle may still call the plugin. *Loss*: after the program's session expires, all is refused until readopt().
/// *Cost*: the first grant waits longer, up to about 0.3 of the session timeout, until answers prove that the servers'
/// leader has heard from the session. *Errors*: errc::invalid_option if the handle is null, or if options or details
/// are out of range. See docs/guide/sessions.md.
[[nodiscard]] ZKLOCK_EXPORT session adopt(_zhandle* handle, session_options options = {},
                                          const handle_details& details = {});

/// After an expiry: gives an adopted session a new handle of the program. When readopt() has returned, the library no
/// longer uses the dead handle:
///
///     zhandle_t* dead = std::exchange(handle, zookeeper_init(...));
///     zklock::readopt(session, handle);
///     zookeeper_close(dead);
///
/// Members of `details` that are not given have their defaults. Waits only for the library's callbacks on the dead
/// handle. *Errors*: errc::invalid_option as adopt(), and if the session was not adopted or has not expired.
ZKLOCK_EXPORT void readopt(session& adopted, _zhandle* handle, const handle_details& details = {});

}  // namespace zklock
