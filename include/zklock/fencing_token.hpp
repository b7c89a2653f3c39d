#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <compare>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace zklock {

/// A protected store refuses a token that is smaller than the greatest that it has recorded. A later conflicting grant
/// has a greater token, also after a restart of the servers or a removal of the lock node. Exceptions: if the servers
/// lose their data (an emptied data directory, a restored backup), tokens start again below those of before. The token
/// of a multi_lock with a part in layout::curator is that of its first part, and orders only what this part protects.
/// What a store records, and what to do after lost data: docs/guide/loss_and_fencing.md.
struct fencing_token {
  /// The czxid of the contender's node; 0: no node. In a multi-lock's token it can exceed the czxid of the nodes.
  std::int64_t czxid = 0;
  std::uint32_t turn = 0;  ///< with lock_options::hand_over: the number of this hold among those of its node, from 0

  /// `turn` is always less than this.
  static constexpr std::uint32_t turns_per_node = 1024;

  auto operator<=>(const fencing_token&) const = default;

  /// The token as one number, which sorts as the token does. It is not the czxid. Throws std::overflow_error after the
  /// servers have elected more than 2,097,151 leaders; to_string() has no such limit.
  [[nodiscard]] constexpr std::int64_t number() const {
    constexpr std::int64_t czxid_end = INT64_MAX / turns_per_node + 1;
    if (czxid < 0 || czxid >= czxid_end || turn >= turns_per_node) {
      throw std::overflow_error("fencing_token::number()");
    }
    return czxid * turns_per_node + turn;
  }
};

/// The token as text of 21 characters, whose byte order is the order of tokens: "z0000000500000011-000", czxid and turn
/// in hexadecimal digits. No store or language takes it for a number.
[[nodiscard]] ZKLOCK_EXPORT std::string to_string(const fencing_token& token);

}  // namespace zklock
