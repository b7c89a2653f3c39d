#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

namespace zklock {

/// Called when `unlock()` or `unlock_shared()` is called for an owner that has locked nothing. No request has been
/// sent. If the handler returns, the call does nothing. Must not throw.
using contract_handler = void (*)(const char* operation, const char* path);

/// Sets the handler for the process, and gives the one before it. Null: the default, which is `std::terminate`. The
/// violation is logged in any case. Threads: any.
ZKLOCK_EXPORT contract_handler set_contract_handler(contract_handler handler) noexcept;

}  // namespace zklock
