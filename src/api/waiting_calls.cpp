#include "src/api/waiting_calls.hpp"

#include <utility>
#include <vector>

namespace zklock::detail {

waiting_calls::entry::entry(waiting_calls& among, std::shared_ptr<engine::operation> of)
    : among_(among), of_(std::move(of)), waits_(among_.enter(*this)) {}

bool waiting_calls::enter(entry& one) {
  const scoped_lock_on lock(mutex_);
  if (!abandoned_) {
    entries_.push_back(one);
  }
  return !abandoned_;
}

void waiting_calls::leave(entry& one) noexcept {
  const scoped_lock_on lock(mutex_);
  if (one.is_linked()) {
    entries_.erase(entries_.iterator_to(one));
  }
}

bool waiting_calls::abandoned() {
  const scoped_lock_on lock(mutex_);
  return abandoned_;
}

void waiting_calls::abandon(session_impl& session) noexcept {
  std::vector<std::shared_ptr<engine::operation>> operations;
  {
    const scoped_lock_on lock(mutex_);
    abandoned_ = true;
    for (const entry& one : entries_) {
      operations.push_back(one.call());
    }
  }
  for (const auto& one : operations) {
    session.abandon(one);
  }
}

}  // namespace zklock::detail
