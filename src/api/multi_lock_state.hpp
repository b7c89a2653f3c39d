#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/api/acquirable_state.hpp"
#include "src/api/lock_state.hpp"

namespace zklock::detail {

/// What stands behind a multi_lock. A call that waits keeps its parts' states alive as well.
class multi_lock_state final : public acquirable_state {
 public:
  struct part {
    std::shared_ptr<lock_state> state;
    lock_mode what;
  };
  /// Throws errc::invalid_parts, errc::wrong_session.
  explicit multi_lock_state(std::vector<part> parts);

  [[nodiscard]] const std::vector<part>& parts() const noexcept { return parts_; }
  /// Of all parts: for messages that blame none.
  [[nodiscard]] const std::string& path() const noexcept override { return path_; }
  [[nodiscard]] lock_parts parts_of(lock_mode what) override;

 private:
  [[nodiscard]] bool counts_again() const noexcept override { return true; }

  const std::vector<part> parts_;
  const std::string path_;
};

}  // namespace zklock::detail
