// For which owner a simulated program acquires, and when it is that owner's turn.
#include <utility>

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

/// As owner_turn does it: on all of them, or on none.
bool program::may_call(const user_action& what) const {
  const detail::owner_number owner = caller_of(what).owner;
  std::vector<std::size_t> begun;
  bool free = true;
  for (const std::size_t lock : owner != detail::no_owner ? reentered_locks_of(what) : std::vector<std::size_t>()) {
    free = free && process().calls_[lock].begin(owner);
    if (free) {
      begun.push_back(lock);
    }
  }
  for (const std::size_t lock : begun) {
    process().calls_[lock].end(owner);
  }
  return free;
}

void program::end_call() {
  for (const std::size_t lock : std::exchange(called_on_, {})) {
    process().calls_[lock].end(by_.owner);
    told_.owners().call_ended(process().number_, lock, by_.owner);
  }
}

}  // namespace zklock::sim
