#include "src/api/process_sessions.hpp"

namespace zklock::detail {

process_sessions& process_sessions::all() {
  static process_sessions& only = *new process_sessions;  // sessions may outlive the end of main()
  return only;
}

void process_sessions::add(std::int64_t id) {
  const scoped_lock_on lock(mutex_);
  if (ids_.size() < most) {
    ids_.insert(id);
  }
}

bool process_sessions::has(std::int64_t id) const {
  const scoped_lock_on lock(mutex_);
  return ids_.contains(id) || ids_.size() == most;
}

std::size_t process_sessions::count() const {
  const scoped_lock_on lock(mutex_);
  return ids_.size();
}

void process_sessions::forget() {
  const scoped_lock_on lock(mutex_);
  ids_.clear();
}

}  // namespace zklock::detail
