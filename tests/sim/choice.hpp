#pragma once

#include <cstdint>

#include "src/testing/step.hpp"
#include "tests/sim/trouble.hpp"

namespace zklock::sim {

/// One thing that can happen next.
struct choice {
  enum class kind : std::uint8_t {
    model,  ///< a step of the ensemble or of the connections: `step`
    timer,  ///< a session's timer is due
    act,    ///< a user does the next thing
    limit,  ///< the time that a user gave is up, whatever else is under way
    fault,  ///< `what`
    time,   ///< nothing else can happen: the clock goes to the next timer
  };
  kind what = kind::time;
  std::int32_t client = -1;
  testing::step step{};
  trouble fault{};
  std::int32_t host = -1;  ///< of a thread that shares more than the session with its process: whose that is

  bool operator==(const choice&) const = default;

  /// Something that happens inside one client: it hears, acts, or is woken by its clock.
  [[nodiscard]] bool on_client_side() const noexcept;
  [[nodiscard]] int whose() const noexcept { return what == kind::model ? step.client : client; }
  /// Inside which client it happens.
  [[nodiscard]] int side() const noexcept { return host >= 0 ? host : whose(); }
};

/// Whether two things that can both happen now lead to the same world in either order. Errs on the side of no.
[[nodiscard]] bool independent(const choice& a, const choice& b) noexcept;

}  // namespace zklock::sim
