#pragma once

#include <stdexcept>

namespace zklock::cli {

/// The command line is not to be understood. The message names the value at fault.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace zklock::cli
