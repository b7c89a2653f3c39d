#pragma once

namespace zklock::cli {

/// Opens the program that this process executes, so that execute_own_program() finds it whatever becomes of its file and of /proc.
/// Throws std::system_error.
void open_own_program();
/// Returns only if it fails; errno says why. The new program's name, as ps has it, is its own to set. `words`: ends with a null.
void execute_own_program(char* const* words);

}  // namespace zklock::cli
