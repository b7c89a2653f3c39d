#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <zklock/grant.hpp>

namespace zklock {

/// From now on a loss of the hold ends the process, by `_exit(status)`: no destructor runs, no buffer is written. At valid_until() at
/// the latest, or when a loss is known that comes earlier; a line on stderr says which lock, and why (if stderr blocks, by SIGKILL). For programs whose every
/// thread works for the lock or the lead, and that a service manager starts again.
///
///     zklock::grant lead = leader.acquire();
///     zklock::exit_on_loss(lead, 75);
///
/// - *Undone* when the hold is given back: with its last grant. session::close(), and the session's destructor, end a hold
///   as lost: give it back before. A grant that is lost already ends the process at once.
/// - *Threads*: any. A thread of the session keeps watch; it asks nothing of any other, so a stuck main thread, callback, log
///   sink or event loop does not delay it. A process that is stopped (SIGSTOP) does not end before it goes on; no held() says yes
///   in it then.
/// - *Children*: a fork's child goes on. Let it end with its parent: `prctl(PR_SET_PDEATHSIG)`, or `zklock run`.
/// - *Errors*: errc::not_owner if the grant is empty; errc::invalid_option: a status below 0 or above 255; errc::forked;
///   std::system_error if the system cannot start a thread.
/// - *Cost*: a thread and a descriptor for each session that is asked for it; some tens of microseconds a call; no request.
ZKLOCK_EXPORT void exit_on_loss(const grant& held, int status);

}  // namespace zklock
