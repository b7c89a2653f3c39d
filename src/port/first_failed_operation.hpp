#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "src/port/client.hpp"

namespace zklock::client {

/// The first operation of a transaction that has failed by itself: those before it are told that they were fine, those
/// behind it that they were not at fault (-2).
[[nodiscard]] inline std::optional<std::size_t> first_failed_operation(const reply_view& transaction) {
  const auto found = std::find_if(transaction.parts.begin(), transaction.parts.end(), [](const part_result& part) {
    return part.code != code::ok && part.code != code::runtime_inconsistency;
  });
  return found == transaction.parts.end() ? std::nullopt
                                          : std::optional(static_cast<std::size_t>(found - transaction.parts.begin()));
}

/// Why a transaction has failed: that operation's code, or its own. Ok if it has not.
[[nodiscard]] inline code cause(const reply_view& transaction) {
  const std::optional<std::size_t> place = first_failed_operation(transaction);
  return place ? transaction.parts[*place].code : transaction.code;
}

}  // namespace zklock::client
