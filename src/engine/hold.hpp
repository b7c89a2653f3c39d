#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zklock/loss.hpp>

#include "recipes/contender_name.hpp"
#include "recipes/local_deadline.hpp"

namespace zklock::detail {

using recipes::fencing_token;
using recipes::instant;

/// The local deadline of one ZooKeeper session, shared by the session (which moves it) and all its holds (which ask it).
///
/// Any thread. Invariant: once over, it stays over; `extend` and the first question past the deadline meet in one atomic
/// word, so that a hold which was once reported lost is never reported held again (F17).
class session_deadline {
 public:
  /// Moves the deadline forward. False, and nothing is moved, when it is over.
  bool extend(instant to) noexcept;
  /// Moves the deadline back, when it is further ahead: the servers have granted less than before.
  void limit(instant to) noexcept;
  /// Whether `now` is before the deadline; asked by a holder. The first no makes it over, by `deadline_passed`.
  [[nodiscard]] bool covers(instant now) noexcept;
  /// The same, without consequences.
  [[nodiscard]] bool is_ahead_of(instant now) const noexcept;
  /// It is over now, if it was not before.
  void end(loss_reason reason) noexcept;

  [[nodiscard]] instant deadline() const noexcept;
  /// `none` while it is not over.
  [[nodiscard]] loss_reason ended_by() const noexcept;

 private:
  static constexpr std::int64_t over_bit = 1;  ///< nanoseconds, rounded down to even: the lowest bit says "over"
  std::atomic<std::int64_t> word_{INT64_MIN};
  std::atomic<loss_reason> reason_{loss_reason::none};
};

/// Tells a loss. The environment makes it (`environment::make_notice`); nothing here knows more of it.
class hold_notice;

/// One acquisition that was granted: what a grant, and all grants of the same owner on the same contender, stand for.
///
/// Any thread: what changes is atomic. It outlives lock and session: what it is asked, it answers from here.
class hold {
 public:
  /// `untouched`: only a node that was never set stands for it (a write lock, whose downgrade sets it).
  hold(std::shared_ptr<session_deadline> until, std::shared_ptr<hold_notice> notice, std::uint64_t contender,
       fencing_token token, std::string path, std::string node, bool untouched);
  /// Of a multi-lock: it stands for its parts, and is lost with the first of them. Path and node are one a line.
  hold(std::shared_ptr<session_deadline> until, std::shared_ptr<hold_notice> notice, fencing_token token,
       std::vector<std::shared_ptr<hold>> parts);
  /// Of a lock that has several nodes, under one path.
  hold(std::shared_ptr<session_deadline> until, std::shared_ptr<hold_notice> notice, fencing_token token,
       std::vector<std::shared_ptr<hold>> parts, std::string path);

  /// Reads the answer off the clock. The first no past the deadline is a loss, for good.
  [[nodiscard]] bool held_at(instant now) noexcept;
  [[nodiscard]] loss_reason why_lost() const noexcept;
  [[nodiscard]] fencing_token token() const noexcept { return token_; }
  [[nodiscard]] instant valid_until() const noexcept { return deadline_->deadline(); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const std::string& node() const noexcept {
    return moved_.load(std::memory_order_acquire) ? moved_to_ : node_;
  }
  [[nodiscard]] std::uint64_t contender() const noexcept { return contender_; }
  /// Empty, if it is not a multi-lock's.
  [[nodiscard]] const std::vector<std::shared_ptr<hold>>& parts() const noexcept { return parts_; }
  /// The path of the part that is to blame for the loss, if one is.
  [[nodiscard]] std::string lost_part() const;
  /// From now on it reads only: its node has been, or will be, set to say so.
  void downgrade() noexcept { untouched_.store(false, std::memory_order_release); }
  /// Another node stands for it from now on, the same whenever this is called. One thread.
  void move_to(std::string_view node);
  /// The first one stands for it still, whatever move_to() has said. The same thread.
  void stay() noexcept { moved_.store(false, std::memory_order_release); }
  [[nodiscard]] bool untouched() const noexcept { return untouched_.load(std::memory_order_acquire); }

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

  /// Null, if the environment makes none.
  [[nodiscard]] const std::shared_ptr<hold_notice>& notice() const noexcept { return notice_; }

 private:
  static constexpr std::uint8_t ongoing = 0;
  static constexpr std::uint8_t released = 0xFF;

  const std::shared_ptr<session_deadline> deadline_;
  const std::shared_ptr<hold_notice> notice_;
  const std::uint64_t contender_;
  const fencing_token token_;
  const std::string path_;
  const std::string node_;
  const std::vector<std::shared_ptr<hold>> parts_;
  std::string moved_to_;  ///< written once, before `moved_` is true for the first time: others may be reading it
  std::atomic<bool> moved_{false};

  std::atomic<bool> untouched_;
  std::atomic<std::uint32_t> open_writes_{0};
  std::atomic<const hold*> lost_part_{nullptr};  ///< one of parts_
  std::atomic<std::uint8_t> end_{ongoing};       ///< or `released`, or the loss_reason
};

}  // namespace zklock::detail
