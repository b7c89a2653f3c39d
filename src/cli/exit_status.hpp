#pragma once

#include <system_error>

/// The exit statuses of the command itself. 64 to 75 are those of sysexits.h; 126, 127 and 128+n the shell's.
namespace zklock::cli::exit_status {

inline constexpr int problem_found =
    1;  ///< of doctor: clients wait for ever, or do not exclude each other; of evict: the node was left alone
inline constexpr int partly_hidden =
    2;  ///< of doctor: an access list hides a part, and there is no problem in the rest
inline constexpr int bad_usage = 64;
inline constexpr int unavailable = 69;     ///< no server in reach, or an error from it
inline constexpr int internal_error = 70;  ///< the machine refuses what the command itself needs
inline constexpr int not_in_time = 75;     ///< another client held the lock until the end of --timeout
inline constexpr int lock_lost = 79;       ///< the lock was lost while the child ran
inline constexpr int not_executable = 126;
inline constexpr int not_found = 127;
inline constexpr int signal_base = 128;  ///< + the number of the signal

/// For an error of the library: whether the user has given a bad value, the machine refuses something, or the servers are at fault.
[[nodiscard]] int of(const std::error_code& ec) noexcept;

}  // namespace zklock::cli::exit_status
