#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <cstddef>
#include <optional>
#include <string>

#include <zklock/session.hpp>

struct _zhandle;  // zhandle_t of <zookeeper/zookeeper.h>

namespace zklock {

/// What only the program knows of its handle. A reconnect sets all watches in one packet, of at most 1,048,575 bytes;
/// the session sets no more than there is room for.
struct handle_details {
  std::optional<std::string> chroot{};  ///< "/app"; "" for none; nullopt: unknown, 255 bytes are assumed
  /// Bytes to reserve for all other watches on the handle: of each its path, chroot included, plus 8.
  std::size_t other_watches = 148'000;
};

/// A session on a ZooKeeper handle that the program has: contenders live in the program's ZooKeeper session. The handle
/// stays the program's: it is neither closed nor reconfigured, and its watcher stays. A chroot has to be there already.
/// *Lifetime*: close the handle after the session object is gone, or readopt() has returned. *Loss*: when the program's
/// session expires the state is session_state::expired, and everything is refused until readopt(). `timeout` and `auth`
/// of the options are not used. *Cost*: the first grant waits up to about 0.3 T longer, until answers prove that the
/// leader has heard of the session. Throws errc::invalid_option for a null handle and for details out of range. See
/// docs/guide/sessions.md.
[[nodiscard]] ZKLOCK_EXPORT session adopt(_zhandle* handle, session_options options = {},
                                          const handle_details& details = {});

/// After an expiry: gives an adopted session the new handle that the program has opened. When it has returned the dead
/// handle is not used any more:
///
///     zhandle_t* dead = std::exchange(handle, zookeeper_init(...));
///     zklock::readopt(session, handle);
///     zookeeper_close(dead);
///
/// *Blocking*: until callbacks on the dead handle have ended; never for a server. Throws errc::invalid_option when the
/// session was not adopted or its ZooKeeper session lives, and as adopt().
ZKLOCK_EXPORT void readopt(session& adopted, _zhandle* handle, const handle_details& details = {});

}  // namespace zklock
