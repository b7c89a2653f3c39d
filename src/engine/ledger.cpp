#include "src/engine/ledger.hpp"

#include <algorithm>

namespace zklock::engine {

client::request_id ledger::add(std::uint64_t owner, tag as, const traits& is, recipes::instant now) {
  entries_.push_back({++last_, owner, as, is, now});
  return last_;
}

namespace {

template <class Entries>
auto find(Entries& among, client::request_id id) {
  return std::lower_bound(among.begin(), among.end(), id,
                          [](const auto& one, client::request_id number) { return one.id < number; });
}

}  // namespace

std::optional<std::uint64_t> ledger::owner_of(client::request_id id) const {
  const auto found = find(entries_, id);
  return found == entries_.end() || found->id != id ? std::nullopt : std::optional(found->owner);
}

std::optional<ledger::entry> ledger::take(client::request_id id) {
  const auto found = find(entries_, id);
  if (found == entries_.end() || found->id != id) {
    return std::nullopt;
  }
  entry taken = *found;
  entries_.erase(found);  // nearly always the first
  if (!forgotten_.empty()) {
    const auto gone = forgotten_.find(taken.owner);
    taken.owner = gone != forgotten_.end() && id <= gone->second ? forgotten : taken.owner;
  }
  if (entries_.empty()) {
    forgotten_.clear();
  }
  return taken;
}

void ledger::forget(std::uint64_t owner) {
  if (!entries_.empty()) {
    forgotten_[owner] = last_;
  }
}

}  // namespace zklock::engine
