#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <compare>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace zklock {

/// The number that a protected store compares: it refuses a smaller token than the greatest that it has seen. Each
/// later conflicting grant has a greater one, also across restarts and re-made lock nodes. What each kind of store
/// keeps: docs/guide/loss_and_fencing.md.
struct fencing_token {
  std::int64_t czxid = 0;  ///< of the contender's node; 0: none
  std::uint32_t turn = 0;  ///< of the holders that this node has had, by lock_options::hand_over: 0 for the first

  /// `turn` is always less than this.
  static constexpr std::uint32_t turns_per_node = 1024;

  auto operator<=>(const fencing_token&) const = default;

  /// The token as one number, for stores that compare numbers: they sort as the tokens do. Not the czxid. Throws
  /// std::overflow_error when the servers have elected more than 2,097,151 leaders; to_string() has no such limit.
  [[nodiscard]] constexpr std::int64_t number() const {
    constexpr std::int64_t czxid_end = INT64_MAX / turns_per_node + 1;
    if (czxid < 0 || czxid >= czxid_end || turn >= turns_per_node) {
      throw std::overflow_error("fencing_token::number()");
    }
    return czxid * turns_per_node + turn;
  }
};

/// For stores that compare text, and for people: "0000000500000011-000", the czxid and the turn in hexadecimal digits.
/// Always 20 characters, which sort as the tokens do.
[[nodiscard]] ZKLOCK_EXPORT std::string to_string(const fencing_token& token);

}  // namespace zklock
