#include "tests/sim/owner_checker.hpp"

namespace zklock::sim {

void owner_checker::call_begun(int process, std::size_t lock, detail::owner_number owner) {
  if (owner != detail::no_owner && !calls_.emplace(process, lock, owner).second) {
    report_("one_contender_per_owner", "owner " + std::to_string(owner) + " has a second call under way on lock " +
                                           std::to_string(lock) + " of c" + std::to_string(process));
  }
}

void owner_checker::call_ended(int process, std::size_t lock, detail::owner_number owner) {
  calls_.erase({process, lock, owner});
}

void owner_checker::counted(const detail::hold& held, detail::owner_number owner) {
  const auto found = owner_of_.find(&held);
  const detail::owner_number of_hold = found != owner_of_.end() ? found->second : detail::no_owner;
  if (owner == detail::no_owner || owner != of_hold) {
    report_("counts_are_the_owners", "a count of " + held.node() + ", which belongs to " + std::to_string(of_hold) +
                                         ", was given to " + std::to_string(owner));
  }
}

}  // namespace zklock::sim
