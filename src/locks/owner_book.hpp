#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <zklock/grant.hpp>

#include "src/engine/hold.hpp"
#include "src/locks/hold_counts.hpp"
#include "src/runtime/thread_number.hpp"
#include "src/runtime/thread_safety.hpp"

namespace zklock::detail {

/// A thread. What it holds of a reentrant lock is one hold, which it may have acquired several times; of any other lock
/// each acquisition is a hold of its own, and the thread is merely the one that has taken it.
using owner_number = thread_number;

/// The holds of one lock object: the owner of each, and how often it was acquired. Shared by the lock object and its
/// grants, whichever goes last. Any thread; no request is ever sent from here.
class owner_book {
 public:
  /// The book of a part of a multi-lock, in which its holds are entered as well.
  struct part_book {
    std::shared_ptr<owner_book> book;
    side of = side::whole;
  };
  explicit owner_book(std::vector<part_book> parts = {}) : parts_(std::move(parts)) {}
  [[nodiscard]] bool has_parts() const noexcept { return !parts_.empty(); }
  [[nodiscard]] const part_book& part(std::size_t place) const { return parts_[place]; }

  /// One count more for an owner that holds already; `lost` and `would_deadlock` count nothing. A reader that wants to
  /// write would wait for itself (F54).
  enum class reentry : std::uint8_t { holds_nothing, counted, lost, would_deadlock };
  struct reentered {
    reentry what = reentry::holds_nothing;
    std::shared_ptr<hold> proof;
  };
  reentered reenter(owner_number owner, side of, instant now);
  /// The owner has been granted a new hold.
  void enter(owner_number owner, side of, std::shared_ptr<hold> proof, std::uint32_t permits = 1);
  /// A count was taken by lock(), so that unlock() may give it back.
  void mark_locked(const hold& proof, side of);

  /// The owner's hold; of several the latest.
  [[nodiscard]] std::shared_ptr<hold> find(owner_number owner) const;
  /// One with counts of lock(): the owner's rather than another's, the latest rather than an earlier one.
  [[nodiscard]] std::shared_ptr<hold> find_locked(owner_number owner) const;

  using remainder = hold_counts::remainder;
  /// One count less.
  remainder give_back(const hold& proof, side of);
  /// One count of lock() less: of a reentrant lock the owner's; otherwise the owner's rather than another's, and
  /// the latest rather than an earlier one, so that nested ones are given back inside out. `proof` is null if
  /// there was none.
  struct unlocked {
    std::shared_ptr<hold> proof;
    remainder left = remainder::held;
  };
  unlocked give_back_locked(owner_number owner, side of, bool owner_alone, std::uint32_t permits = 1);
  /// All counts of lock(), of all owners.
  std::vector<unlocked> give_back_all_locked();
  /// The write count becomes a read count. False, and nothing is changed, if there is more than one.
  bool downgrade(const hold& proof);

 private:
  struct entry {
    owner_number owner;
    std::shared_ptr<hold> proof;
    std::uint32_t permits;
    hold_counts counts;
  };
  [[nodiscard]] entry* entry_of(const hold& proof) ZKLOCK_REQUIRES(mutex_);
  /// The entry goes if nothing is left of its hold.
  remainder settle(const entry& one, remainder left) ZKLOCK_REQUIRES(mutex_);

  const std::vector<part_book> parts_;
  mutable annotated_mutex mutex_;
  std::vector<entry> entries_ ZKLOCK_GUARDED_BY(mutex_);  ///< few at a time
};

}  // namespace zklock::detail
