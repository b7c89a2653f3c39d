#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "src/session/hold.hpp"
#include "src/session/thread_number.hpp"
#include "src/thread_safety.hpp"

namespace zklock::detail {

/// A thread, for a reentrant lock.
using owner_number = thread_number;

/// Who holds what of one lock object: for each owner its hold, and how often it has acquired it. Shared by the lock object
/// and its grants, whichever goes last. Any thread; no request is ever sent from here.
class owner_book {
 public:
  /// One count more for an owner who holds already. `proof` is null when it holds nothing.
  struct entry_view {
    std::shared_ptr<hold> proof;
    bool standing = false;
  };
  /// Counts one more if the owner's hold stands; a lost one is only shown.
  entry_view reenter(owner_number owner, instant now);
  /// The owner has been granted a new hold.
  void enter(owner_number owner, std::shared_ptr<hold> proof);
  /// A count was taken by lock(), so that unlock() may give it back.
  void mark_locked(owner_number owner);

  [[nodiscard]] std::shared_ptr<hold> find(owner_number owner) const;

  /// One count less. True if it was the last: the caller releases the hold.
  bool give_back(const hold& proof);
  /// One count of lock() less. `proof` is null if there was none.
  struct unlocked {
    std::shared_ptr<hold> proof;
    bool last = false;
  };
  unlocked give_back_locked(owner_number owner);
  /// All counts of lock(), of all owners. The holds of which nothing is left.
  std::vector<std::shared_ptr<hold>> give_back_all_locked();

 private:
  struct entry {
    owner_number owner;
    std::shared_ptr<hold> proof;
    std::uint64_t counts;
    std::uint64_t locked;  ///< of these, taken by lock()
  };

  mutable annotated_mutex mutex_;
  std::vector<entry> entries_ ZKLOCK_GUARDED_BY(mutex_);  ///< one an owner; few at a time
};

}  // namespace zklock::detail
