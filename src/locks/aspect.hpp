#pragma once

#include <cstdint>

#include <zklock/grant.hpp>

namespace zklock::detail {

/// Which part of a lock is meant: what a view stands for.
struct aspect {
  side of = side::whole;
  std::uint32_t permits = 1;
};

}  // namespace zklock::detail
