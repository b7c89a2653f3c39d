#include "src/locks/waiting_calls.hpp"

namespace zklock::detail {

bool waiting_calls::begin(const std::shared_ptr<engine::operation>& one) {
  const scoped_lock_on lock(mutex_);
  if (!abandoned_) {
    operations_.push_back(one);
  }
  return !abandoned_;
}

void waiting_calls::end(const std::shared_ptr<engine::operation>& one) {
  const scoped_lock_on lock(mutex_);
  std::erase(operations_, one);
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
    operations = operations_;
  }
  for (const auto& one : operations) {
    session.abandon(one);
  }
}

}  // namespace zklock::detail
