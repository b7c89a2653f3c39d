#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::recipes {

/// How many permits a semaphore has: the data of its lock node.
struct permit_limit {
  std::uint32_t limit = 0;
  /// The highest limit under which any contender in the queue may have been granted; at least `limit`. A contender with
  /// its predecessor within it may stand behind holders alone, and watches the whole queue (F106).
  std::uint32_t was = 0;

  bool operator==(const permit_limit&) const = default;
};

/// What a semaphore's lock node says, as it was read last.
struct limit_node {
  std::optional<permit_limit> limit{};  ///< nothing: no limit, or it was not read yet
  bool empty = false;                   ///< it has no data: a limit may be stored
  std::int32_t version = 0;             ///< of its data
  std::int64_t written = 0;             ///< see event::limit_read; 0: not known, or written since

  bool operator==(const limit_node&) const = default;
};

/// A child of a lock node that was there, without a limit, before one was stored in it. It may be a container, which no
/// client can see, and which the servers remove with the limit when it has no child (F148). No contender, and last in
/// any order.
inline constexpr std::string_view limit_keeper = "limit-keeper";

/// "limit=8", and "was=10" below it where that says more.
[[nodiscard]] std::string limit_data(const permit_limit& limit);
/// limit_data() backwards, for any bytes. Nothing, if they do not say a limit from 1 to `permits_max`.
[[nodiscard]] std::optional<permit_limit> parse_limit(std::string_view data);

/// `to` permits from now on. Holders keep theirs, so what was in force is remembered; for longer than the present limit
/// only while the queue has not been empty.
[[nodiscard]] permit_limit changed_limit(const permit_limit& from, std::uint32_t to, bool queue_empty) noexcept;

}  // namespace zklock::recipes
