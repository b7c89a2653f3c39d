#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

namespace zklock {

/// The library calls the handler when `unlock()` or `unlock_shared()` has nothing to release: no count of this side of
/// a shared_mutex, or none of the view's number of permits. The call sends nothing, and does nothing if the handler
/// returns. The handler must not throw. `operation` is "unlock", also for `unlock_shared()`; `path` is the lock's.
using contract_handler = void (*)(const char* operation, const char* path);

/// Sets the handler for the process, and returns the former one. A null handler is the default: `std::terminate`. The
/// library logs each violation. *Threads*: any.
ZKLOCK_EXPORT contract_handler set_contract_handler(contract_handler handler) noexcept;

}  // namespace zklock
