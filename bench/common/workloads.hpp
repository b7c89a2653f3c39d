#pragma once

#include "bench/common/command.hpp"
#include "bench/common/lock_library.hpp"

namespace bench {

// Each prepares what is not measured, measures one interval, and prints it. bench/README.md has their parameters.

/// Threads acquire and release until n operations are done.
void cycle(lock_library& library, const command& what);
/// One thread that holds the lock acquires it again, n times.
void reentry(lock_library& library, const command& what);
/// Two sessions take turns; the latency is from the call of release to the end of the other thread's acquire.
void hand_over(lock_library& library, const command& what);
/// n contenders queue behind a holder; then the holder and each of them releases.
void queue(lock_library& library, const command& what);

}  // namespace bench
