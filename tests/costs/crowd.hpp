#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/costs/metered_client.hpp"

namespace zklock::costs {

/// What a crowd of one session does at once, at one lock node.
enum class crowd_does : std::uint8_t {
  readers_join,       ///< behind a reader of their session
  readers_wait,       ///< behind a writer of their session
  readers_are_freed,  ///< that writer releases
  readers_pass_mark,  ///< that writer downgrades
  readers_cancel,
  mutexes_cancel,     ///< every second one
  permits_join,       ///< each gets one
  permits_wait,       ///< behind the holder of all
  permits_are_freed,  ///< by the holder of all
  permits_cancel,
  waiters_reconnect,  ///< mutexes, in the same session
  joiners_reconnect,  ///< whose creates are unanswered
};

[[nodiscard]] std::vector<crowd_does> all_crowds();
[[nodiscard]] const char* name_of(crowd_does what) noexcept;

/// From the first of it to the last answer. Throws std::logic_error if it comes to another end than it should.
[[nodiscard]] meter measure_crowd(crowd_does what, std::size_t members);

}  // namespace zklock::costs
