#include "src/engine/watch_table.hpp"

#include <algorithm>

namespace zklock::engine {

client::watch_id watch_table::add(std::uint64_t owner, tag as, std::string_view path, kind on,
                                  const client::watch_budget& budget) {
  static_cast<void>(take_of(owner, as));
  const std::size_t cost = budget.cost_of(path);
  if (bytes_ + cost > budget.bytes) {
    return client::no_watch;
  }
  budget_ = budget;
  bytes_ += cost;
  const client::watch_id id = ++last_;
  by_owner_.emplace(owner, id);
  watches_.emplace(id, watch{owner, path, as, on});
  return id;
}

std::optional<std::uint64_t> watch_table::owner_of(client::watch_id id) const {
  const auto found = watches_.find(id);
  return found == watches_.end() ? std::nullopt : std::optional(found->second.owner);
}

std::optional<watch_table::entry> watch_table::take(client::watch_id id) {
  const auto found = watches_.find(id);
  if (found == watches_.end()) {
    return std::nullopt;
  }
  const watch& one = found->second;
  entry taken{id, one.owner, one.as, std::string(one.path), one.on};
  bytes_ -= budget_.cost_of(one.path);
  watches_.erase(found);
  const auto [first, last] = by_owner_.equal_range(taken.owner);
  by_owner_.erase(std::find_if(first, last, [id](const auto& its) { return its.second == id; }));
  return taken;
}

std::optional<client::watch_id> watch_table::id_of(std::uint64_t owner, tag as) const {
  const auto [first, last] = by_owner_.equal_range(owner);
  const auto found =
      std::find_if(first, last, [this, as](const auto& its) { return watches_.at(its.second).as == as; });
  return found == last ? std::nullopt : std::optional(found->second);
}

std::optional<watch_table::entry> watch_table::take_of(std::uint64_t owner, tag as) {
  const auto found = id_of(owner, as);
  return found ? take(*found) : std::nullopt;
}

std::optional<watch_table::entry> watch_table::take_any_of(std::uint64_t owner) {
  const auto [first, last] = by_owner_.equal_range(owner);
  const auto found = std::min_element(first, last, [this](const auto& one, const auto& other) {
    return watches_.at(one.second).as < watches_.at(other.second).as;
  });
  return found == last ? std::nullopt : take(found->second);
}

void watch_table::clear() noexcept {
  watches_.clear();
  by_owner_.clear();
  bytes_ = 0;
}

}  // namespace zklock::engine
