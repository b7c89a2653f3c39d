#pragma once

#include <string>
#include <vector>

#include "tests/soak/event.hpp"

namespace zklock::soak {

/// Which attempt of which worker process.
struct attempt_id {
  std::string worker{};
  attempt_number attempt = 0;
  auto operator<=>(const attempt_id&) const = default;
};
[[nodiscard]] inline std::string to_string(const attempt_id& of) {
  return of.worker + "#" + std::to_string(of.attempt);
}

/// Something that must not be.
struct finding {
  std::string
      check{};  ///< one-holder, loss-told, tokens-rise, store-exact, wait-ends, nothing-left, one-outcome, worker-says
  std::string what{};
  std::vector<attempt_id> of{};  ///< the attempts whose lines in the logs show it
};

}  // namespace zklock::soak
