#pragma once

#include <optional>
#include <system_error>

#include "recipes/local_deadline.hpp"

namespace zklock::engine {

using recipes::instant;

/// How a session's close() goes: what it waits for, and what it answers.
class session_closing {
 public:
  /// False: it was begun before.
  bool begin(instant limit);
  [[nodiscard]] bool is_begun() const noexcept { return limit_.has_value(); }
  /// It is begun, and not answered.
  [[nodiscard]] bool is_under_way() const noexcept { return limit_ && !answered_; }
  /// Until when removals on an adopted handle are waited for.
  [[nodiscard]] std::optional<instant> limit() const noexcept { return limit_; }

  /// Nodes of a session that was given up without a server's word may stand until then.
  void note_nodes_until(instant when) noexcept;
  /// Whether nodes may stand behind the handle that is closed.
  void note_nodes_left(bool may_stand) noexcept { nodes_left_ = may_stand; }

  /// All handles are closed. What close() answers.
  [[nodiscard]] std::error_code answer(instant now);

 private:
  std::optional<instant> limit_;
  bool nodes_left_ = false;
  instant nodes_until_{0};
  bool answered_ = false;
};

}  // namespace zklock::engine
