#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {

/// Since before `what`. None of these sessions sends a heartbeat meanwhile.
struct sent {
  std::uint64_t creates, lists, exists, all;
};

/// What a session has sent, by its own statistics.
class counting_requests : public on_a_server {
 protected:
  [[nodiscard]] static std::uint64_t count(const session& of, std::string_view kind) {
    const auto& kinds = session_statistics::request_kinds;
    const auto at = std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
    const request_statistics one = of.statistics().requests.at(static_cast<std::size_t>(at));
    return one.done + one.refused + one.failed;
  }
  [[nodiscard]] static sent all_of(const session& of) {
    std::uint64_t all = 0;
    for (const std::string_view kind : session_statistics::request_kinds) {
      all += count(of, kind);
    }
    return {count(of, "create"), count(of, "list"), count(of, "exists"), all};
  }
  template <class What>
  [[nodiscard]] static sent sent_by(const session& of, What&& what) {
    const sent before = all_of(of);
    what();
    const sent after = all_of(of);
    return {after.creates - before.creates, after.lists - before.lists, after.exists - before.exists,
            after.all - before.all};
  }
  template <class Lock>
  static void cycle(Lock&& lock, int times = 1) {
    for (int i = 0; i < times; ++i) {
      grant held = lock.acquire();
      held.release();
    }
  }
};

/// Of a session that sends nothing but what its locks ask for, in a test.
inline constexpr auto without_heartbeats = std::chrono::minutes(1);

}  // namespace zklock::test
