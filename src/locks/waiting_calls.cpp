#include "src/locks/waiting_calls.hpp"

#include <vector>

namespace zklock::detail {

waiting_calls::place::place(waiting_calls& among, std::shared_ptr<engine::operation> of)
    : among_(among), of_(std::move(of)) {
  const scoped_lock_on lock(among_.mutex_);
  began_ = !among_.abandoned_;
  if (began_) {
    among_.places_.push_back(*this);
  }
}

waiting_calls::place::~place() {
  const scoped_lock_on lock(among_.mutex_);
  if (is_linked()) {
    among_.places_.erase(among_.places_.iterator_to(*this));
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
    for (const place& one : places_) {
      operations.push_back(one.of_);
    }
  }
  for (const auto& one : operations) {
    session.abandon(one);
  }
}

}  // namespace zklock::detail
