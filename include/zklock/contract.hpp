#pragma once

namespace zklock {

/// Called when a precondition of the std names is violated: `unlock()` for an owner that has locked nothing. No request
/// has been sent. If it returns, unlock() does nothing. Must not throw.
using contract_handler = void (*)(const char* operation, const char* path);

/// Sets the handler for the process, and gives the one before it. Null: the default, which is `std::terminate`. The
/// violation is logged in any case. Threads: any.
contract_handler set_contract_handler(contract_handler handler) noexcept;

}  // namespace zklock
