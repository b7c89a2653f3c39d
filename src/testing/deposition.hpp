#pragma once

#include <cstdint>
#include <map>

#include "src/port/client.hpp"
#include "src/testing/session_table.hpp"

namespace zklock::testing {

/// A server that leads no more, and does not know it: what it knew of the sessions when its followers left it.
class deposition {
 public:
  deposition(const session_table& known, instant steps_down_at);

  [[nodiscard]] instant steps_down_at() const noexcept { return steps_down_at_; }
  void postpone(instant to) noexcept { steps_down_at_ = to; }

  /// A client connects again to the server.
  [[nodiscard]] client::code revalidate(std::int64_t session, int server);
  /// What a request of the session on that server is answered.
  [[nodiscard]] client::code check(std::int64_t session, int server) const;

 private:
  instant steps_down_at_;
  std::map<std::int64_t, int> owners_;  ///< by session
};

}  // namespace zklock::testing
