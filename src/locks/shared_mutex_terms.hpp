#pragma once

#include "recipes/read_write_lock.hpp"
#include "src/locks/lock_terms.hpp"

namespace zklock::detail {

/// Of a shared_mutex.
class shared_mutex_terms final : public lock_terms {
 public:
  [[nodiscard]] owner_again again() const noexcept override { return owner_again::counts; }
  [[nodiscard]] recipes::claim claim_of(aspect what, recipes::claim in) const override {
    return what.of == side::read ? recipes::claim_to_read(in) : recipes::claim_to_write(in);
  }
};

}  // namespace zklock::detail
