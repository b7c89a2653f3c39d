#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/costs/metered_client.hpp"

namespace zklock::costs {

/// The contenders that stand there when one more comes.
struct situation {
  std::string recipe;  ///< what the one that comes wants
  std::string where;   ///< "alone", "behind one writer" …
  detail::wanted_parts before{};
  std::size_t how_many = 0;  ///< of those, each in a session of its own, one after the other
  detail::wanted_parts newcomer{};
  bool downgrades = false;  ///< the first does, instead of releasing
  std::size_t again = 0;    ///< how often the newcomer has held before, by the same lock object
};

/// What it costs the newcomer, and all other clients.
struct cost {
  meter to_enter{};  ///< until it is granted, or waits
  bool at_once = false;
  std::uint64_t watches = 0;  ///< that stand while it waits
  meter to_wait{};            ///< from there to the grant
  std::uint64_t marks = 0;    ///< writes that no client waits for: on entering, and on being granted
  meter to_release{};
  std::uint64_t woken_by_a_release = 0;  ///< clients that a release has woken and not let in, at the most
};

[[nodiscard]] std::vector<situation> situations();
/// Plays it: all before it give back, the first first.
[[nodiscard]] cost measure(const situation& plays);
/// The page, whole.
[[nodiscard]] std::string page(const std::vector<situation>& all);

}  // namespace zklock::costs
