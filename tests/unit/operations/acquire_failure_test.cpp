#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/operations/curator_on_a_port.hpp"
#include "tests/unit/operations/on_a_port.hpp"

/// Each way of a semaphore's contender, a reader and a writer through the session, with each of its requests failing in turn.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using recipes::contender_kind;
using test_support::all_failures;
using test_support::asked_lock;
using test_support::expect_nothing_left;
using test_support::fail;
using test_support::failure_kind;
using test_support::own_nodes;
using test_support::reconnect;
using test_support::release_all;
using test_support::scripted_port;
namespace curator = test_support::curator;

struct way {
  const char* name;
  recipes::acquire_spec spec;
  std::vector<std::pair<std::string, std::string>> before;     ///< nodes that are there, and their data
  std::function<void(scripted_port&)> when_waiting = nullptr;  ///< lets it in
  std::size_t requests_at_least = 3;
  std::size_t watches_when_waiting = 2;
  std::size_t nodes = 1;  ///< of a holder
};

const std::string held = "/s/permit-x-3-0000000001";
const std::string writer = "/s/write-x-0000000001";
constexpr recipes::acquire_spec two_of_four{contender_kind::permit, 2, 4};

const std::vector<way>& native_ways() {
  static const std::vector<way> all{
      {"first use", two_of_four, {}, nullptr, 6},
      {"first use of a node that says nothing", two_of_four, {{"/s", ""}}, nullptr, 6},
      {"no other client", two_of_four, {{"/s", "limit=4\n"}}},
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

const std::vector<way>& curator_ways() {
  static const std::string their_writer = "/s/" + curator::others_prefix(1) + "__WRIT__0000000001";
  static const std::vector<way> all{
      {"first use", curator::two_of_three, {}, nullptr, 12, 2, 2},
      {"no other client", curator::two_of_three, {{"/s", ""}, {"/s/locks", ""}, {"/s/leases", ""}}, nullptr, 10, 2, 2},
      {"behind a mutex",
       curator::two_of_three,
       {{"/s", ""}, {"/s/locks", ""}, {"/s/leases", ""}, {curator::mutex_of_others, ""}},
       [](auto& port) { port.others_remove(curator::mutex_of_others); },
       12,
       2,
       2},
      {"behind leases",
       curator::two_of_three,
       {{"/s", ""}, {"/s/locks", ""}, {"/s/leases", ""}, {curator::held_lease(1), ""}, {curator::held_lease(2), ""}},
       [](auto& port) { port.others_remove(curator::held_lease(1)); },
       11,
       1,
       2},
      {"reader behind a writer",
       curator::reading,
       {{"/s", ""}, {their_writer, ""}},
       [](auto& port) { port.others_remove(their_writer); },
       5},
      {"writer behind a writer",
       curator::writing,
       {{"/s", ""}, {their_writer, ""}},
       [](auto& port) { port.others_remove(their_writer); },
       5},
  };
  return all;
}

/// Gives back what is held, whatever fails once more.
void expect_released(scripted_port& port, const asked_lock& lock, std::size_t nodes) {
  port.advance_to(port.now + 200ms);
  port.answer_all();
  EXPECT_EQ(own_nodes(port), nodes) << "F01, F29";
  EXPECT_TRUE(port.nodes_under("/s/locks").empty());
  EXPECT_EQ(lock.hold->why_lost(), loss_reason::none);
  const auto released = release_all(port, lock);
  port.lose_answer();
  reconnect(port);
  port.answer_all();
  for (const auto& one : released) {
    EXPECT_EQ(one->answers, 1);
    EXPECT_FALSE(one->error);
  }
}

/// False: there is no request number `step`.
bool play(const way& plays, std::size_t step, failure_kind how) {
  scripted_port port;
  for (const auto& [path, with] : plays.before) {
    port.others_create(path, with);
  }
  port.connect();
  auto lock = port.acquire_as(plays.spec, "/s");
  bool let_in = plays.when_waiting == nullptr;
  bool failed = false;
  std::size_t answered = 0;
  for (int turn = 0; turn < 200 && (lock->answers == 0 || !port.requests.empty()); ++turn) {
    if (!port.requests.empty()) {
      answered++ == step ? (fail(port, how), failed = true) : (port.answer(), false);
    } else if (!let_in && port.engine.servers().watch_count() >= plays.watches_when_waiting) {
      plays.when_waiting(port);
      let_in = true;
    } else {
      port.advance_to(port.now + 20ms);
    }
  }
  EXPECT_EQ(lock->answers, 1);
  EXPECT_TRUE(lock->hold || how == failure_kind::refused);
  if (plays.nodes == 1) {
    EXPECT_EQ(own_nodes(port), lock->hold ? 1U : 0U);
  }
  EXPECT_LE(port.nodes_under("/s/leases").size(), 3U) << "one was made after the others were counted";
  if (lock->hold && how != failure_kind::refused) {
    expect_released(port, *lock, plays.nodes);
  } else if (lock->hold) {
    release_all(port, *lock);
  }
  for (int turn = 0; turn < 20 && port.locks.contender_count() > 0; ++turn) {
    port.answer_all();
    port.advance_to(port.now + 20ms);
  }
  if (how == failure_kind::refused && plays.nodes > 1) {
    EXPECT_LE(own_nodes(port), 1U) << "the mutex, whose removal the server forbids";
    EXPECT_EQ(port.locks.contender_count(), 0U);
    EXPECT_EQ(port.engine.servers().watch_count(), 0U);
  } else {
    expect_nothing_left(port);
  }
  return failed;
}

class session_recipes : public ::testing::TestWithParam<recipes::layout> {};

INSTANTIATE_TEST_SUITE_P(in, session_recipes, ::testing::Values(recipes::layout::native, recipes::layout::curator),
                         [](const auto& layout) {
                           return std::string(layout.param == recipes::layout::native ? "native" : "curator");
                         });

TEST_P(session_recipes, f01_f02_f22_f29_f61_whatever_fails_it_is_held_whole_or_told_and_leaves_nothing) {
  for (const way& plays : GetParam() == recipes::layout::native ? native_ways() : curator_ways()) {
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
