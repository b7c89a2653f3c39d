#pragma once

#include <string>
#include <system_error>

#include "recipes/code.hpp"

namespace zklock::detail {

/// Why a call was refused, in the caller's terms.
struct failure {
  std::error_code ec;                        ///< no error: not in time, and the queue was seen
  recipes::code answer = recipes::code::ok;  ///< ZooKeeper's, behind an error
  std::string path{};    ///< of the part of a multi-lock that is to blame; empty: none in particular
  std::string detail{};  ///< the values that do not go together; empty: the code says all
};

}  // namespace zklock::detail
