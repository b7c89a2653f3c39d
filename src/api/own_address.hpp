#pragma once

#include <string>

namespace zklock::detail {

/// The address of this machine's own name, as text; empty if it has none. What a client of Curator's writes into its nodes.
/// Asks the resolver, once in a process: it may take as long as that does.
[[nodiscard]] const std::string& own_address();

}  // namespace zklock::detail
