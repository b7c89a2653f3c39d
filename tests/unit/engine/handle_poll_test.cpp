#include "src/engine/handle_poll.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <utility>

#include "src/engine/connections.hpp"
#include "tests/unit/engine/recorded_world.hpp"

namespace zklock::engine {
namespace {

using namespace std::chrono_literals;
using test_support::diary;

/// T = 6 s: a twelfth of it is 0.5 s.
struct polls_of_a_handle : testing::Test {
  polls_of_a_handle() {
    world_connections.open({});
    handle = world_connections.current();
    seen.clear();
  }
  bool polls(instant now, bool connected) {
    seen.clear();
    poll.poll_if_due(handle, connected, 6s, now);
    return seen == diary{"poll"};
  }

  diary seen;
  test_support::recorded_servers servers{seen};
  test_support::recorded_world world{seen};
  connections world_connections{servers, world};
  client::connection* handle = nullptr;
  handle_poll poll;
};

TEST_F(polls_of_a_handle, are_none_of_one_of_our_own) {
  EXPECT_EQ(poll.due(), std::nullopt);
  EXPECT_FALSE(polls(100s, true));
}

TEST_F(polls_of_a_handle, come_at_once_and_then_each_twelfth_of_the_timeout) {
  poll.begin(100s);
  EXPECT_EQ(poll.due(), 100s);
  EXPECT_FALSE(polls(100s - 1ns, true));
  EXPECT_TRUE(polls(100s, true));
  EXPECT_EQ(poll.due(), 100'500ms);
}

TEST_F(polls_of_a_handle, come_more_often_while_it_is_not_connected) {
  poll.begin(100s);
  EXPECT_TRUE(polls(100s, false));
  EXPECT_EQ(poll.due(), 100'100ms);
  poll.disconnected(105s);
  EXPECT_EQ(poll.due(), 105'100ms);
}

TEST_F(polls_of_a_handle, end_with_it) {
  poll.begin(100s);
  poll.end();
  EXPECT_FALSE(polls(200s, true));
  poll.begin(300s);
  poll.poll_if_due(nullptr, true, 6s, 300s);
  EXPECT_EQ(poll.due(), std::nullopt) << "there is no handle";
}

}  // namespace
}  // namespace zklock::engine
