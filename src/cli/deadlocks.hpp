#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <zklock/queue.hpp>

#include "src/api/participants_list.hpp"

namespace zklock::cli {

/// An owner waits at `path` with `waits`, and the next one in the circle has, or waits with, `blocks`, which bars it.
struct circle_step {
  std::string path;
  participant waits;
  participant blocks;
};

/// Owners that wait for each other's locks. The first waits for the second, the last for the first.
struct deadlock {
  std::vector<circle_step> circle;
  bool of_one_session_each =
      true;                ///< false: two sessions are taken for one process, since host and process number are equal
  std::size_t behind = 0;  ///< calls that wait behind the circle
};

/// The deadlocks that stood between two passes over the same locks; the second has begun when the first had ended.
///
/// What one owner has counts as one owner's, and it stays only if nothing of the owner differs in the second pass: an owner
/// that has done anything in between may go on. No node comes back under its czxid, so what both passes have seen stood at
/// each instant between them, and what follows from it for all of them together is true of that time: *no false alarm*.
/// That an owner gives nothing back while all its calls wait is taken for granted: another thread of its may. A wait with a time
/// limit and a hold with a bound end by themselves all the same; the servers do not know of either. Without an owner nobody knows what
/// else a participant has, so it is in no circle: of Curator's, of other libraries, and of local hand-over.
///
/// *Cost*: the number of participants, times the longest chain of owners.
[[nodiscard]] std::vector<deadlock> find_deadlocks(std::span<const detail::inspected_lock> first,
                                                   std::span<const detail::inspected_lock> second);

}  // namespace zklock::cli
