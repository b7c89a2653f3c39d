#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <compare>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace zklock {

/// A protected store compares tokens: it refuses a token that is smaller than the greatest token that it has recorded.
/// The token of a later conflicting grant is greater, also if the servers were restarted or the lock node was created
/// anew in between. Which tokens a store records, and where: docs/guide/loss_and_fencing.md.
struct fencing_token {
  std::int64_t czxid = 0;  ///< of the contender's node; of a multi-lock: docs/guide/multi_lock.md; 0: no node
  std::uint32_t turn = 0;  ///< with lock_options::hand_over a node has several holds: the number of this one, from 0

  /// `turn` is always less than this.
  static constexpr std::uint32_t turns_per_node = 1024;

  auto operator<=>(const fencing_token&) const = default;

  /// The token as one number, for stores that compare numbers: the numbers sort as the tokens do. The number is not the
  /// czxid. Throws std::overflow_error after the servers have elected more than 2,097,151 leaders; to_string() has no
  /// such limit.
  [[nodiscard]] constexpr std::int64_t number() const {
    constexpr std::int64_t czxid_end = INT64_MAX / turns_per_node + 1;
    if (czxid < 0 || czxid >= czxid_end || turn >= turns_per_node) {
      throw std::overflow_error("fencing_token::number()");
    }
    return czxid * turns_per_node + turn;
  }
};

/// The token as text, for stores that compare text, and for people: "0000000500000011-000", the czxid and the turn in
/// hexadecimal digits. The text always has 20 characters, and texts sort as the tokens do.
[[nodiscard]] ZKLOCK_EXPORT std::string to_string(const fencing_token& token);

}  // namespace zklock
