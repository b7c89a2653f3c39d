#pragma once

#include <cstdint>

#include <zklock/grant.hpp>

#include "src/api/owner_number.hpp"

namespace zklock::detail {

/// Which part of a lock is meant, and for which owner: what a view stands for.
struct lock_mode {
  side of = side::whole;
  std::uint32_t permits = 1;
  owner_number owner = no_owner;  ///< that as() has said
};

}  // namespace zklock::detail
