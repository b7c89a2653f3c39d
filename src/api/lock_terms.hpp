#pragma once

#include "recipes/acquire_spec.hpp"
#include "src/api/lock_mode.hpp"
#include "src/api/lock_owners.hpp"
#include "src/engine/failure.hpp"
#include "src/engine/meters.hpp"
#include "src/operations/lock_target.hpp"

namespace zklock::detail {

/// What one class of lock objects has that others have not. Any thread.
class lock_terms {
 public:
  virtual ~lock_terms() = default;
  lock_terms(const lock_terms&) = delete;
  lock_terms(lock_terms&&) = delete;
  lock_terms& operator=(const lock_terms&) = delete;
  lock_terms& operator=(lock_terms&&) = delete;

  /// What another acquisition of its owner is. Where it counts, lock() is the calling thread's.
  [[nodiscard]] virtual owner_again again() const noexcept = 0;
  /// As what it is counted.
  [[nodiscard]] virtual lock_class measured_as() const noexcept { return lock_class::mutex; }
  /// What a contender for that part of it wants. `in`: in which layout.
  [[nodiscard]] virtual recipes::acquire_spec spec_of(lock_mode what, recipes::acquire_spec in) const = 0;
  /// Why no contender can get that part, as far as the object itself knows; no error: one can.
  [[nodiscard]] virtual failure fault(lock_mode /*what*/, const lock_target& /*of*/) const { return {}; }

 protected:
  lock_terms() = default;
};

}  // namespace zklock::detail
