#include "src/engine/connections.hpp"

#include <exception>
#include <utility>

namespace zklock::engine {

void connections::open(const client::parameters& with) {
  generation_ = ++last_generation_;
  try {
    current_ = servers_->open(with, world_.observer_of(generation_));
  } catch (...) {
    world_.dispose(generation_, nullptr);
    throw;
  }
}

bool connections::open_newcomer(const client::parameters& with, std::string_view last_server) {
  newcomer_generation_ = ++last_generation_;
  try {
    newcomer_ = servers_->open_newcomer(with, world_.observer_of(newcomer_generation_), last_server);
  } catch (const std::exception&) {  // no thread, no name: it is tried again
  }
  if (!newcomer_) {
    world_.dispose(newcomer_generation_, nullptr);
  }
  return newcomer_ != nullptr;
}

void connections::retire_newcomer() {
  if (newcomer_) {
    client::connection& dying = *newcomer_;
    closing_.emplace(newcomer_generation_, std::move(newcomer_));
    dying.close();
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
