#include "src/zookeeper/pending_watches.hpp"

#include <algorithm>
#include <utility>

namespace zklock::client {

void pending_watches::asked(request_id request, watch_id watch) {
  const scoped_lock_on lock(mutex_);
  any_ever_ = true;
  asked_.emplace(request, watch);
}

std::optional<std::pair<watch_id, pending_watches::place>> pending_watches::answered(request_id request) {
  const scoped_lock_on lock(mutex_);
  const auto known = asked_.extract(request);
  if (known.empty()) {
    return {};
  }
  auto gone = forgotten_.extract(known.mapped());
  if (gone.empty()) {
    return {};
  }
  return std::pair(gone.key(), std::move(gone.mapped()));
}

bool pending_watches::forgotten_early(watch_id watch, std::string_view path, connection::watch_kind kind) {
  const scoped_lock_on lock(mutex_);
  // Seldom, and among few: what is under way, not what is watched.
  const bool under_way = std::ranges::any_of(asked_, [watch](const auto& one) { return one.second == watch; });
  if (under_way) {
    forgotten_.insert_or_assign(watch, place{std::string(path), kind});
  }
  return under_way;
}

bool pending_watches::any_ever() const {
  const scoped_lock_on lock(mutex_);
  return any_ever_;
}

}  // namespace zklock::client
