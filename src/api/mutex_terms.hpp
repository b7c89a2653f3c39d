#pragma once

#include "src/api/lock_terms.hpp"

namespace zklock::detail {

/// Of a recursive_mutex.
class mutex_terms final : public lock_terms {
 public:
  [[nodiscard]] owner_again again() const noexcept override { return owner_again::counts; }
  [[nodiscard]] recipes::acquire_spec spec_of(lock_mode, recipes::acquire_spec in) const override { return in; }
};

}  // namespace zklock::detail
