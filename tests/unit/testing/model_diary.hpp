#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "src/testing/ensemble_model.hpp"
#include "tests/unit/testing/diary.hpp"

namespace zklock::testing {

struct program {
  explicit program(ensemble& in, int number = 0, int server = 0, bool only = false)
      : connection(in.clients(number, server, only)->open({.timeout = std::chrono::seconds(6)}, told)) {}
  void ask(client::request_id id, client::any_request what) { connection->submit(id, std::move(what)); }

  diary told;
  std::unique_ptr<client::connection> connection;
};

inline const step* find(const std::vector<step>& in, step_kind kind, int server = -1) {
  const auto it = std::find_if(in.begin(), in.end(),
                               [&](const step& s) { return s.kind == kind && (server < 0 || s.server == server); });
  return it == in.end() ? nullptr : &*it;
}

/// Performs steps of one kind while there are any.
inline void perform_all(ensemble& e, step_kind kind, int server = -1) {
  for (;;) {
    const std::vector<step> next = e.steps();
    const step* one = find(next, kind, server);
    if (one == nullptr) return;
    e.perform(*one);
  }
}

/// Lets time pass as in a healthy ensemble: each timer in its turn, and all that follows from it.
inline void pass_time(ensemble& e, instant by) {
  const instant until = e.now() + by;
  for (std::optional<instant> next = e.next_timer(); next && *next <= until; next = e.next_timer()) {
    e.advance(*next - e.now());
    ASSERT_TRUE(e.settle());
  }
  e.advance(until - e.now());
  ASSERT_TRUE(e.settle());
}

}  // namespace zklock::testing
