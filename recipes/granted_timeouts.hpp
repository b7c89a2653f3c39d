#pragma once

#include <chrono>

#include "recipes/deadline_terms.hpp"

namespace zklock::recipes {

/// The session timeouts that the servers have granted to one session, and the terms that follow. The least counts: an old
/// server, or a new leader, may end the session by any of them (F140).
class granted_timeouts {
 public:
  explicit granted_timeouts(const deadline_wishes& wishes) : wishes_(wishes) {}

  /// A new session is to come. `adopted`: on a handle of which it is not known what it asks for.
  void open(bool adopted) noexcept;
  /// True: it is less than ever before.
  bool granted(std::chrono::nanoseconds timeout);

  /// Zero before the first grant.
  [[nodiscard]] const deadline_terms& terms() const noexcept { return terms_; }
  [[nodiscard]] std::chrono::nanoseconds greatest() const noexcept { return greatest_; }

 private:
  deadline_wishes wishes_;
  deadline_terms terms_;
  std::chrono::nanoseconds asked_{0};  ///< what the client asks for when it connects
  std::chrono::nanoseconds greatest_{0};
  std::chrono::nanoseconds raised_to_{0};  ///< by the servers, above what was asked for
};

}  // namespace zklock::recipes
