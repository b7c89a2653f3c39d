#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/operations/on_a_port.hpp"

/// Each way of a semaphore's contender, a reader and a writer through the session, with each of its requests failing in turn.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using recipes::contender_kind;
using test_support::all_failures;
using test_support::expect_nothing_left;
using test_support::fail;
using test_support::failure_kind;
using test_support::own_nodes;
using test_support::scripted_port;

struct way {
  const char* name;
  recipes::claim claim;
  std::vector<std::pair<std::string, std::string>> before;     ///< nodes that are there, and their data
  std::function<void(scripted_port&)> when_waiting = nullptr;  ///< lets it in
  std::size_t requests_at_least = 3;
};

const std::string held = "/s/permit-x-3-0000000001";
const std::string writer = "/s/write-x-0000000001";
constexpr recipes::claim two_of_four{contender_kind::permit, 2, 4};

const std::vector<way>& ways() {
  static const std::vector<way> all{
      {"first use", two_of_four, {}, nullptr, 6},
      {"first use of a node that says nothing", two_of_four, {{"/s", ""}}, nullptr, 6},
      {"nobody there", two_of_four, {{"/s", "limit=4\n"}}},
      {"next in line", two_of_four, {{"/s", "limit=4\n"}, {held, ""}}, [](auto& port) { port.others_remove(held); }, 7},
      {"next in line, limit raised",
       two_of_four,
       {{"/s", "limit=4\n"}, {held, ""}},
       [](auto& port) { port.others_set("/s", "limit=5\n"); },
       7},
      {"reader behind a writer that is downgraded",
       {contender_kind::read},
       {{"/s", ""}, {writer, "mode=write\n"}},
       [](auto& port) { port.others_set(writer, "mode=read\n"); },
       5},
      {"writer behind a writer",
       {contender_kind::write},
       {{"/s", ""}, {writer, "mode=write\n"}},
       [](auto& port) { port.others_remove(writer); },
       4},
  };
  return all;
}

/// False: there is no request number `step`.
bool play(const way& plays, std::size_t step, failure_kind how) {
  scripted_port port;
  for (const auto& [path, with] : plays.before) {
    port.others_create(path, with);
  }
  port.connect();
  auto lock = port.acquire_as(plays.claim, "/s");
  bool let_in = plays.when_waiting == nullptr;
  bool failed = false;
  std::size_t answered = 0;
  for (int turn = 0; turn < 200 && (lock->answers == 0 || !port.requests.empty()); ++turn) {
    if (!port.requests.empty()) {
      answered++ == step ? (fail(port, how), failed = true) : (port.answer(), false);
    } else if (!let_in && port.engine.servers().watch_count() >= 2) {
      plays.when_waiting(port);
      let_in = true;
    } else {
      port.advance_to(port.now + 20ms);
    }
  }
  EXPECT_EQ(lock->answers, 1);
  EXPECT_TRUE(lock->hold || how == failure_kind::refused);
  EXPECT_EQ(own_nodes(port), lock->hold ? 1U : 0U);
  if (lock->hold) {
    port.release(lock);
  }
  for (int turn = 0; turn < 20 && port.locks.contender_count() > 0; ++turn) {
    port.answer_all();
    port.advance_to(port.now + 20ms);
  }
  expect_nothing_left(port);
  return failed;
}

TEST(session_recipes, f01_f22_f61_whatever_request_fails_it_is_granted_or_told_and_leaves_nothing) {
  for (const way& plays : ways()) {
    for (const failure_kind how : all_failures) {
      std::size_t step = 0;
      while (play(plays, step, how)) {
        ASSERT_FALSE(HasFailure()) << plays.name << ", step " << step << ", failure " << static_cast<int>(how);
        ++step;
      }
      ASSERT_FALSE(HasFailure()) << plays.name << ", no failure";
      EXPECT_GE(step, plays.requests_at_least) << plays.name;
    }
  }
}

}  // namespace
}  // namespace zklock::detail
