#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace demo {

/// The token of a client that comes when all workers have gone, and tries once. Nothing: some contender was left, and
/// is before it.
[[nodiscard]] std::optional<std::int64_t> token_of_a_newcomer(const std::string& servers, const std::string& lock);

}  // namespace demo
