#include "src/engine/connections.hpp"

#include <utility>

namespace zklock::engine {

void connections::open(const client::parameters& with) {
  ++generation_;
  try {
    current_ = servers_->open(with, world_.observer_of(generation_));
  } catch (...) {
    world_.dispose(generation_, nullptr);
    throw;
  }
}

void connections::retire(std::optional<instant> close_at) {
  client::connection& dying = *current_;
  closing_.emplace(generation_, std::move(current_));
  if (close_at) {
    lingering_.emplace(*close_at, generation_);
  } else {
    dying.close();
  }
}

void connections::close_due(instant until) {
  while (!lingering_.empty() && lingering_.begin()->first <= until) {
    const auto found = closing_.find(lingering_.begin()->second);
    lingering_.erase(lingering_.begin());
    if (found != closing_.end()) {
      found->second->close();
    }
  }
}

std::optional<instant> connections::next_close() const {
  return lingering_.empty() ? std::nullopt : std::optional(lingering_.begin()->first);
}

bool connections::closed(std::uint64_t generation) {
  const auto found = closing_.find(generation);
  if (found == closing_.end()) {
    return false;
  }
  world_.dispose(generation, std::move(found->second));
  closing_.erase(found);
  return true;
}

}  // namespace zklock::engine
