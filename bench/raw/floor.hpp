#pragma once

#include <memory>
#include <string>

#include "bench/common/lock_library.hpp"
#include "bench/raw/handle.hpp"

namespace raw {

/// The least that a lock can cost: create and list are sent together, the watch on the predecessor is set in the
/// callback that knows it, its event is the grant, and a removal is not awaited. No error is repaired: it is a floor
/// to compare with, not a lock to use.
std::unique_ptr<bench::contender> floor_contender(const handle& with, const std::string& lock);

}  // namespace raw
