#pragma once

namespace zklock::detail {

/// Logs the violation of a precondition and calls the program's handler.
void contract_violated(const char* operation, const char* path) noexcept;

}  // namespace zklock::detail
