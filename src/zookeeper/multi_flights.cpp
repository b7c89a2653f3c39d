#include "src/zookeeper/multi_flights.hpp"

#include <utility>

namespace zklock::client {

multi_flight& multi_flights::add(request_id id, request::multi&& what) {
  auto flight = std::make_unique<multi_flight>(std::move(what));
  const scoped_lock_on lock(mutex_);
  return *under_way_.insert_or_assign(id, std::move(flight)).first->second;
}

std::unique_ptr<multi_flight> multi_flights::take(request_id id) {
  const scoped_lock_on lock(mutex_);
  auto found = under_way_.extract(id);
  return found.empty() ? nullptr : std::move(found.mapped());
}

void multi_flights::retire() {
  const scoped_lock_on lock(mutex_);
  retired_ = true;
}

bool multi_flights::over() const {
  const scoped_lock_on lock(mutex_);
  return retired_ && under_way_.empty();
}

}  // namespace zklock::client
