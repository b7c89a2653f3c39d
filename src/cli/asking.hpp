#pragma once

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <string>

namespace zklock::cli {

/// Of a command that holds nothing which could be lost. Short, so that a server that does not answer is given up soon for the
/// next one.
inline constexpr std::chrono::milliseconds session_timeout_of_asking{3'000};

/// To stdout, at once. False: errno says why not.
[[nodiscard]] inline bool print_text(const std::string& text) {
  errno = 0;
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

}  // namespace zklock::cli
