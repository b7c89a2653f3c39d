#include "src/api/connection_owner.hpp"

#include <utility>

namespace zklock::detail {

client::observer& connection_owner::add(std::uint64_t generation, std::unique_ptr<client::observer> observer) {
  const scoped_lock_on lock(mutex_);
  return *observers_.emplace(generation, std::move(observer)).first->second;
}

void connection_owner::dispose(std::uint64_t generation, std::unique_ptr<client::connection> dead) {
  const scoped_lock_on lock(mutex_);
  dead_.push_back({std::move(observers_[generation]), std::move(dead)});
  observers_.erase(generation);
  ++disposed_;
  changed_.notify_all();
}

std::vector<dead_connection> connection_owner::take_dead() {
  const scoped_lock_on lock(mutex_);
  return std::exchange(dead_, {});
}

std::size_t connection_owner::observer_count() const {
  const scoped_lock_on lock(mutex_);
  return observers_.size();
}

std::size_t connection_owner::disposed_count() const {
  const scoped_lock_on lock(mutex_);
  return disposed_;
}

void connection_owner::wait_disposed(std::size_t count) {
  const scoped_lock_on lock(mutex_);
  while (disposed_ < count) {
    changed_.wait(mutex_);
  }
}

}  // namespace zklock::detail
