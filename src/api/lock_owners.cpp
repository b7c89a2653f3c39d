#include "src/api/lock_owners.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "src/api/boot_now.hpp"

namespace zklock::detail {

bool lock_owners::count_again(owner_number owner, side of, bool locks, std::shared_ptr<hold>* which) {
  if (!holds_any_.load(std::memory_order_relaxed)) {
    return false;  // most calls: the mutex is for those that hold
  }
  const scoped_lock_on lock(mutex_);
  entry* mine = nullptr;
  for (entry& one : entries_) {  // of several the latest
    mine = one.by.owner == owner ? &one : mine;
  }
  if (mine == nullptr || abandoned_ || (of == side::write && mine->reads_only()) || !mine->held->held_at(boot_now())) {
    return false;
  }
  mine->take(of, locks);
  if (which != nullptr) {
    *which = mine->held;
  }
  return true;
}

// ---- calls

lock_owners::reentry lock_owners::reenter(const asked& what, instant now) {
  const scoped_lock_on lock(mutex_);
  if (abandoned_ && !what.of_part) {
    return {verdict::abandoned};
  }
  if (what.again == owner_again::contends) {
    return {};
  }
  const entry* const mine = entry_of_owner(what.by.owner);
  if (mine == nullptr) {
    return {waits_for_its_thread(what, now) ? verdict::would_deadlock : verdict::contends,
            {},
            is_of_thread(what.by.thread, now)};
  }
  if (!mine->held->held_at(now)) {
    return {verdict::lost, mine->held};
  }
  const bool upgrades = what.of == side::write && mine->reads_only();
  if (what.of_part || what.again == owner_again::would_deadlock || upgrades) {
    return {verdict::would_deadlock, mine->held};
  }
  entry_of(*mine->held)->take(what.of, what.locks);
  return {verdict::counted, mine->held};
}

bool lock_owners::waits_for_its_thread(const asked& what, instant now) const {
  if (what.again == owner_again::contends || what.by.thread == what.by.owner) {
    return false;
  }
  const entry* const of_thread = entry_of_owner(what.by.thread);
  if (of_thread == nullptr || !of_thread->held->held_at(now)) {
    return false;
  }
  const bool by_lock = what.of == side::read ? of_thread->locked(side::write) : of_thread->locked();
  const bool by_whole = of_thread->whole_locked && !(what.of == side::read && of_thread->reads_only());
  return by_whole || (by_lock && what.again == owner_again::counts);  // else any thread may unlock it
}

lock_owners::admission lock_owners::admit(call& one, const std::shared_ptr<engine::operation>& by, bool elsewhere,
                                          instant now) {
  const scoped_lock_on lock(mutex_);
  const asked& what = one.what();
  const bool once = what.again != owner_again::contends && what.by.owner != no_owner;
  if (abandoned_) {
    return admission::abandoned;
  }
  if ((once && entry_of_owner(what.by.owner) != nullptr) || waits_for_its_thread(what, now)) {
    return admission::changed;
  }
  if (!std::exchange(one.entered_, true)) {
    one.operation_ = by;
    one.since_ = now;
    calls_.insert(one);
  }
  one.waits_.reset();
  one.woken_ = false;
  const bool busy = once && is_calling(what.by.owner);
  one.state_ = elsewhere ? call::state::elsewhere
               : busy    ? call::state::queued
               : once    ? call::state::has_turn
                         : call::state::begun;
  return elsewhere || busy ? admission::queued : admission::begins;
}

void lock_owners::queue_elsewhere(call& one) {
  bool frees = false;
  {
    const scoped_lock_on lock(mutex_);
    frees = end_turn(one);
    one.woken_ = one.woken_ || abandoned_;
    if (!abandoned_ && one.entered_ && one.state_ != call::state::queued) {
      one.state_ = call::state::elsewhere;
    }
  }
  if (frees) {
    wake_next(one.what().by.owner);
  }
}

bool lock_owners::await_turn(call& one, std::shared_ptr<queued_call> as) {
  const scoped_lock_on lock(mutex_);
  if (one.woken_) {
    return false;
  }
  one.waits_ = std::move(as);
  return true;
}

bool lock_owners::has_call_of(owner_number owner) const {
  const scoped_lock_on lock(mutex_);
  return is_calling(owner);
}

bool lock_owners::is_calling(owner_number owner) const {
  const auto [first, last] = calls_.equal_range(owner);
  return std::any_of(first, last, [](const call& one) { return one.state_ == call::state::has_turn; });
}

/// Those that are queued behind it ask again: which one comes first does not matter.
bool lock_owners::end_turn(call& one) {
  if (one.state_ != call::state::has_turn) {
    return false;
  }
  one.state_ = call::state::begun;
  bool any = false;
  const auto [first, last] = calls_.equal_range(one.asked_.by.owner);
  for (auto next = first; next != last; ++next) {
    if (next->state_ == call::state::queued) {
      next->state_ = call::state::elsewhere;
      next->woken_ = any = true;
    }
  }
  return any;
}

/// All, or without memory as many as there is room for.
std::vector<std::shared_ptr<queued_call>> lock_owners::take_woken(owner_number owner) {
  std::vector<std::shared_ptr<queued_call>> woken;
  const scoped_lock_on lock(mutex_);
  const auto [first, last] = calls_.equal_range(owner);
  for (auto one = first; one != last; ++one) {
    if (one->woken_ && one->waits_ != nullptr) {
      try {
        woken.emplace_back();
      } catch (const std::bad_alloc&) {
        break;
      }
      woken.back() = std::move(one->waits_);
    }
  }
  return woken;
}

/// A call that is woken may go at once, and all of it with it.
void lock_owners::wake_next(owner_number owner) {
  for (auto woken = take_woken(owner); !woken.empty(); woken = take_woken(owner)) {
    for (const std::shared_ptr<queued_call>& one : woken) {
      one->wake();
    }
  }
}

void lock_owners::leave(call& one) {
  const owner_number owner = one.what().by.owner;
  bool frees = false;
  {
    const scoped_lock_on lock(mutex_);
    frees = end_turn(one);
    calls_.erase(calls_.iterator_to(one));
  }
  if (frees) {
    wake_next(owner);
  }
}

bool lock_owners::granted(call& one, std::shared_ptr<hold> held) {
  bool kept = false, frees = false;
  {
    const scoped_lock_on lock(mutex_);
    kept = add(one.what(), std::move(held));
    frees = end_turn(one);
    calls_.erase(calls_.iterator_to(one));
    one.entered_ = false;
  }
  if (frees) {
    wake_next(one.what().by.owner);
  }
  return kept;
}

bool lock_owners::enter(const asked& by, std::shared_ptr<hold> held) {
  const scoped_lock_on lock(mutex_);
  return add(by, std::move(held));
}

bool lock_owners::add(const asked& by, std::shared_ptr<hold> held) {
  const bool kept = !by.locks || by.of_part || !abandoned_;
  entry& added = entries_.emplace_back(entry{by.by, std::move(held), by.permits});
  added.take(by.of, by.locks && !by.of_part && kept);
  added.whole_locked = by.locks && by.of_part;
  added.first_of = by.of;
  note_entries();
  return kept;
}

void lock_owners::forget(const hold& one) {
  const scoped_lock_on lock(mutex_);
  std::erase_if(entries_, [&one](const entry& each) { return each.held.get() == &one; });
  note_entries();
}

// ---- holds

std::shared_ptr<hold> lock_owners::find(owner_number owner, std::uint32_t permits) const {
  const scoped_lock_on lock(mutex_);
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(), [owner, permits](const entry& one) {
    return one.by.owner == owner && one.permits == permits;
  });
  return found == entries_.rend() ? nullptr : found->held;
}

std::shared_ptr<hold> lock_owners::find_locked_without_owner(owner_number thread, std::uint32_t permits) const {
  const scoped_lock_on lock(mutex_);
  const entry* found = nullptr;
  for (const entry& one : entries_) {
    const bool fits = one.by.owner == no_owner && one.locked() && one.permits == permits;
    if (fits && (found == nullptr || one.by.thread == thread || found->by.thread != thread)) {
      found = &one;
    }
  }
  return found != nullptr ? found->held : nullptr;
}

bool lock_owners::has_of_thread(owner_number thread, instant now) const {
  const scoped_lock_on lock(mutex_);
  return is_of_thread(thread, now);
}

bool lock_owners::is_of_thread(owner_number thread, instant now) const {
  return thread != no_owner && std::any_of(entries_.begin(), entries_.end(), [thread, now](const entry& one) {
           const bool of_its_owner = one.by.owner == thread && (one.locked() || one.whole_locked);
           const bool only_it_gives_back = of_its_owner || (one.by.owner == no_owner && one.by.thread == thread);
           return only_it_gives_back && one.held->held_at(now);
         });
}

const lock_owners::entry* lock_owners::entry_of_owner(owner_number owner) const {
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(),
                                  [owner](const entry& one) { return owner != no_owner && one.by.owner == owner; });
  return found == entries_.rend() ? nullptr : &*found;
}

lock_owners::entry* lock_owners::entry_of(const hold& one) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&one](const entry& each) { return each.held.get() == &one; });
  return found == entries_.end() ? nullptr : &*found;
}

lock_owners::remainder lock_owners::drop_if_over(const entry& one, remainder left) {
  if (left == remainder::nothing) {
    entries_.erase(entries_.begin() + (&one - entries_.data()));
    note_entries();
  }
  return left;
}

lock_owners::unlocked lock_owners::take_back(const entry& one, remainder left) {
  if (left == remainder::held) {
    return {true};
  }
  std::shared_ptr<hold> held = one.held;
  return {true, std::move(held), drop_if_over(one, left)};
}

lock_owners::remainder lock_owners::release_count(const hold& of_count, side of, bool of_whole) {
  const scoped_lock_on lock(mutex_);
  entry* const one = entry_of(of_count);
  if (one == nullptr) {
    return remainder::held;
  }
  one->whole_locked = one->whole_locked && !of_whole;
  return drop_if_over(*one, one->release_count(of));
}

lock_owners::possession lock_owners::entry::all() const {
  const bool reads = first_of != side::permits && reads_only() && reading.taken > 0;
  return {by.owner, held, reads ? side::read : first_of, permits, reading.taken + other.taken};
}

std::vector<lock_owners::possession> lock_owners::list() const {
  std::vector<possession> all;
  const scoped_lock_on lock(mutex_);
  for (const entry& one : entries_) {
    all.push_back(one.all());
  }
  return all;
}

std::vector<lock_owners::wait> lock_owners::waits() const {
  std::vector<wait> all;
  const scoped_lock_on lock(mutex_);
  for (const call& one : calls_) {
    if (!one.what().of_part && one.since_.count() != 0) {  // it acquires
      all.push_back({one.what().of == side::read, one.since_});
    }
  }
  return all;
}

std::vector<lock_owners::possession> lock_owners::release_all(owner_number owner) {
  std::vector<possession> all;
  const scoped_lock_on lock(mutex_);
  all.reserve(entries_.size());  // before any count is given back
  for (std::size_t i = entries_.size(); i-- > 0;) {
    if (entries_[i].by.owner == owner) {
      all.push_back(entries_[i].all());
      entries_[i].reading = entries_[i].other = {};
      all.back().left = drop_if_over(entries_[i], remainder::nothing);
    }
  }
  return all;
}

lock_owners::unlocked lock_owners::release_locked(const caller& by, side of, std::uint32_t permits) {
  const scoped_lock_on lock(mutex_);
  entry* found = nullptr;
  for (entry& one : entries_) {
    const bool fits = one.by.owner == by.owner && one.locked(of) && one.permits == permits;
    if (fits && (found == nullptr || one.by.thread == by.thread || found->by.thread != by.thread)) {
      found = &one;
    }
  }
  if (found == nullptr) {
    return {};
  }
  counts& of_side = found->in(of);
  --of_side.locked;
  if (of_side.taken > 1) {  // most of nested ones
    --of_side.taken;
    return {true};
  }
  return take_back(*found, found->release_count(of));
}

bool lock_owners::downgrade(const hold& writing) {
  const scoped_lock_on lock(mutex_);
  entry* const one = entry_of(writing);
  if (one == nullptr || one->other.taken != 1) {
    return false;
  }
  one->other = {};
  ++one->reading.taken;
  return true;
}

// ---- the lock object goes

lock_owners::leftover lock_owners::abandon() {
  leftover left;
  const scoped_lock_on lock(mutex_);
  abandoned_ = true;
  for (call& one : calls_) {
    left.calls.push_back(one.operation_);
    if (one.state_ == call::state::queued || one.state_ == call::state::elsewhere) {
      one.woken_ = true;
    }
    if (one.woken_ && one.waits_) {
      left.queued.push_back(std::move(one.waits_));
    }
  }
  left.locked.reserve(entries_.size());  // before any count is given back
  for (std::size_t i = entries_.size(); i-- > 0;) {
    entry& one = entries_[i];
    if (one.locked()) {
      left.locked.push_back(take_back(one, one.release_all_locked()));
    }
  }
  return left;
}

bool lock_owners::abandoned() const {
  const scoped_lock_on lock(mutex_);
  return abandoned_;
}

// ---- the counts of one hold

void lock_owners::entry::take(side of, bool by_lock) noexcept {
  ++in(of).taken;
  in(of).locked += by_lock ? 1 : 0;
}

/// `held` if there is none of that side.
lock_owners::remainder lock_owners::entry::release_count(side of) noexcept {
  if (in(of).taken == 0) {
    return remainder::held;
  }
  const bool wrote = !reads_only();
  --in(of).taken;
  return left(wrote);
}

lock_owners::remainder lock_owners::entry::release_all_locked() noexcept {
  const bool wrote = !reads_only();
  for (counts* const some : {&other, &reading}) {
    some->taken -= std::exchange(some->locked, 0);
  }
  return left(wrote);
}

/// After counts have gone. `wrote`: there were others than of reading before.
lock_owners::remainder lock_owners::entry::left(bool wrote) const noexcept {
  if (other.taken > 0 || (reading.taken > 0 && !wrote)) {
    return remainder::held;
  }
  return reading.taken > 0 ? remainder::read : remainder::nothing;
}

}  // namespace zklock::detail
