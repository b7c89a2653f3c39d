#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "recipes/contender.hpp"
#include "recipes/multi_contender.hpp"
#include "src/operations/acquire_request.hpp"

namespace zklock::detail {

/// One contender that it takes to acquire a part, and where it stands.
struct contender_place {
  std::size_t part = 0;  ///< of the acquisition
  recipes::claim claim{};
  std::string_view below{};  ///< the lock node, below the path of the part; empty: it is the path
  recipes::place_turn turn{};
};

/// Whether these parts are taken in turn: a client that contends with Curator takes them as Curator does.
[[nodiscard]] bool in_turn(const std::vector<wanted_part>& parts) noexcept;
/// Whether it takes more than one contender.
[[nodiscard]] bool of_several(const recipes::claim& wanted) noexcept;
/// The contenders of all parts, in the order of the parts. `agreed`, by part: its claim was compared with the limit.
[[nodiscard]] std::vector<contender_place> places_of(const std::vector<wanted_part>& parts,
                                                     const std::vector<bool>& agreed);
[[nodiscard]] std::vector<recipes::place_turn> turns_of(const std::vector<contender_place>& places);

}  // namespace zklock::detail
