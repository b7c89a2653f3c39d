#include <zklock/loss.hpp>

namespace zklock {

std::string_view to_string(loss_reason reason) noexcept {
  switch (reason) {
    case loss_reason::none: return "not lost";
    case loss_reason::session_expired: return "session expired";
    case loss_reason::node_removed: return "node removed";
    case loss_reason::deadline_passed: return "deadline passed";
    case loss_reason::session_closed: return "session closed";
    case loss_reason::held_too_long: return "held too long";
  }
  return "unknown";
}

}  // namespace zklock
