#pragma once

#include "src/cli/arguments.hpp"

namespace zklock::cli {

/// `zklock doctor`: prints what is wrong with the locks at the PATHs and below them. Returns the exit status; changes nothing.
[[nodiscard]] int doctor(const doctor_arguments& wanted);

}  // namespace zklock::cli
