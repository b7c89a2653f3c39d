#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "src/owner_book.hpp"

namespace zklock::sim {

enum class recipe : std::uint8_t { mutex, shared, semaphore };

inline constexpr std::string_view lock_path = "/l";

/// A lock that a scenario is about.
struct lock_plan {
  std::string path = std::string(lock_path);
  recipe kind = recipe::mutex;
  std::uint32_t limit = 0;  ///< of a semaphore, at first
  bool asserted = true;     ///< who acquires names the limit; otherwise takes the one that is there
};

/// What a deed wants of one of them.
struct want {
  std::size_t lock = 0;
  detail::side of = detail::side::whole;
  std::uint32_t permits = 1;
};

}  // namespace zklock::sim
