#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

/// The version of these headers. What a new version may change: docs/guide/use_in_your_project.md.
#define ZKLOCK_VERSION_MAJOR 0
#define ZKLOCK_VERSION_MINOR 1
#define ZKLOCK_VERSION_PATCH 0
#define ZKLOCK_VERSION_STRING "0.1.0"

namespace zklock {

/// The version of the library with which the program runs, for example "0.1.0".
[[nodiscard]] ZKLOCK_EXPORT const char* library_version() noexcept;

}  // namespace zklock
