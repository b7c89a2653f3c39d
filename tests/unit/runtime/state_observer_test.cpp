#include "src/runtime/state_observer.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace zklock::detail {
namespace {

constexpr session_change suspended{session_state::suspended, false};
constexpr session_change connected{session_state::connected, true};

TEST(state_observer, tells_the_function_that_was_set_last) {
  state_observer observer;
  observer.tell(suspended);
  std::vector<session_state> first;
  std::vector<session_state> second;
  observer.set([&first](const session_change& change) { first.push_back(change.state); });
  observer.tell(suspended);
  observer.set([&second](const session_change& change) { second.push_back(change.state); });
  observer.tell(connected);
  observer.set({});
  observer.tell(suspended);
  EXPECT_EQ(first, std::vector{session_state::suspended});
  EXPECT_EQ(second, std::vector{session_state::connected});
}

TEST(state_observer, f24_a_function_may_replace_itself) {
  state_observer observer;
  int told = 0;
  observer.set([&](const session_change&) {
    ++told;
    observer.set({});
    ++told;  // what is running is kept until it returns
  });
  observer.tell(suspended);
  observer.tell(connected);
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace zklock::detail
