#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/support/scripted_port.hpp"

/// Each way of a semaphore's contender, a reader and a writer through the session, with each of its requests failing in turn.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using recipes::contender_kind;
using test_support::scripted_port;

enum class failure_kind { cut, cut_when_done, late, throttled, refused };
constexpr failure_kind all_failures[] = {failure_kind::cut, failure_kind::cut_when_done, failure_kind::late,
                                         failure_kind::throttled, failure_kind::refused};

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

std::size_t own_nodes(const scripted_port& port) {
  return static_cast<std::size_t>(std::count_if(port.nodes.begin(), port.nodes.end(), [](const std::string& node) {
    return node.find("-0000000000000abc") != std::string::npos;
  }));
}

void fail(scripted_port& port, failure_kind how) {
  switch (how) {
    case failure_kind::cut_when_done: port.lose_answer(); [[fallthrough]];
    case failure_kind::cut:
      port.disconnect();
      port.connect();
      break;
    case failure_kind::late: port.answer(code::connection_loss); break;
    case failure_kind::throttled: port.answer(code::throttled); break;
    case failure_kind::refused: port.answer(code::no_auth); break;
  }
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
    } else if (!let_in && port.core.watch_count() >= 2) {
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
  for (int turn = 0; turn < 20 && port.core.contender_count() > 0; ++turn) {
    port.answer_all();
    port.advance_to(port.now + 20ms);
  }
  EXPECT_EQ(own_nodes(port), 0U);
  EXPECT_EQ(port.core.contender_count(), 0U);
  EXPECT_EQ(port.core.watch_count(), 0U);
  EXPECT_TRUE(port.watches.empty());
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
