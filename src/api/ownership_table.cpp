#include "src/api/ownership_table.hpp"

#include <algorithm>

namespace zklock::detail {

bool ownership_table::would_wait_for_its_thread(const caller& by, side of, owner_again again, instant now) const {
  const scoped_lock_on lock(mutex_);
  return entry_of_owner(by.owner) == nullptr && waits_for_its_thread(by, of, again, now);
}

ownership_table::reentry ownership_table::reenter(const caller& by, side of, owner_again again, instant now) {
  const scoped_lock_on lock(mutex_);
  if (again == owner_again::contends) {
    return {};
  }
  const entry* const mine = entry_of_owner(by.owner);
  if (mine == nullptr) {
    return {waits_for_its_thread(by, of, again, now) ? verdict::would_deadlock : verdict::contends};
  }
  if (!mine->held->held_at(now)) {
    return {verdict::lost, mine->held};
  }
  if (again == owner_again::would_deadlock || (of == side::write && mine->counts.reads_only())) {
    return {verdict::would_deadlock, mine->held};
  }
  entry_of(*mine->held)->counts.take(of);
  return {verdict::counted, mine->held};
}

ownership_table::verdict ownership_table::contend_as_part(const caller& by, side of, owner_again again, instant now) {
  const scoped_lock_on lock(mutex_);
  const entry* const mine = again == owner_again::contends ? nullptr : entry_of_owner(by.owner);
  if (mine != nullptr) {
    return mine->held->held_at(now) ? verdict::would_deadlock : verdict::lost;
  }
  return waits_for_its_thread(by, of, again, now) ? verdict::would_deadlock : verdict::contends;
}

bool ownership_table::waits_for_its_thread(const caller& by, side of, owner_again again, instant now) const {
  if (again == owner_again::contends || by.thread == by.owner) {
    return false;
  }
  const entry* const of_thread = entry_of_owner(by.thread);
  if (of_thread == nullptr || !of_thread->held->held_at(now)) {
    return false;
  }
  const hold_counts& counts = of_thread->counts;
  const bool by_lock = of == side::read ? counts.locked(side::write) : counts.locked();
  const bool by_whole = of_thread->whole_locked && !(of == side::read && counts.reads_only());
  return by_whole || (by_lock && again == owner_again::counts);  // else any thread may unlock it
}

void ownership_table::enter(const caller& by, side of, std::shared_ptr<hold> granted, std::uint32_t permits) {
  const scoped_lock_on lock(mutex_);
  entries_.push_back({by, std::move(granted), permits, hold_counts(of)});
}

void ownership_table::forget(const hold& one) {
  const scoped_lock_on lock(mutex_);
  std::erase_if(entries_, [&one](const entry& each) { return each.held.get() == &one; });
}

void ownership_table::mark_locked(const hold& of_count, side of) {
  const scoped_lock_on lock(mutex_);
  if (entry* const one = entry_of(of_count)) {
    one->counts.mark_locked(of);
  }
}

void ownership_table::mark_whole_locked(const hold& of_part, bool locked) {
  const scoped_lock_on lock(mutex_);
  if (entry* const one = entry_of(of_part)) {
    one->whole_locked = locked;
  }
}

std::shared_ptr<hold> ownership_table::find(owner_number owner, std::uint32_t permits) const {
  const scoped_lock_on lock(mutex_);
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(), [owner, permits](const entry& one) {
    return one.by.owner == owner && one.permits == permits;
  });
  return found == entries_.rend() ? nullptr : found->held;
}

std::shared_ptr<hold> ownership_table::find_locked_without_owner(owner_number thread, std::uint32_t permits) const {
  const scoped_lock_on lock(mutex_);
  const entry* found = nullptr;
  for (const entry& one : entries_) {
    const bool fits = one.by.owner == no_owner && one.counts.locked() && one.permits == permits;
    if (fits && (found == nullptr || one.by.thread == thread || found->by.thread != thread)) {
      found = &one;
    }
  }
  return found != nullptr ? found->held : nullptr;
}

bool ownership_table::has_of_thread(owner_number thread, instant now) const {
  const scoped_lock_on lock(mutex_);
  return std::any_of(entries_.begin(), entries_.end(), [thread, now](const entry& one) {
    const bool of_its_owner = one.by.owner == thread && (one.counts.locked() || one.whole_locked);
    const bool only_it_gives_back = of_its_owner || (one.by.owner == no_owner && one.by.thread == thread);
    return only_it_gives_back && one.held->held_at(now);
  });
}

const ownership_table::entry* ownership_table::entry_of_owner(owner_number owner) const {
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(),
                                  [owner](const entry& one) { return owner != no_owner && one.by.owner == owner; });
  return found == entries_.rend() ? nullptr : &*found;
}

ownership_table::entry* ownership_table::entry_of(const hold& one) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&one](const entry& each) { return each.held.get() == &one; });
  return found == entries_.end() ? nullptr : &*found;
}

ownership_table::remainder ownership_table::settle(const entry& one, remainder left) {
  if (left == remainder::nothing) {
    entries_.erase(entries_.begin() + (&one - entries_.data()));
  }
  return left;
}

ownership_table::remainder ownership_table::release_count(const hold& of_count, side of) {
  const scoped_lock_on lock(mutex_);
  entry* const one = entry_of(of_count);
  return one == nullptr ? remainder::held : settle(*one, one->counts.release_count(of));
}

ownership_table::unlocked ownership_table::release_locked(const caller& by, side of, std::uint32_t permits) {
  const scoped_lock_on lock(mutex_);
  entry* found = nullptr;
  for (entry& one : entries_) {
    const bool fits = one.by.owner == by.owner && one.counts.locked(of) && one.permits == permits;
    if (fits && (found == nullptr || one.by.thread == by.thread || found->by.thread != by.thread)) {
      found = &one;
    }
  }
  if (found == nullptr) {
    return {};
  }
  const std::shared_ptr<hold> held = found->held;
  return {held, settle(*found, found->counts.release_locked(of))};
}

std::vector<ownership_table::unlocked> ownership_table::release_all_locked() {
  std::vector<unlocked> ended;
  const scoped_lock_on lock(mutex_);
  ended.reserve(entries_.size());  // before any count is given back
  for (std::size_t i = entries_.size(); i-- > 0;) {
    entry& one = entries_[i];
    if (one.counts.locked()) {
      const std::shared_ptr<hold> held = one.held;
      ended.push_back({held, settle(one, one.counts.release_all_locked())});
    }
  }
  return ended;
}

bool ownership_table::downgrade(const hold& writing) {
  const scoped_lock_on lock(mutex_);
  entry* const one = entry_of(writing);
  return one != nullptr && one->counts.downgrade();
}

}  // namespace zklock::detail
