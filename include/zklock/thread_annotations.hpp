#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

/// Attributes for clang's -Wthread-safety. All types with lock() have these attributes: clang checks each access to
/// `int total ZKLOCK_GUARDED_BY(orders);`. The analysis does not follow grants, and reports re-entry as a mistake.
/// Which guards of std the analysis knows: docs/guide/threads.md.
#if defined(__clang__)
#define ZKLOCK_ANNOTATION(x) __attribute__((x))
#else
#define ZKLOCK_ANNOTATION(x)
#endif

#define ZKLOCK_CAPABILITY(name) ZKLOCK_ANNOTATION(capability(name))
#define ZKLOCK_SCOPED_CAPABILITY ZKLOCK_ANNOTATION(scoped_lockable)
#define ZKLOCK_GUARDED_BY(lock) ZKLOCK_ANNOTATION(guarded_by(lock))
#define ZKLOCK_PT_GUARDED_BY(lock) ZKLOCK_ANNOTATION(pt_guarded_by(lock))
#define ZKLOCK_REQUIRES(...) ZKLOCK_ANNOTATION(requires_capability(__VA_ARGS__))
#define ZKLOCK_REQUIRES_SHARED(...) ZKLOCK_ANNOTATION(requires_shared_capability(__VA_ARGS__))
#define ZKLOCK_EXCLUDES(...) ZKLOCK_ANNOTATION(locks_excluded(__VA_ARGS__))
#define ZKLOCK_ACQUIRE(...) ZKLOCK_ANNOTATION(acquire_capability(__VA_ARGS__))
#define ZKLOCK_ACQUIRE_SHARED(...) ZKLOCK_ANNOTATION(acquire_shared_capability(__VA_ARGS__))
#define ZKLOCK_TRY_ACQUIRE(...) ZKLOCK_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define ZKLOCK_TRY_ACQUIRE_SHARED(...) ZKLOCK_ANNOTATION(try_acquire_shared_capability(__VA_ARGS__))
#define ZKLOCK_RELEASE(...) ZKLOCK_ANNOTATION(release_capability(__VA_ARGS__))
#define ZKLOCK_RELEASE_SHARED(...) ZKLOCK_ANNOTATION(release_shared_capability(__VA_ARGS__))
#define ZKLOCK_RETURN_CAPABILITY(lock) ZKLOCK_ANNOTATION(lock_returned(lock))
#define ZKLOCK_NO_THREAD_SAFETY_ANALYSIS ZKLOCK_ANNOTATION(no_thread_safety_analysis)
