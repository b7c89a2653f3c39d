#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

namespace zklock {

/// The library calls the handler when `unlock()` or `unlock_shared()` has nothing to release. (Of a shared_mutex each
/// side counts separately, of a semaphore each number of permits.) If the handler returns, the call does nothing.
/// The handler must not throw. `operation` is "unlock", also for `unlock_shared()`; `path` is the lock's.
using contract_handler = void (*)(const char* operation, const char* path);

/// Sets the handler for the process, and returns the former one. A null handler is the default: `std::terminate`. The
/// library logs each violation. *Threads*: any.
ZKLOCK_EXPORT contract_handler set_contract_handler(contract_handler handler) noexcept;

}  // namespace zklock
