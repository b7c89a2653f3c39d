#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <boost/intrusive/set.hpp>

#include <zklock/grant.hpp>

#include "src/api/owner_number.hpp"
#include "src/engine/hold.hpp"
#include "src/engine/meters.hpp"
#include "src/engine/operation.hpp"
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

/// What a call asks of one lock object.
struct asked {
  caller by{};
  side of = side::whole;
  std::uint32_t permits = 1;
  owner_again again = owner_again::contends;
  bool of_part = false;  ///< of a multi-lock, which never re-enters
  bool locks = false;    ///< lock() or its kin: the count (of a part: the whole) is unlock()'s to give back
};

/// The wait of a call before its operation is begun.
class queued_call {
 public:
  queued_call() = default;
  queued_call(const queued_call&) = delete;
  queued_call& operator=(const queued_call&) = delete;
  virtual ~queued_call() = default;
  /// The call is to ask again. Called with no mutex held, perhaps behind the end of the wait.
  virtual void wake() noexcept = 0;
};

/// The unanswered calls of one lock object, its holds, the owner of each, if it has one, and how often it was acquired. An
/// owner has at most one unanswered call here, so never two contenders. Shared by the lock object and its grants, whichever
/// goes last. Any thread; no request is ever sent from here.
class lock_owners {
 public:
  /// Those of a part of a multi-lock, in which its holds are entered as well.
  struct part {
    std::shared_ptr<lock_owners> owners;
    side of = side::whole;
  };
  explicit lock_owners(std::vector<part> parts = {}, std::shared_ptr<lock_meter> meter = {})
      : parts_(std::move(parts)), meter_(std::move(meter)) {}
  /// Null: nothing is counted.
  [[nodiscard]] const std::shared_ptr<lock_meter>& meter() const noexcept { return meter_; }
  [[nodiscard]] bool has_parts() const noexcept { return !parts_.empty(); }
  [[nodiscard]] const part& part_at(std::size_t place) const { return parts_[place]; }

  /// One count more for an owner whose lock counts again, if it holds that, and takes nothing more by it. False: reenter() says
  /// what it is then. `which`, if not null, is told the hold. Reads the clock if there is such a hold.
  [[nodiscard]] bool count_again(owner_number owner, side of, bool locks, std::shared_ptr<hold>* which);

  // ---- calls

  /// What becomes of a call, by what its owner and its thread hold. `would_deadlock`: a reader that wants to write would wait
  /// for itself (F54), and so would a thread that asks for another owner than itself, or for none, while it has locked what
  /// only it can unlock.
  enum class verdict : std::uint8_t { contends, counted, lost, would_deadlock, abandoned };
  struct reentry {
    verdict what = verdict::contends;
    std::shared_ptr<hold> held{};  ///< null when it contends
    bool of_thread = false;        ///< it contends, and has_of_thread()
  };
  /// `counted` has counted it.
  reentry reenter(const asked& what, instant now);

  /// One call that contends, from admit() until it goes: the end of the lock object ends it.
  class call : public boost::intrusive::set_base_hook<boost::intrusive::optimize_size<true>> {
   public:
    call(lock_owners& on, const asked& what) : on_(&on), asked_(what) {}
    call(const call&) = default;  ///< before it is admitted
    call& operator=(const call&) = delete;
    ~call() {
      if (entered_) {
        on_->leave(*this);
      }
    }

    /// Of what asks for nothing that has an owner. False: the lock object has gone.
    [[nodiscard]] bool enter(const std::shared_ptr<engine::operation>& by) {
      return on_->admit(*this, by, false, {}) == admission::begins;
    }
    [[nodiscard]] lock_owners& on() const noexcept { return *on_; }
    [[nodiscard]] const asked& what() const noexcept { return asked_; }

   private:
    friend class lock_owners;
    enum class state : std::uint8_t {
      begun,
      has_turn,  ///< begun, as its owner's one call
      queued,    ///< behind another call of its owner
      elsewhere  ///< queued on another lock object
    };
    lock_owners* on_;
    asked asked_;
    std::shared_ptr<queued_call> waits_{};  ///< null: it does not, or has been woken
    std::shared_ptr<engine::operation> operation_{};
    state state_ = state::begun;
    instant since_{};       ///< when it was admitted first
    bool woken_ = false;    ///< since it was admitted last
    bool entered_ = false;  ///< the call's own: asked without the mutex
  };
  enum class admission : std::uint8_t {
    begins,
    queued,
    changed,  ///< reenter() has another answer by now
    abandoned
  };
  /// `begins`: what an owner may do once is its one call now. `elsewhere`: it is queued already, and only entered here.
  admission admit(call& one, const std::shared_ptr<engine::operation>& by, bool elsewhere, instant now);
  /// It is queued on another lock object: it gives back its turn here.
  void queue_elsewhere(call& one);
  /// Behind admit(), where it is queued here or elsewhere. False: it has been woken meanwhile, and asks again.
  [[nodiscard]] bool await_turn(call& one, std::shared_ptr<queued_call> as);
  /// The owner's one call is under way.
  [[nodiscard]] bool has_call_of(owner_number owner) const;

  /// The call has been granted a new hold, and ends. False: its lock object has gone, so that no thread could unlock it.
  bool granted(call& one, std::shared_ptr<hold> held);
  /// The same without a call.
  bool enter(const asked& by, std::shared_ptr<hold> held);
  /// As if it had never been entered.
  void forget(const hold& one);

  // ---- holds

  /// The owner's hold, of so many permits; of several the latest.
  [[nodiscard]] std::shared_ptr<hold> find(owner_number owner, std::uint32_t permits = 1) const;
  /// One without owner, of so many permits, that lock() has taken: the thread's rather than another's, the latest rather
  /// than an earlier one.
  [[nodiscard]] std::shared_ptr<hold> find_locked_without_owner(owner_number thread, std::uint32_t permits) const;
  /// The thread has taken one without owner, or has locked one, and it is held: a wait of that thread may be for itself.
  [[nodiscard]] bool has_of_thread(owner_number thread, instant now) const;

  /// What is left of a hold when counts are given back.
  enum class remainder : std::uint8_t {
    held,     ///< as before
    read,     ///< the last write count went, and read counts are left: a downgrade
    nothing,  ///< it is to be released
  };
  /// One count less. `of_whole`: a multi-lock gives its part back, so its lock() counts no more.
  remainder release_count(const hold& of_count, side of, bool of_whole = false);
  /// One count of lock() less, of the caller's owner (or of none): the thread's rather than another's, and the latest rather
  /// than an earlier one, so that nested ones are given back inside out.
  struct unlocked {
    bool found = false;
    std::shared_ptr<hold> held{};  ///< null: nothing follows, since it is held as before
    remainder left = remainder::held;
  };
  unlocked release_locked(const caller& by, side of, std::uint32_t permits = 1);
  /// What one owner, or one acquisition without owner, has.
  struct possession {
    owner_number owner;
    std::shared_ptr<hold> held;
    side of;
    std::uint32_t permits;
    std::uint64_t counts;
    remainder left = remainder::held;  ///< when all of it was given back
  };
  [[nodiscard]] std::vector<possession> list() const;
  /// The calls that wait, but for those of a multi-lock's parts.
  struct wait {
    bool reads;
    instant since;
  };
  [[nodiscard]] std::vector<wait> waits() const;
  /// All counts of that owner are given back.
  std::vector<possession> release_all(owner_number owner);
  /// The write count becomes a read count. False, and nothing is changed, if there is more than one.
  bool downgrade(const hold& writing);

  // ---- the lock object goes

  struct leftover {
    std::vector<std::shared_ptr<engine::operation>> calls;  ///< to be ended
    std::vector<std::shared_ptr<queued_call>> queued;       ///< to be woken
    std::vector<unlocked> locked;                           ///< all counts of lock(), of all owners, given back
  };
  /// No call begins any more.
  leftover abandon();
  [[nodiscard]] bool abandoned() const;

 private:
  /// How often one hold was acquired to read, or otherwise.
  struct counts {
    std::uint64_t taken = 0;
    std::uint64_t locked = 0;  ///< of these, by lock()
  };
  struct entry {
    caller by;
    std::shared_ptr<hold> held;
    std::uint32_t permits;
    counts reading{};
    counts other{};
    bool whole_locked = false;
    side first_of = side::whole;  ///< when it was taken first

    [[nodiscard]] counts& in(side of) noexcept { return of == side::read ? reading : other; }
    [[nodiscard]] bool reads_only() const noexcept { return other.taken == 0; }
    [[nodiscard]] bool locked() const noexcept { return other.locked + reading.locked > 0; }
    [[nodiscard]] bool locked(side of) const noexcept { return (of == side::read ? reading : other).locked > 0; }
    void take(side of, bool by_lock) noexcept;
    remainder release_count(side of) noexcept;
    remainder release_all_locked() noexcept;
    [[nodiscard]] remainder left(bool wrote) const noexcept;
    [[nodiscard]] possession all() const;
  };
  struct owner_of {
    using type = owner_number;
    type operator()(const call& one) const noexcept { return one.asked_.by.owner; }
  };
  using calls_by_owner = boost::intrusive::multiset<call, boost::intrusive::key_of_value<owner_of>>;

  [[nodiscard]] bool is_calling(owner_number owner) const ZKLOCK_REQUIRES(mutex_);
  /// Those that are queued behind it have to be woken: wake_next().
  [[nodiscard]] bool end_turn(call& one) ZKLOCK_REQUIRES(mutex_);
  void wake_next(owner_number owner) ZKLOCK_EXCLUDES(mutex_);
  [[nodiscard]] std::vector<std::shared_ptr<queued_call>> take_woken(owner_number owner) ZKLOCK_EXCLUDES(mutex_);
  void leave(call& one);
  bool add(const asked& by, std::shared_ptr<hold> held) ZKLOCK_REQUIRES(mutex_);
  [[nodiscard]] const entry* entry_of_owner(owner_number owner) const ZKLOCK_REQUIRES(mutex_);
  void note_entries() noexcept ZKLOCK_REQUIRES(mutex_) {
    holds_any_.store(!entries_.empty(), std::memory_order_relaxed);
  }
  [[nodiscard]] entry* entry_of(const hold& one) ZKLOCK_REQUIRES(mutex_);
  [[nodiscard]] bool is_of_thread(owner_number thread, instant now) const ZKLOCK_REQUIRES(mutex_);
  /// Only its own thread could unlock what stands before such a contender, and that thread would wait.
  [[nodiscard]] bool waits_for_its_thread(const asked& what, instant now) const ZKLOCK_REQUIRES(mutex_);
  /// The entry goes if nothing is left of its hold.
  remainder drop_if_over(const entry& one, remainder left) ZKLOCK_REQUIRES(mutex_);
  /// Behind a count of lock(), or several of them.
  unlocked take_back(const entry& one, remainder left) ZKLOCK_REQUIRES(mutex_);

  const std::vector<part> parts_;
  const std::shared_ptr<lock_meter> meter_;
  mutable annotated_mutex mutex_;
  calls_by_owner calls_ ZKLOCK_GUARDED_BY(mutex_);
  std::vector<entry> entries_ ZKLOCK_GUARDED_BY(mutex_);  ///< few at a time
  bool abandoned_ ZKLOCK_GUARDED_BY(mutex_) = false;
  std::atomic<bool> holds_any_{false};  ///< entries: an owner sees its own at least
};

}  // namespace zklock::detail
