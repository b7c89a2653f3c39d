#include "src/engine/watch_table.hpp"

namespace zklock::engine {

client::watch_id watch_table::add(std::uint64_t owner, tag as, std::string path, bool on_children,
                                  const client::watch_budget& budget) {
  static_cast<void>(take_of(owner, as));
  const std::size_t cost = budget.cost_of(path);
  if (bytes_ + cost > budget.bytes) {
    return client::no_watch;
  }
  bytes_ += cost;
  const client::watch_id id = ++last_;
  by_owner_.emplace(std::pair(owner, as), id);
  watches_.emplace(id, entry{id, owner, as, std::move(path), on_children, cost});
  return id;
}

std::optional<watch_table::entry> watch_table::take(client::watch_id id) {
  const auto found = watches_.find(id);
  if (found == watches_.end()) {
    return std::nullopt;
  }
  entry taken = std::move(found->second);
  bytes_ -= taken.cost;
  watches_.erase(found);
  by_owner_.erase({taken.owner, taken.as});
  return taken;
}

std::optional<watch_table::entry> watch_table::take_of(std::uint64_t owner, tag as) {
  const auto found = by_owner_.find({owner, as});
  return found == by_owner_.end() ? std::nullopt : take(found->second);
}

std::optional<watch_table::entry> watch_table::take_any_of(std::uint64_t owner) {
  const auto found = by_owner_.lower_bound({owner, 0});
  return found == by_owner_.end() || found->first.first != owner ? std::nullopt : take(found->second);
}

void watch_table::clear() noexcept {
  watches_.clear();
  by_owner_.clear();
  bytes_ = 0;
}

}  // namespace zklock::engine
