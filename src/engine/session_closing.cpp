#include "src/engine/session_closing.hpp"

#include <algorithm>

#include <zklock/error.hpp>

namespace zklock::engine {

bool session_closing::begin(instant limit) {
  if (limit_) {
    return false;
  }
  limit_ = limit;
  return true;
}

void session_closing::note_nodes_until(instant when) noexcept { nodes_until_ = std::max(nodes_until_, when); }

std::error_code session_closing::answer(instant now) {
  answered_ = true;
  return nodes_left_ || now < nodes_until_ ? make_error_code(errc::release_unconfirmed) : std::error_code{};
}

}  // namespace zklock::engine
