#include "src/engine/ledger.hpp"

#include <algorithm>

namespace zklock::engine {

client::request_id ledger::add(std::uint64_t owner, tag as, const traits& is) {
  entries_.push_back({++last_, owner, as, is});
  return last_;
}

std::optional<ledger::entry> ledger::take(client::request_id id) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [id](const entry& one) { return one.id == id; });
  if (found == entries_.end()) {
    return std::nullopt;
  }
  const entry taken = *found;
  entries_.erase(found);
  return taken;
}

void ledger::forget(std::uint64_t owner) noexcept {
  for (entry& one : entries_) {
    one.owner = one.owner == owner ? forgotten : one.owner;
  }
}

}  // namespace zklock::engine
