#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <cstddef>
#include <optional>
#include <string>

#include <zklock/session.hpp>

struct _zhandle;  // zhandle_t of <zookeeper/zookeeper.h>

namespace zklock {

/// What only the program knows of its handle. The session limits its watches by these values: docs/guide/sessions.md.
struct handle_details {
  std::optional<std::string> chroot{};  ///< "/app"; "": none; nullopt: unknown, and at most 255 bytes long
  /// Bytes to reserve for other watches on the handle: for each watch those of its path, chroot included, plus 8.
  std::size_t other_watches = 148'000;
};

/// Makes a session object on a ZooKeeper handle of the program: contenders live in the program's ZooKeeper session. The
/// library neither closes nor reconfigures the handle, and leaves its watcher in place. See docs/guide/sessions.md.
///
/// - *Handle*: its chroot has to exist. The options `timeout` and `auth` have no effect.
/// - *Lifetime*: close the handle only after the session object is destroyed or readopt() has returned.
/// - *Loss*: after the program's session expires, everything is refused until readopt().
/// - *Time*: the first grant takes longer, up to about 0.3 of the session timeout.
/// - *Errors*: errc::invalid_option; std::system_error if the system cannot start a thread.
[[nodiscard]] ZKLOCK_EXPORT session adopt(_zhandle* handle, session_options options = {},
                                          const handle_details& details = {});

/// After an expiry: gives an adopted session a new handle. The library then no longer uses the dead handle:
///
///     zhandle_t* dead = std::exchange(handle, zookeeper_init(...));
///     zklock::readopt(session, handle);
///     zookeeper_close(dead);
///
/// No other thread may still use the dead handle when it is closed. `details` of adopt() are not kept. Waits only for
/// the library's callbacks on the dead handle. *Errors*: errc::invalid_option, also if the session was not adopted or
/// has not expired.
ZKLOCK_EXPORT void readopt(session& adopted, _zhandle* handle, const handle_details& details = {});

}  // namespace zklock
