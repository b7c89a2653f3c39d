#include "src/cli/granted_timeout.hpp"

#include "src/cli/duration.hpp"

namespace zklock::cli {

std::string describe_granted_timeout(std::chrono::milliseconds asked, std::chrono::milliseconds granted) {
  if (granted == asked) {
    return {};
  }
  return "session timeout: " + to_text(asked) + " was asked for, the servers grant " + to_text(granted) +
         (granted < asked ? " at most" : " at least");
}

}  // namespace zklock::cli
