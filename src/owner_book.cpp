#include "src/owner_book.hpp"

#include <algorithm>
#include <utility>

namespace zklock::detail {

owner_book::entry_view owner_book::reenter(owner_number owner, instant now) {
  const scoped_lock_on lock(mutex_);
  for (entry& one : entries_) {
    if (one.owner == owner) {
      const bool standing = one.proof->held_at(now);
      one.counts += standing ? 1 : 0;
      return {one.proof, standing};
    }
  }
  return {};
}

void owner_book::enter(owner_number owner, std::shared_ptr<hold> proof) {
  const scoped_lock_on lock(mutex_);
  entries_.push_back({owner, std::move(proof), 1, 0});
}

void owner_book::mark_locked(owner_number owner) {
  const scoped_lock_on lock(mutex_);
  for (entry& one : entries_) {
    one.locked += one.owner == owner ? 1 : 0;
  }
}

std::shared_ptr<hold> owner_book::find(owner_number owner) const {
  const scoped_lock_on lock(mutex_);
  for (const entry& one : entries_) {
    if (one.owner == owner) {
      return one.proof;
    }
  }
  return nullptr;
}

bool owner_book::give_back(const hold& proof) {
  const scoped_lock_on lock(mutex_);
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&proof](const entry& one) { return one.proof.get() == &proof; });
  if (found == entries_.end() || --found->counts > 0) {
    return false;
  }
  entries_.erase(found);
  return true;
}

owner_book::unlocked owner_book::give_back_locked(owner_number owner) {
  const scoped_lock_on lock(mutex_);
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [owner](const entry& one) { return one.owner == owner; });
  if (found == entries_.end() || found->locked == 0) {
    return {};
  }
  --found->locked;
  unlocked result{found->proof, --found->counts == 0};
  if (result.last) {
    entries_.erase(found);
  }
  return result;
}

std::vector<std::shared_ptr<hold>> owner_book::give_back_all_locked() {
  std::vector<std::shared_ptr<hold>> ended;
  const scoped_lock_on lock(mutex_);
  for (entry& one : entries_) {
    one.counts -= std::exchange(one.locked, 0);
    if (one.counts == 0) {
      ended.push_back(one.proof);
    }
  }
  std::erase_if(entries_, [](const entry& one) { return one.counts == 0; });
  return ended;
}

}  // namespace zklock::detail
