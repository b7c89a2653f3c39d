#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

namespace zklock {

/// Called when unlock() or unlock_shared() has nothing to release: a contract violation. A handler must not throw. If
/// it returns, the call does nothing. `operation` is "unlock" for both calls; `path` is the lock's.
using contract_handler = void (*)(const char* operation, const char* path);

/// Sets the handler for the process, and returns the former one. Null: the default, `std::terminate`. Each violation is
/// logged. *Threads*: any.
ZKLOCK_EXPORT contract_handler set_contract_handler(contract_handler handler) noexcept;

}  // namespace zklock
