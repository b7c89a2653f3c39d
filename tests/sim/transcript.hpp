#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "src/engine/hold.hpp"
#include "tests/sim/digest.hpp"

namespace zklock::sim {

/// What is seen of the clients from outside, in its order: what users do, what passes the port, what programs are told, and
/// at which instant. Of all that it keeps one number (digest.hpp).
///
/// It has nothing that a core numbers for itself: requests count by their order, watches by their paths (port_transcript.hpp),
/// the ids of contenders by the order in which the port sees them. Nor has it what the core writes into its log.
///
/// Which random id a contender has does matter where the ensemble takes nodes by their names: which of a client's nodes an
/// operator removes, in which order those of a session go. So a core has to draw its ids in the same order.
class transcript {
 public:
  /// In the committed digests: the numbers stay.
  enum class entry : std::uint8_t {
    // what is done
    action = 1,  ///< by a user
    fault = 2,
    // the port
    connection_opened = 10,
    connection_closed = 11,
    closing_answered = 12,
    requested = 13,
    answered = 14,
    watch_forgotten = 15,
    node_event = 16,
    session_event = 17,
    // what a program is told
    granted = 30,
    refused = 31,
    loss_told = 32,
    released = 33,
    state_changed = 34,
    session_closed = 35,
    reentered = 36,
    listed = 37,
    not_listed = 38,
    write_answered = 39,
    limit_answered = 40,
    deadline = 41,  ///< that a holder could read
    value_told = 42,
    following_over = 43,
    value_changed = 44,  ///< by this program, or not
    value_updated = 45,  ///< likewise
    leader_told = 46,
    observing_over = 47,
    proclaimed = 48,
    turn_ended = 49,
  };

  /// The instant of all entries from here on.
  void time_is(detail::instant now) noexcept { now_ = now; }

  void note(entry what, int client, const auto&... values) {
    sum_.add(static_cast<std::uint64_t>(what) << 32U | static_cast<std::uint32_t>(client));
    add(now_);
    (add(values), ...);
  }
  /// One more value of the entry that was noted last.
  void add(std::integral auto value) noexcept { sum_.add(static_cast<std::uint64_t>(value)); }
  template <class Value>
  requires std::is_enum_v<Value>
  void add(Value value) noexcept { add(static_cast<std::underlying_type_t<Value>>(value)); }
  void add(detail::instant when) noexcept { add(when.count()); }
  void add(std::string_view text) noexcept { sum_.add(text); }
  void add(const std::error_code& why) noexcept;
  void add(const detail::hold& hold);

  /// A path, or the last part of one, without the id of the contender that it may name: in its place is how many ids were
  /// seen before that one.
  [[nodiscard]] std::uint64_t number_of_path(std::string_view path);

  [[nodiscard]] std::uint64_t value() const noexcept { return sum_.value(); }

 private:
  [[nodiscard]] std::uint64_t number_of_id(std::string_view id);

  digest sum_;
  detail::instant now_{0};
  std::vector<std::uint64_t> ids_;  ///< digests of those seen, the first one first
};

}  // namespace zklock::sim
