#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "recipes/contender_data.hpp"
#include "recipes/contender_name.hpp"
#include "recipes/names_view.hpp"
#include "recipes/permit_limit.hpp"

namespace zklock::recipes {

class contender;

/// One contender, as a listing shows it.
struct queued {
  std::string name;
  contender_kind kind = contender_kind::mutex;
  std::uint32_t permits = 0;  ///< that it wants of a semaphore; of a lease, 0: it waits in line to make one
  contender_mode mode = contender_mode::write;
  layout as = layout::native;

  bool operator==(const queued&) const = default;
};

/// The contenders among `children`, first in the queue first: by number, whatever library they are of (F51). Those of the
/// recipe that `recipe` is a kind of, in that layout; nothing: of every recipe of ours. `mode` is not known by the name
/// alone.
[[nodiscard]] std::vector<queued> queue_among(names_view children, std::optional<contender_kind> recipe,
                                              layout as = layout::native);

/// The session that has made a node, and the czxid of the node, as its stat tells. 0: it does not.
struct node_origin {
  std::int64_t session = 0;
  std::int64_t czxid = 0;
};

/// Whether `last_lease` is of the contender that is first for the mutex beside a semaphore's leases, in Curator's
/// layout: it has both nodes while it waits for room. Of two that share a session the other may have come in just
/// before it: then for a moment alone, for it makes its own lease, the last one, as soon as it is first.
[[nodiscard]] bool stands_twice(const node_origin& first_in_line, const node_origin& last_lease) noexcept;

/// Which contenders of a whole queue have the lock, by the rule of their recipe; where several recipes share a lock
/// node, each by its own.
/// Mutexes: the first. Readers, and writers that were downgraded: each with no writer before it. A writer: if it is
/// first.
/// A reader of Curator's with a writer's own number is the same participant: both hold.
/// Permits: a contender, if its own and all before it add up to no more than the limit, or if it has marked itself as
/// granted.
/// Leases: as many as the limit, the first first; all, if it is not known; none whose mode is `permit`.
[[nodiscard]] std::vector<bool> holders_of(std::span<const queued> queue, const std::optional<permit_limit>& limit,
                                           std::optional<std::uint32_t> lease_limit = {});

/// Whether one that stands before another one in their queue bars it until it leaves, by their kinds and modes. Permits: no.
[[nodiscard]] bool bars(const contender& first, const contender& behind) noexcept;

/// As what it stands there: a writer that was downgraded is a reader.
[[nodiscard]] contender_kind kind_of(const queued& one) noexcept;

}  // namespace zklock::recipes
