#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <zklock/options.hpp>
#include <zklock/queue.hpp>
#include <zklock/session.hpp>

namespace zklock::detail {

/// All who stand at a lock node, whatever recipes they are of.
struct lock_listing {
  std::vector<participant> queue;
  std::optional<std::uint32_t> limit;  ///< of the permits, if the lock node says one
};

/// Of a path of which the recipe is not known: they are told from the children themselves. At the longest
/// `options.try_limit`. Throws as a lock's queue() does.
[[nodiscard]] lock_listing list_lock(session& session, std::string_view path, const lock_options& options);

}  // namespace zklock::detail
