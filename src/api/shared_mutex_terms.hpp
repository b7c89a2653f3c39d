#pragma once

#include "recipes/read_write_lock.hpp"
#include "src/api/lock_terms.hpp"

namespace zklock::detail {

/// Of a shared_mutex.
class shared_mutex_terms final : public lock_terms {
 public:
  [[nodiscard]] owner_again again() const noexcept override { return owner_again::counts; }
  [[nodiscard]] lock_class measured_as() const noexcept override { return lock_class::read_write; }
  [[nodiscard]] recipes::acquire_spec spec_of(lock_mode what, recipes::acquire_spec in) const override {
    return what.of == side::read ? recipes::spec_to_read(in) : recipes::spec_to_write(in);
  }
};

}  // namespace zklock::detail
