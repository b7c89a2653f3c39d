#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <zklock/log.hpp>

#include "recipes/local_deadline.hpp"
#include "src/api/owner_number.hpp"
#include "src/engine/failure.hpp"
#include "src/threads/thread_safety.hpp"

namespace zklock::detail {

/// The owners that have a call under way on one lock object: one each, so that an owner never has two contenders there.
/// Any thread.
class owner_calls {
 public:
  /// False if the owner has one already.
  [[nodiscard]] bool begin(owner_number owner);
  void end(owner_number owner);

  enum class ended : std::uint8_t { yes, not_in_time, given_up };
  /// Waits until the owner has none, at the longest until `until`, or until one of these stops is requested.
  [[nodiscard]] ended await_end(owner_number owner, std::optional<recipes::instant> until,
                                std::span<const std::stop_token> stops);

 private:
  [[nodiscard]] bool under_way(owner_number owner) const ZKLOCK_REQUIRES(mutex_);

  annotated_mutex mutex_;
  annotated_condition ended_;
  std::vector<owner_number> owners_ ZKLOCK_GUARDED_BY(mutex_);
  std::size_t waiting_ ZKLOCK_GUARDED_BY(mutex_) = 0;
};

/// What is logged when a call waits for longer than usual.
struct late_warning {
  recipes::instant at{};                             ///< when to ask
  std::function<std::function<log_line()>()> ask{};  ///< for the line; null: nothing to warn of
};

/// One call of an owner, on all lock objects that it concerns, from take() until it goes.
class owner_turn {
 public:
  /// Without owner there is nothing to wait for.
  explicit owner_turn(owner_number owner) noexcept : owner_(owner) {}
  owner_turn(const owner_turn&) = delete;
  owner_turn& operator=(const owner_turn&) = delete;
  ~owner_turn() { end_all(); }

  /// Waits for the owner's calls on these, holding none meanwhile. Nothing: it is the owner's one call on each of them now.
  /// A failure without an error: not in time. One of `stops` is requested: abandoned.
  [[nodiscard]] std::optional<failure> take(std::span<owner_calls* const> at, std::optional<recipes::instant> until,
                                            std::span<const std::stop_token> stops, bool may_wait,
                                            const late_warning& warning = {});
  /// When it came, if it was waited for.
  [[nodiscard]] std::optional<recipes::instant> came_at() const noexcept { return came_at_; }

 private:
  void end_all();

  const owner_number owner_;
  boost::container::small_vector<owner_calls*, 1> taken_;
  std::optional<recipes::instant> came_at_;
};

}  // namespace zklock::detail
