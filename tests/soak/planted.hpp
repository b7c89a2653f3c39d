#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zklock::soak {

/// What a worker does wrong on purpose, so that it can be seen that the judge finds it.
enum class planted : std::uint8_t {
  nothing,
  claims_after_release,  ///< says that it holds for some time after it has given the lock back
  stale_base,            ///< writes on top of what it read under a hold that is over
  keeps_a_grant,         ///< rests while it still has one
  deaf_to_removal,       ///< goes on saying that it holds after it was told that it does not
  waits_too_long,        ///< returns late from a wait with a limit
};

[[nodiscard]] constexpr std::optional<planted> planted_by_name(std::string_view name) {
  if (name == "nothing") return planted::nothing;
  if (name == "claims-after-release") return planted::claims_after_release;
  if (name == "stale-base") return planted::stale_base;
  if (name == "keeps-a-grant") return planted::keeps_a_grant;
  if (name == "deaf-to-removal") return planted::deaf_to_removal;
  if (name == "waits-too-long") return planted::waits_too_long;
  return std::nullopt;
}

}  // namespace zklock::soak
