#include "src/locks/owner_book.hpp"

#include <algorithm>

namespace zklock::detail {

owner_book::reentered owner_book::reenter(owner_number owner, side of, instant now) {
  const scoped_lock_on lock(mutex_);
  for (entry& one : entries_) {
    if (one.owner != owner) {
      continue;
    }
    if (!one.proof->held_at(now)) {
      return {reentry::lost, one.proof};
    }
    if (of == side::write && one.counts.reads_only()) {
      return {reentry::would_deadlock, one.proof};
    }
    one.counts.take(of);
    return {reentry::counted, one.proof};
  }
  return {};
}

void owner_book::enter(owner_number owner, side of, std::shared_ptr<hold> proof, std::uint32_t permits) {
  const scoped_lock_on lock(mutex_);
  entries_.push_back({owner, std::move(proof), permits, hold_counts(of)});
}

void owner_book::mark_locked(const hold& proof, side of) {
  const scoped_lock_on lock(mutex_);
  if (entry* const one = entry_of(proof)) {
    one->counts.mark_locked(of);
  }
}

std::shared_ptr<hold> owner_book::find(owner_number owner) const {
  const scoped_lock_on lock(mutex_);
  const auto found =
      std::find_if(entries_.rbegin(), entries_.rend(), [owner](const entry& one) { return one.owner == owner; });
  return found == entries_.rend() ? nullptr : found->proof;
}

std::shared_ptr<hold> owner_book::find_locked(owner_number owner) const {
  const scoped_lock_on lock(mutex_);
  const entry* found = nullptr;
  for (const entry& one : entries_) {
    if (one.counts.locked() && (found == nullptr || one.owner == owner || found->owner != owner)) {
      found = &one;
    }
  }
  return found != nullptr ? found->proof : nullptr;
}

owner_book::entry* owner_book::entry_of(const hold& proof) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&proof](const entry& one) { return one.proof.get() == &proof; });
  return found == entries_.end() ? nullptr : &*found;
}

owner_book::remainder owner_book::settle(const entry& one, remainder left) {
  if (left == remainder::nothing) {
    entries_.erase(entries_.begin() + (&one - entries_.data()));
  }
  return left;
}

owner_book::remainder owner_book::give_back(const hold& proof, side of) {
  const scoped_lock_on lock(mutex_);
  entry* const one = entry_of(proof);
  return one == nullptr ? remainder::held : settle(*one, one->counts.give_back(of));
}

owner_book::unlocked owner_book::give_back_locked(owner_number owner, side of, bool owner_alone,
                                                  std::uint32_t permits) {
  const scoped_lock_on lock(mutex_);
  entry* found = nullptr;
  for (entry& one : entries_) {
    const bool fits = one.counts.locked(of) && one.permits == permits && (one.owner == owner || !owner_alone);
    if (fits && (found == nullptr || one.owner == owner || found->owner != owner)) {
      found = &one;
    }
  }
  if (found == nullptr) {
    return {};
  }
  const std::shared_ptr<hold> proof = found->proof;
  return {proof, settle(*found, found->counts.give_back_locked(of))};
}

std::vector<owner_book::unlocked> owner_book::give_back_all_locked() {
  std::vector<unlocked> ended;
  const scoped_lock_on lock(mutex_);
  for (std::size_t i = entries_.size(); i-- > 0;) {
    entry& one = entries_[i];
    if (one.counts.locked()) {
      const std::shared_ptr<hold> proof = one.proof;
      ended.push_back({proof, settle(one, one.counts.give_back_all_locked())});
    }
  }
  return ended;
}

bool owner_book::downgrade(const hold& proof) {
  const scoped_lock_on lock(mutex_);
  entry* const one = entry_of(proof);
  return one != nullptr && one->counts.downgrade();
}

}  // namespace zklock::detail
