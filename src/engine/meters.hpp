#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <zklock/loss.hpp>
#include <zklock/statistics.hpp>

#include "recipes/code.hpp"
#include "recipes/local_deadline.hpp"

/// What is counted, for session::statistics(). Relaxed: each figure is right by itself, and says nothing of another one.
namespace zklock::detail {

using recipes::instant;

class counter {
 public:
  void add(std::uint64_t more = 1) noexcept { value_.fetch_add(more, std::memory_order_relaxed); }
  void less() noexcept { value_.fetch_sub(1, std::memory_order_relaxed); }
  void set(std::uint64_t now) noexcept { value_.store(now, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t read() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

class duration_meter {
 public:
  void add(std::chrono::nanoseconds time) noexcept {
    const auto& ends = duration_counts::up_to;
    const auto range = std::lower_bound(ends.begin(), ends.end(), time) - ends.begin();
    counts_[static_cast<std::size_t>(range)].add();
    sum_.add(static_cast<std::uint64_t>(std::max(time.count(), std::chrono::nanoseconds::rep{0})));
  }
  [[nodiscard]] duration_counts read() const noexcept {
    duration_counts all;
    std::transform(counts_.begin(), counts_.end(), all.counts.begin(), [](const counter& one) { return one.read(); });
    all.sum = std::chrono::nanoseconds(sum_.read());
    return all;
  }

 private:
  std::array<counter, duration_counts::up_to.size() + 1> counts_;
  counter sum_;
};

/// Which recipe a lock object has.
enum class lock_class : std::uint8_t { mutex, read_write, semaphore, multi, election };

/// Of the lock objects of one name and class, in one session. Any thread.
class lock_meter {
 public:
  lock_meter(std::string name, lock_class of) : name_(std::move(name)), class_(of) {}
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] lock_class of() const noexcept { return class_; }
  [[nodiscard]] lock_kind kind(bool reads) const noexcept {
    switch (class_) {
      case lock_class::mutex: return lock_kind::mutex;
      case lock_class::read_write: return reads ? lock_kind::read : lock_kind::write;
      case lock_class::semaphore: return lock_kind::permits;
      case lock_class::multi: return lock_kind::multi;
      case lock_class::election: return lock_kind::election;
    }
    return lock_kind::mutex;
  }

  /// What is counted of one side, or of all where there is one.
  struct side_meter {
    duration_meter granted, not_in_time, stopped, failed;
    counter turns, relisted;
    duration_meter released, lost;
    std::array<counter, std::tuple_size_v<decltype(lock_statistics::lost_by)>> lost_by;
    counter unconfirmed, removals;
  };
  /// `reads`: of the read side, where there is one.
  [[nodiscard]] side_meter& side(bool reads) noexcept {
    return sides_[class_ == lock_class::read_write && reads ? 1 : 0];
  }
  [[nodiscard]] const side_meter& side(bool reads) const noexcept { return const_cast<lock_meter*>(this)->side(reads); }

 private:
  const std::string name_;
  const lock_class class_;
  std::array<side_meter, 2> sides_;
};

/// The least of what was noted in the last one to two minutes. One thread notes, any reads.
class low_water {
 public:
  void note(double value, instant now) noexcept {
    const std::int64_t slot = slot_of(now);
    if (const std::int64_t last = slot_.load(std::memory_order_relaxed); last != slot) {
      before_.store(slot == last + 1 ? least_.load(std::memory_order_relaxed) : none, std::memory_order_relaxed);
      least_.store(none, std::memory_order_relaxed);
      slot_.store(slot, std::memory_order_relaxed);
    }
    least_.store(std::min(least_.load(std::memory_order_relaxed), value), std::memory_order_relaxed);
  }
  [[nodiscard]] std::optional<double> read(instant now) const noexcept {
    const std::int64_t age = slot_of(now) - slot_.load(std::memory_order_relaxed);
    const double least = age > 1 ? none : least_.load(std::memory_order_relaxed);
    const double before = age > 0 ? none : before_.load(std::memory_order_relaxed);
    const double of_both = std::min(least, before);
    return of_both == none ? std::nullopt : std::optional(of_both);
  }

 private:
  static constexpr double none = std::numeric_limits<double>::infinity();
  static std::int64_t slot_of(instant now) noexcept { return now / std::chrono::minutes(1); }

  std::atomic<std::int64_t> slot_{std::numeric_limits<std::int64_t>::min() / 2};
  std::atomic<double> least_{none};
  std::atomic<double> before_{none};
};

/// Of one session. Written on its strand.
struct session_meter {
  struct request_meter {
    counter done, refused, failed, time;
  };
  std::array<request_meter, session_statistics::request_kinds.size()> requests;
  counter sessions_opened, connections_lost, watches, guarded_writes_refused;
  std::atomic<double> share_of_watches{0};
  std::atomic<std::int64_t> deadline{std::numeric_limits<std::int64_t>::min()};
  low_water least_left;

  /// `kind`: its index in client::any_request.
  void answered(std::size_t kind, recipes::code answer, instant time) noexcept {
    request_meter& of = requests[kind];
    const bool by_server = recipes::answered_by_server(answer);
    (answer == recipes::code::ok ? of.done : by_server ? of.refused : of.failed).add();
    of.time.add(static_cast<std::uint64_t>(std::max(time.count(), instant::rep{0})));
  }
};

}  // namespace zklock::detail
