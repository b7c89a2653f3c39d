#pragma once

#include <memory>
#include <string>

#include "bench/common/lock_library.hpp"
#include "bench/raw/handle.hpp"

namespace raw {

/// The recipe of ZooKeeper's page with synchronous calls: create, list, watch the predecessor, list again; delete.
std::unique_ptr<bench::contender> naive_contender(const handle& with, const std::string& lock);

}  // namespace raw
