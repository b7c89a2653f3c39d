#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "recipes/contender_data.hpp"
#include "recipes/contender_name.hpp"
#include "recipes/permit_limit.hpp"

namespace zklock::recipes {

/// One contender, as a listing shows it.
struct queued {
  std::string name;
  contender_kind kind = contender_kind::mutex;
  std::uint32_t permits = 0;  ///< that it wants of a semaphore
  contender_mode mode = contender_mode::write;

  bool operator==(const queued&) const = default;
};

/// The contenders among `children`, first in the queue first: by number, whatever library they are of (F51). Those of the
/// recipe that `recipe` is a kind of; nothing: of every recipe of ours. `mode` is not known by the name alone.
[[nodiscard]] std::vector<queued> queue_among(std::vector<std::string> children, std::optional<contender_kind> recipe);

/// Who of a whole queue has the lock, by the rule of its recipe; where several recipes share a lock node, each by its own.
/// Mutexes: the first. Readers: who has no writer before it, also a writer that was downgraded. A writer: if it is first.
/// Permits: whose own and all before it add up to no more than the limit, or who has marked itself as granted.
[[nodiscard]] std::vector<bool> holders_of(std::span<const queued> queue, const std::optional<permit_limit>& limit);

/// As what it stands there: a writer that was downgraded is a reader.
[[nodiscard]] contender_kind kind_of(const queued& one) noexcept;

}  // namespace zklock::recipes
