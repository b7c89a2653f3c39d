#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "recipes/contender.hpp"
#include "recipes/multi_contender.hpp"
#include "src/session/acquisition.hpp"

namespace zklock::detail {

/// One contender that it takes to acquire a part, and where it stands.
struct contender_place {
  std::size_t part = 0;  ///< of the acquisition
  recipes::claim claim{};
  std::string_view below{};  ///< the lock node, below the path of the part; empty: it is the path
  recipes::place_turn turn{};
};

/// Whether the parts of this acquisition are taken in turn: whoever contends with Curator takes them as Curator does.
[[nodiscard]] bool in_turn(const acquisition& wanted) noexcept;
/// Whether it takes more than one contender.
[[nodiscard]] bool of_several(const recipes::claim& wanted) noexcept;
/// The contenders of all parts, in the order of the parts.
[[nodiscard]] std::vector<contender_place> places_of(const acquisition& wanted);
[[nodiscard]] std::vector<recipes::place_turn> turns_of(const std::vector<contender_place>& places);

}  // namespace zklock::detail
