#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/contender_name.hpp"
#include "recipes/local_turns.hpp"
#include "src/api/lock_owners.hpp"

namespace zklock::sim {

enum class recipe : std::uint8_t { mutex, shared, semaphore };

inline constexpr std::string_view lock_path = "/l";

/// A lock that a scenario is about.
struct lock_plan {
  std::string path = std::string(lock_path);
  recipe kind = recipe::mutex;
  std::uint32_t limit = 0;  ///< of a semaphore, at first
  bool asserted = true;     ///< an acquire names the limit; otherwise it takes the one that is there
  recipes::layout layout = recipes::layout::native;
  bool hidden = false;                              ///< nobody may read its contenders' nodes
  std::optional<recipes::turn_bounds> hand_over{};  ///< of each process's lock object; nothing: none
  std::chrono::nanoseconds max_hold{0};             ///< 0: none
};

/// What a user action wants of one of them.
struct want {
  std::size_t lock = 0;
  detail::side of = detail::side::whole;
  std::uint32_t permits = 1;
};

/// Whether its limit is the users' own affair: no node says it.
[[nodiscard]] inline bool is_of_leases(const lock_plan& lock) noexcept {
  return lock.kind == recipe::semaphore && lock.layout == recipes::layout::curator;
}

/// Whether these are taken in turn, by several contenders: as Curator takes them.
[[nodiscard]] inline bool in_turn(const std::vector<lock_plan>& locks, const std::vector<want>& wanted) {
  const bool of_curator = std::any_of(wanted.begin(), wanted.end(), [&locks](const want& one) {
    return locks[one.lock].layout == recipes::layout::curator;
  });
  return of_curator && (wanted.size() > 1 || is_of_leases(locks[wanted.front().lock]));
}

/// Whether the acquisitions of it that one process asks for take turns.
[[nodiscard]] inline bool takes_turns(const std::vector<lock_plan>& locks, const std::vector<want>& wanted) {
  return wanted.size() == 1 && locks[wanted.front().lock].hand_over &&
         (wanted.front().of == detail::side::whole || wanted.front().of == detail::side::write);
}

/// A node under which contenders of a lock stand.
struct lock_node {
  std::string path;
  std::size_t lock = 0;
};

/// Of all these locks. A semaphore in Curator's layout has two: the mutex's, then the leases'.
[[nodiscard]] inline std::vector<lock_node> lock_nodes_of(const std::vector<lock_plan>& locks) {
  std::vector<lock_node> all;
  for (std::size_t lock = 0; lock < locks.size(); ++lock) {
    const std::string& path = locks[lock].path;
    if (is_of_leases(locks[lock])) {
      all.push_back({path + std::string(recipes::curator_locks), lock});
      all.push_back({path + std::string(recipes::curator_leases), lock});
    } else {
      all.push_back({path, lock});
    }
  }
  return all;
}

}  // namespace zklock::sim
