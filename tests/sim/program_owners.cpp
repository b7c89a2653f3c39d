// For which owner a simulated program acquires, and when it is that owner's turn.
#include <algorithm>

#include "tests/sim/program.hpp"

namespace zklock::sim {

detail::caller program::caller_of(const user_action& what) const noexcept {
  const auto thread_of = [](const program& one) { return static_cast<detail::owner_number>(one.number_) + 1; };
  return what.owner ? detail::caller{*what.owner, thread_of(process())}
                    : detail::caller{thread_of(*this), thread_of(*this)};
}

std::vector<std::size_t> program::reentered_locks_of(const user_action& what) const {
  std::vector<std::size_t> locks;
  for (const want& one : wanted_of(what)) {
    if (reentrant(one.lock)) {
      locks.push_back(one.lock);
    }
  }
  return locks;
}

bool program::may_call(const user_action& what) const {
  const detail::owner_number owner = caller_of(what).owner;
  const std::vector<std::size_t> locks = reentered_locks_of(what);
  return owner == detail::no_owner || std::none_of(locks.begin(), locks.end(), [this, owner](std::size_t lock) {
           return owners_of(lock)->has_call_of(owner);
         });
}

void program::end_call() {
  for (const auto& [lock, its] : calls_on_) {
    told_.owners().call_ended(process().number_, lock, by_.owner);
  }
  calls_on_.clear();
}

}  // namespace zklock::sim
