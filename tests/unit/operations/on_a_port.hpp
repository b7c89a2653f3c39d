#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <zklock/error.hpp>

#include "tests/support/call_site.hpp"
#include "tests/support/scripted_port.hpp"

/// Words for tests of a session on a scripted port. Those that expect something name the line that has called them.
namespace zklock::test_support {

[[nodiscard]] inline ::testing::ScopedTrace from(const call_site& where) {
  return {where.file, where.line, "called here"};
}

inline void answer(scripted_port& port, std::size_t several) {
  for (std::size_t one = 0; one < several; ++one) {
    port.answer();
  }
}

/// All that comes of it, or what goes on for ever up to here.
inline void answer_at_most(scripted_port& port, std::size_t several) {
  for (std::size_t one = 0; one < several && !port.requests.empty(); ++one) {
    port.answer();
  }
}

/// In the same session. What was under way has failed.
inline void reconnect(scripted_port& port) {
  port.disconnect();
  port.connect();
}

/// T = 6 s: a heartbeat every 500 ms. From the first one on, the own nodes of holders and waiters are watched.
inline void pass_heartbeat(scripted_port& port) {
  port.advance_to(port.now + std::chrono::milliseconds(600));
  port.answer_all();
}

/// Answers all requests, with time in between for what is repeated, until this one is answered: 20 s at the most.
inline void answer_until_answered(scripted_port& port, const asked_lock& lock,
                                  const call_site& where = call_site::current()) {
  const ::testing::ScopedTrace trace = from(where);
  const detail::instant latest = port.now + std::chrono::seconds(20);
  while (lock.answers == 0 && port.now < latest) {
    port.advance_to(port.now + std::chrono::milliseconds(250));
    if (lock.answers == 0) {
      port.answer_all();
    }
  }
  EXPECT_EQ(lock.answers, 1);
}

inline std::shared_ptr<asked_lock> hold_of(scripted_port& port, std::string_view path = "/l",
                                           const recipes::acquire_spec& wanted = {},
                                           const call_site& where = call_site::current()) {
  const ::testing::ScopedTrace trace = from(where);
  auto lock = port.acquire_as(wanted, path);
  port.answer_all();
  if (port.adopted()) {
    answer_until_answered(port, *lock, where);  // the leader has to have heard of it first
  }
  EXPECT_TRUE(lock->hold);
  return lock;
}

/// Connected, and granted at once. On a new port: at 100 s, so until 103 s.
inline std::shared_ptr<asked_lock> hold_at_once(scripted_port& port, std::string_view path = "/l",
                                                const recipes::acquire_spec& wanted = {},
                                                const call_site& where = call_site::current()) {
  port.connect();
  return hold_of(port, path, wanted, where);
}

/// On a new port, behind hold_at_once(): two heartbeats, after which the leader is known to have heard of the first.
/// Both are syncs, so the deadline does not move yet.
inline void beat_twice(scripted_port& port) {
  for (const auto due : {std::chrono::milliseconds(100'500), std::chrono::milliseconds(101'000)}) {
    port.advance_to(due);
    port.answer_all();
  }
}

/// Of whatever recipe and layout.
inline bool is_own(const std::string& node) {
  return node.find("-4abc-") != std::string::npos || node.find("0000000000000abc") != std::string::npos;
}
inline std::size_t own_nodes(const scripted_port& port) {
  return static_cast<std::size_t>(std::count_if(port.nodes.begin(), port.nodes.end(), is_own));
}

/// What is lost or removed one by one: a hold of one node, or its parts.
inline std::vector<std::shared_ptr<detail::hold>> nodes_of(const std::shared_ptr<detail::hold>& of) {
  return of->parts().empty() ? std::vector{of} : of->parts();
}

/// What giving back a hold of one or several nodes does.
inline std::vector<std::shared_ptr<asked_release>> release_all(scripted_port& port, const asked_lock& lock) {
  lock.hold->end_by_release(port.now);
  std::vector<std::shared_ptr<asked_release>> released;
  for (const auto& node : nodes_of(lock.hold)) {
    node->end_by_release(port.now);
    released.push_back(port.release(node));
  }
  return released;
}

inline void expect_nothing_left(const scripted_port& port, const call_site& where = call_site::current()) {
  const ::testing::ScopedTrace trace = from(where);
  EXPECT_EQ(own_nodes(port), 0U);
  EXPECT_EQ(port.locks.contender_count(), 0U);
  EXPECT_EQ(port.engine.servers().watch_count(), 0U);
  EXPECT_TRUE(port.watches.empty());
}

/// It is told so at once, and only once, and leaves nothing.
inline void abandon(scripted_port& port, const std::shared_ptr<asked_lock>& lock,
                    const call_site& where = call_site::current()) {
  const ::testing::ScopedTrace trace = from(where);
  EXPECT_EQ(lock->answers, 0);
  port.abandon(lock);
  EXPECT_EQ(lock->answers, 1);
  EXPECT_EQ(lock->error, errc::abandoned);
  port.answer_all();
  EXPECT_EQ(lock->answers, 1);
  expect_nothing_left(port);
}

/// That no grant came in time is no error when a server has answered the attempt.
inline void expect_not_in_time(const asked_lock& lock, const call_site& where = call_site::current()) {
  const ::testing::ScopedTrace trace = from(where);
  EXPECT_EQ(lock.answers, 1);
  EXPECT_FALSE(lock.error) << lock.error.message();
  EXPECT_FALSE(lock.hold);
}

/// How the oldest request fails.
enum class failure_kind { cut, cut_when_done, late, throttled, refused };
inline constexpr failure_kind all_failures[] = {failure_kind::cut, failure_kind::cut_when_done, failure_kind::late,
                                                failure_kind::throttled, failure_kind::refused};

inline void fail(scripted_port& port, failure_kind how) {
  using recipes::code;
  switch (how) {
    case failure_kind::cut_when_done: port.lose_answer(); [[fallthrough]];
    case failure_kind::cut: reconnect(port); break;
    case failure_kind::late: port.answer(code::connection_loss); break;
    case failure_kind::throttled: port.answer(code::throttled); break;
    case failure_kind::refused: port.answer(code::no_auth); break;
  }
}

}  // namespace zklock::test_support
