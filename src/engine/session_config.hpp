#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace zklock::detail {

struct session_config {
  std::string root;                           ///< the chroot: put in front of every path. Empty: none
  std::chrono::milliseconds timeout{10'000};  ///< asked for, if the handle is our own
  std::chrono::milliseconds margin{0};        ///< 0: a twelfth of the least timeout that the servers grant
  std::chrono::milliseconds tick{0};          ///< the servers' greatest; 0: recipes::assumed_tick()
  /// How many operations one task of the strand tells what happens to many. The others are told in the next ones.
  std::size_t slice = 64;
  std::string auth_scheme;
  std::string auth_credentials;
};

}  // namespace zklock::detail
