#pragma once

#include "src/locks/lock_terms.hpp"

namespace zklock::detail {

/// Of a recursive_mutex.
class mutex_terms final : public lock_terms {
 public:
  [[nodiscard]] bool reentrant() const noexcept override { return true; }
  [[nodiscard]] recipes::claim claim_of(aspect, recipes::claim in) const override { return in; }
};

}  // namespace zklock::detail
