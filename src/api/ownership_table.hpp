#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <zklock/grant.hpp>

#include "src/api/hold_counts.hpp"
#include "src/api/owner_number.hpp"
#include "src/engine/hold.hpp"
#include "src/threads/thread_safety.hpp"

namespace zklock::detail {

/// For which owner an acquisition is, and which thread asks for it.
struct caller {
  owner_number owner = no_owner;
  owner_number thread = no_owner;
};

/// What another acquisition of an owner that holds is.
enum class owner_again : std::uint8_t {
  counts,          ///< one count more of its hold, without a request
  would_deadlock,  ///< refused: it would wait for itself
  contends,        ///< a contender of its own
};

/// The holds of one lock object: the owner of each, if it has one, and how often it was acquired. Shared by the lock object
/// and its grants, whichever goes last. Any thread; no request is ever sent from here.
class ownership_table {
 public:
  /// The table of a part of a multi-lock, in which its holds are entered as well.
  struct part_table {
    std::shared_ptr<ownership_table> table;
    side of = side::whole;
  };
  explicit ownership_table(std::vector<part_table> parts = {}) : parts_(std::move(parts)) {}
  [[nodiscard]] bool has_parts() const noexcept { return !parts_.empty(); }
  [[nodiscard]] const part_table& part(std::size_t place) const { return parts_[place]; }

  /// What becomes of a call, by what its owner and its thread hold. `would_deadlock`: a reader that wants to write would wait
  /// for itself (F54), and so would a thread that asks for another owner than itself, or for none, while it has locked what
  /// only it can unlock.
  enum class verdict : std::uint8_t { contends, counted, lost, would_deadlock };
  struct reentry {
    verdict what = verdict::contends;
    std::shared_ptr<hold> held{};  ///< null when it contends
  };
  /// Would it wait for itself? Counts nothing.
  [[nodiscard]] bool would_wait_for_its_thread(const caller& by, side of, owner_again again, instant now) const;
  /// `counted` has counted it.
  reentry reenter(const caller& by, side of, owner_again again, instant now);
  /// The same for a part of a multi-lock, which never re-enters. Counts nothing.
  [[nodiscard]] verdict contend_as_part(const caller& by, side of, owner_again again, instant now);

  /// The caller has been granted a new hold.
  void enter(const caller& by, side of, std::shared_ptr<hold> granted, std::uint32_t permits = 1);
  /// As if it had never been entered.
  void forget(const hold& one);
  /// A count was taken by lock(), so that unlock() may give it back.
  void mark_locked(const hold& of_count, side of);
  /// Of a part: its multi-lock was acquired by lock(), or is given back.
  void mark_whole_locked(const hold& of_part, bool locked);

  /// The owner's hold, of so many permits; of several the latest.
  [[nodiscard]] std::shared_ptr<hold> find(owner_number owner, std::uint32_t permits = 1) const;
  /// One without owner, of so many permits, that lock() has taken: the thread's rather than another's, the latest rather
  /// than an earlier one.
  [[nodiscard]] std::shared_ptr<hold> find_locked_without_owner(owner_number thread, std::uint32_t permits) const;
  /// The thread has taken one without owner, or has locked one, and it is held: a wait of that thread may be for itself.
  [[nodiscard]] bool has_of_thread(owner_number thread, instant now) const;

  using remainder = hold_counts::remainder;
  /// One count less.
  remainder release_count(const hold& of_count, side of);
  /// One count of lock() less, of the caller's owner (or of none): the thread's rather than another's, and the latest rather
  /// than an earlier one, so that nested ones are given back inside out. `held` is null if there was none.
  struct unlocked {
    std::shared_ptr<hold> held;
    remainder left = remainder::held;
  };
  unlocked release_locked(const caller& by, side of, std::uint32_t permits = 1);
  /// All counts of lock(), of all owners.
  std::vector<unlocked> release_all_locked();
  /// The write count becomes a read count. False, and nothing is changed, if there is more than one.
  bool downgrade(const hold& writing);

 private:
  struct entry {
    caller by;
    std::shared_ptr<hold> held;
    std::uint32_t permits;
    hold_counts counts;
    bool whole_locked = false;
  };
  [[nodiscard]] const entry* entry_of_owner(owner_number owner) const ZKLOCK_REQUIRES(mutex_);
  [[nodiscard]] entry* entry_of(const hold& one) ZKLOCK_REQUIRES(mutex_);
  /// Only its own thread could unlock what stands before such a contender, and that thread would wait.
  [[nodiscard]] bool waits_for_its_thread(const caller& by, side of, owner_again again, instant now) const
      ZKLOCK_REQUIRES(mutex_);
  /// The entry goes if nothing is left of its hold.
  remainder settle(const entry& one, remainder left) ZKLOCK_REQUIRES(mutex_);

  const std::vector<part_table> parts_;
  mutable annotated_mutex mutex_;
  std::vector<entry> entries_ ZKLOCK_GUARDED_BY(mutex_);  ///< few at a time
};

}  // namespace zklock::detail
