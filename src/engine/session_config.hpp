#pragma once

#include <chrono>
#include <string>

namespace zklock::detail {

struct session_config {
  std::string root;                           ///< the chroot: put in front of every path. Empty: none
  std::chrono::milliseconds timeout{10'000};  ///< asked for, if the handle is our own
  std::chrono::milliseconds margin{0};        ///< 0: a twelfth of the least timeout that the servers grant
  std::chrono::milliseconds tick{0};          ///< the servers' greatest; 0: recipes::assumed_tick()
  std::string auth_scheme;
  std::string auth_credentials;
};

}  // namespace zklock::detail
