#pragma once

#include <cstdint>

#include <zklock/grant.hpp>

namespace zklock::detail {

/// How often its owner has acquired one hold: to read, and otherwise.
class hold_counts {
 public:
  /// What is left of a hold when counts are given back.
  enum class remainder : std::uint8_t {
    held,     ///< as before
    read,     ///< the last write count went, and read counts are left: a downgrade
    nothing,  ///< it is to be released
  };

  /// Of a hold that was just granted: one.
  explicit hold_counts(side of) noexcept { take(of); }

  void take(side of) noexcept { ++in(of).taken; }
  /// A count of that side was taken by lock().
  void mark_locked(side of) noexcept { ++in(of).locked; }

  [[nodiscard]] bool reads_only() const noexcept { return other_.taken == 0; }
  /// Some count is lock()'s; of that side.
  [[nodiscard]] bool locked() const noexcept { return other_.locked + reading_.locked > 0; }
  [[nodiscard]] bool locked(side of) const noexcept { return (of == side::read ? reading_ : other_).locked > 0; }

  /// One count less; `held` if there is none of that side.
  remainder release_count(side of) noexcept;
  /// One count of lock() less. There is one.
  remainder release_locked(side of) noexcept;
  remainder release_all_locked() noexcept;
  /// The write count becomes a read count. False, and nothing is changed, if there is not exactly one.
  [[nodiscard]] bool downgrade() noexcept;

 private:
  struct counts {
    std::uint64_t taken = 0;
    std::uint64_t locked = 0;  ///< of these, by lock()
  };
  [[nodiscard]] counts& in(side of) noexcept { return of == side::read ? reading_ : other_; }
  [[nodiscard]] remainder left(bool wrote) const noexcept;

  counts reading_;
  counts other_;
};

}  // namespace zklock::detail
