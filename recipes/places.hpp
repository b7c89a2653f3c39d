#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <string_view>
#include <vector>

#include "recipes/acquire_spec.hpp"

namespace zklock::recipes {

/// When the turn of a place comes, where not all contenders are enlisted at once.
struct place_turn {
  std::size_t step = 0;  ///< with all of the step before held; steps are numbered from 0, each has a place
  bool passing = false;  ///< its contender is needed only until all of the next step are held
  bool operator==(const place_turn&) const = default;
};

/// One contender that an attempt takes, and where it stands.
struct place {
  std::size_t part = 0;  ///< of the attempt
  recipes::acquire_spec spec{};
  std::string_view below{};  ///< the lock node, below the path of the part; empty: it is the path
  place_turn turn{};
  bool exclusive = false;  ///< its contender excludes all others
};

/// The places of an attempt, in the order of its parts. A part takes one, or as many as its recipe says.
struct place_plan {
  boost::container::small_vector<place, 1> places{};
  bool in_turn = false;   ///< a client that contends with Curator takes the places as Curator does
  std::size_t parts = 0;  ///< that were added

  void add(const acquire_spec& part);
  [[nodiscard]] std::vector<place_turn> turns() const;
};

}  // namespace zklock::recipes
