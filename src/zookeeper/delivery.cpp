#include "src/zookeeper/delivery.hpp"

namespace zklock::client {

void delivery::post(call what) {
  {
    const scoped_lock_on lock(mutex_);
    if (closed_) {
      return;
    }
    posted_.push_back(std::move(what));
    if (taken_) {
      return;
    }
    taken_ = true;
  }
  end();
}

void delivery::close() {
  const scoped_lock_on lock(mutex_);
  closed_ = true;
}

void delivery::last(const call& what) {
  {
    const scoped_lock_on lock(mutex_);
    while (taken_) {
      free_.wait(mutex_);
    }
  }
  what(to_);
}

bool delivery::begin() {
  const scoped_lock_on lock(mutex_);
  while (taken_ && !closed_) {
    free_.wait(mutex_);
  }
  if (closed_) {
    return false;
  }
  taken_ = true;
  return true;
}

// Calls what was posted meanwhile, in its order, then gives the turn up.
void delivery::end() {
  scoped_lock_on lock(mutex_);
  while (!posted_.empty() && !closed_) {
    const call what = std::move(posted_.front());
    posted_.pop_front();
    lock.unlock();
    what(to_);
    lock.lock();
  }
  posted_.clear();
  taken_ = false;
  free_.notify_all();
}

}  // namespace zklock::client
