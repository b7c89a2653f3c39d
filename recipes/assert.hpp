#pragma once

/// ZKLOCK_ASSERT(condition): what holds whatever is answered, and in which order. Builds with ZKLOCK_ASSERTIONS (the presets dev,
/// asan, tsan and coverage, so each schedule of the simulator) end the process where it does not; a release evaluates nothing, and
/// has no path of a source in it.
#ifdef ZKLOCK_ASSERTIONS
#include <cassert>
#define ZKLOCK_ASSERT(condition) assert(condition)
#else
#define ZKLOCK_ASSERT(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#endif
