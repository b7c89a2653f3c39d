#pragma once

#include <string>
#include <system_error>
#include <utility>

#include <zklock/error.hpp>

namespace zklock::test_support {

/// The error that `what` throws, and what it says; a default one if it throws none.
template <class What>
[[nodiscard]] std::pair<std::error_code, std::string> error_from(What what) {
  try {
    what();
  } catch (const error& told) {
    return {told.code(), told.what()};
  }
  return {};
}

}  // namespace zklock::test_support
