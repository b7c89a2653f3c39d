#include <zklock/queue.hpp>

namespace zklock {

std::string_view to_string(participant_state value) noexcept {
  switch (value) {
    case participant_state::held: return "held";
    case participant_state::waiting: return "waiting";
  }
  return "unknown";
}

std::string_view to_string(participant_kind value) noexcept {
  switch (value) {
    case participant_kind::mutex: return "mutex";
    case participant_kind::read: return "read";
    case participant_kind::write: return "write";
    case participant_kind::permits: return "permits";
    case participant_kind::latch: return "latch";
  }
  return "unknown";
}

std::string_view to_string(layout value) noexcept {
  switch (value) {
    case layout::native: return "native";
    case layout::curator: return "curator";
  }
  return "unknown";
}

}  // namespace zklock
