#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zklock/loss.hpp>

#include "recipes/contender_name.hpp"
#include "recipes/local_deadline.hpp"
#include "recipes/node_name.hpp"

namespace zklock::detail {

using recipes::fencing_token;
using recipes::instant;

/// An instant that moves forward until it has passed.
///
/// Any thread. Invariant: once over, it stays over; `extend` and the first question past it meet in one atomic word, so that
/// a hold which was once reported lost is never reported held again (F17).
class movable_deadline {
 public:
  movable_deadline() = default;
  explicit movable_deadline(instant first) noexcept : word_(first.count() & ~over_bit) {}
  /// Moves it forward. False, and nothing is moved, when it is over.
  bool extend(instant to) noexcept;
  /// Whether `now` is before it; asked by a holder. The first no makes it over.
  [[nodiscard]] bool covers(instant now) noexcept;
  [[nodiscard]] instant deadline() const noexcept { return instant{word_.load(std::memory_order_acquire) & ~over_bit}; }

 protected:
  static constexpr std::int64_t over_bit = 1;  ///< nanoseconds, rounded down to even: the lowest bit says "over"
  std::atomic<std::int64_t> word_{INT64_MIN};
};

/// The local deadline of one ZooKeeper session, shared by the session (which moves it) and all its holds (which ask it). The
/// clock ends it by `deadline_passed`.
class session_deadline : public movable_deadline {
 public:
  /// Moves the deadline back, when it is further ahead: the servers have granted less than before.
  void limit(instant to) noexcept;
  /// covers(), without consequences.
  [[nodiscard]] bool is_ahead_of(instant now) const noexcept;
  /// It is over now, if it was not before.
  void end(loss_reason reason) noexcept;

  /// `none` while it is not over.
  [[nodiscard]] loss_reason ended_by() const noexcept;

 private:
  std::atomic<loss_reason> reason_{loss_reason::none};
};

/// Tells a loss. The environment may put one beside a hold (`environment::make_hold`); nothing here knows more of it.
class hold_notice;
class hold;
class lock_meter;

/// What is known of a hold from its beginning.
struct hold_facts {
  std::shared_ptr<session_deadline> until{};
  fencing_token token{};
  std::uint64_t contender = 0;
  std::uint64_t owner = 0;                         ///< 0: it has none
  std::shared_ptr<const std::string> path{};       ///< null: of a multi-lock, which has those of its parts
  std::shared_ptr<const std::string> lock_node{};  ///< null: it has parts
  recipes::node_name node{};
  bool exclusive = false;         ///< it excludes every other hold of its lock: a mutex's, a writer's
  instant since{};                ///< the grant
  instant ends = instant::max();  ///< its own bound; max(): none. It is lost then, if it is not extended
  std::int32_t version =
      -1;  ///< only a node at this version stands for it (a write lock's, which a downgrade sets); -1: any
  /// It stands for these, and is lost with the first of them: of a multi-lock, or of a lock that has several nodes.
  std::vector<std::shared_ptr<hold>> parts{};
  lock_meter* meter = nullptr;  ///< lives as long as `path`; null: of a multi-lock, or nothing is counted
};

/// One acquisition that was granted: what a grant, and all grants of the same owner on the same contender, stand for.
///
/// Any thread: what changes is atomic. It outlives lock and session: what it is asked, it answers from here.
class hold {
 public:
  /// `notice`: lives as long as it does; null: its loss is not announced.
  explicit hold(hold_facts of, hold_notice* notice = nullptr);

  /// Reads the answer off the clock. The first no past the deadline is a loss, for good.
  [[nodiscard]] bool held_at(instant now) noexcept;
  [[nodiscard]] loss_reason why_lost() const noexcept;
  [[nodiscard]] fencing_token token() const noexcept { return of_.token; }
  [[nodiscard]] instant valid_until() const noexcept;
  [[nodiscard]] instant since() const noexcept { return of_.since; }
  /// It, or a part of it, has a bound of its own.
  [[nodiscard]] bool bounded() const noexcept { return bounded_; }
  /// Its bound ends at `to`, if that is later; of several parts that of each. False: it is not held.
  bool extend(instant now, instant to) noexcept;
  /// When its bound ends, or has ended it. Nothing: it has none, or has ended by something else.
  [[nodiscard]] std::optional<instant> bound_due() const noexcept;
  /// Of a multi-lock: a line for each part.
  [[nodiscard]] std::string path() const;
  /// A line for each node that stands for it now.
  [[nodiscard]] std::string node() const;
  [[nodiscard]] std::uint64_t contender() const noexcept { return of_.contender; }
  [[nodiscard]] std::uint64_t owner() const noexcept { return of_.owner; }
  /// Empty, if it is not a multi-lock's.
  [[nodiscard]] const std::vector<std::shared_ptr<hold>>& parts() const noexcept { return of_.parts; }
  /// The path of the part that is to blame for the loss, if one is.
  [[nodiscard]] std::string lost_part() const;
  /// From now on it reads only: its node has been, or will be, set to say so.
  void downgrade() noexcept {
    version_.store(any_version, std::memory_order_release);
    exclusive_.store(false, std::memory_order_release);
  }
  /// No other hold of its lock stands while its own node does.
  [[nodiscard]] bool exclusive() const noexcept { return exclusive_.load(std::memory_order_acquire); }
  /// Another node stands for it from now on, the same whenever this is called. One thread.
  void move_to(std::string_view node);
  /// The first one stands for it still, whatever move_to() has said. The same thread.
  void stay() noexcept { moved_.store(false, std::memory_order_release); }
  /// The version at which alone its node stands for it; `any_version`: at each.
  [[nodiscard]] std::int32_t version() const noexcept { return version_.load(std::memory_order_acquire); }
  /// Its node was read at this version, and says what it has said before: another client has set it (a revocation).
  void accept_version(std::int32_t read) noexcept;
  static constexpr std::int32_t any_version = -1;

  /// A node that stands as long as the hold does, at this version; -1: at any.
  struct guard {
    std::string path;
    std::int32_t version;
  };
  /// Adds what a write that this hold guards has to check.
  void add_guards(std::vector<guard>& to) const;

  /// A write that it guards is sent, or answered by a server.
  void write_sent() noexcept { open_writes_.fetch_add(1, std::memory_order_relaxed); }
  void write_answered() noexcept { open_writes_.fetch_sub(1, std::memory_order_relaxed); }
  /// A write that it guards may still be applied, for as long as its node stands.
  [[nodiscard]] bool has_open_writes() const noexcept { return open_writes_.load(std::memory_order_relaxed) != 0; }

  /// It is given back. False if it was lost (or given back) before.
  bool end_by_release(instant now) noexcept;
  /// It is lost, unless it has ended before. True if this made it so. `part`: of a multi-lock, which is to blame.
  bool end_by_loss(loss_reason reason, const hold* part = nullptr) noexcept;

  [[nodiscard]] lock_meter* meter() const noexcept { return of_.meter; }
  /// Null, if the environment makes none.
  [[nodiscard]] hold_notice* notice() const noexcept { return notice_; }

 private:
  static constexpr std::uint8_t ongoing = 0;
  static constexpr std::uint8_t released = 0xFF;

  /// Whether it goes on, as far as its own bound and those of its parts say.
  [[nodiscard]] bool within_bounds(instant now) noexcept;

  const hold_facts of_;
  hold_notice* const notice_;
  movable_deadline bound_;
  const bool bounded_;
  std::string moved_to_;  ///< written once, before `moved_` is true for the first time: others may be reading it
  std::atomic<bool> moved_{false};

  std::atomic<std::int32_t> version_;
  std::atomic<bool> exclusive_;
  std::atomic<std::uint32_t> open_writes_{0};
  std::atomic<const hold*> lost_part_{nullptr};  ///< one of the parts
  std::atomic<std::uint8_t> end_{ongoing};       ///< or `released`, or the loss_reason
};

}  // namespace zklock::detail
