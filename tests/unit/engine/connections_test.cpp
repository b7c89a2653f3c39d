#include "src/engine/connections.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>

#include "tests/unit/engine/recorded_world.hpp"

namespace zklock::engine {
namespace {

using namespace std::chrono_literals;
using test_support::diary;

struct connections_of_a_session : testing::Test {
  void open() { all.open({}); }
  diary take() { return std::exchange(seen, {}); }

  diary seen;
  test_support::recorded_servers servers{seen};
  test_support::recorded_world world{seen};
  connections all{servers, world};
};

TEST_F(connections_of_a_session, have_generations_of_which_one_is_current) {
  EXPECT_EQ(all.current(), nullptr);
  EXPECT_FALSE(all.is_current(0)) << "there is none";
  open();
  EXPECT_NE(all.current(), nullptr);
  EXPECT_TRUE(all.is_current(1) && all.is_latest(1));
  all.retire({});
  EXPECT_EQ(all.current(), nullptr);
  EXPECT_FALSE(all.is_current(1));
  EXPECT_TRUE(all.is_latest(1));
  open();
  EXPECT_TRUE(all.is_current(2));
  EXPECT_FALSE(all.is_latest(1));
}

TEST_F(connections_of_a_session, are_closed_at_once_and_disposed_of_when_they_say_so) {
  open();
  all.retire({});
  EXPECT_EQ(take(), (diary{"open", "close"}));
  EXPECT_EQ(all.closing(), 1U);
  EXPECT_TRUE(all.closed(1));
  EXPECT_EQ(take(), diary{"dispose 1"});
  EXPECT_EQ(all.closing(), 0U);
  EXPECT_FALSE(all.closed(1)) << "no more";
  EXPECT_TRUE(take().empty());
}

TEST_F(connections_of_a_session, linger_until_their_instant_the_earliest_first) {
  open();
  all.retire(20s);
  open();
  all.retire(10s);
  EXPECT_EQ(take(), (diary{"open", "open"}));
  EXPECT_EQ(all.next_close(), 10s);
  all.close_due(10s - 1ns);
  EXPECT_TRUE(take().empty());
  all.close_due(10s);
  EXPECT_EQ(take(), diary{"close"});
  EXPECT_EQ(all.next_close(), 20s);
  all.close_due(instant::max());
  EXPECT_EQ(take(), diary{"close"});
  EXPECT_EQ(all.next_close(), std::nullopt);
  EXPECT_EQ(all.closing(), 2U) << "none of them has said that it is closed";
}

TEST_F(connections_of_a_session, that_cannot_be_opened_are_none_and_leave_nothing) {
  servers.resolvable = false;
  EXPECT_THROW(open(), std::runtime_error);
  EXPECT_EQ(take(), diary{"dispose 1 of nothing"});
  EXPECT_EQ(all.current(), nullptr);
  servers.resolvable = true;
  open();
  EXPECT_TRUE(all.is_current(2));
}

TEST_F(connections_of_a_session, come_from_other_servers_from_the_next_one_on) {
  diary of_others;
  test_support::recorded_servers others{of_others};
  open();
  all.use(others);
  EXPECT_EQ(&all.servers(), &others);
  EXPECT_TRUE(of_others.empty());
  all.retire({});
  open();
  EXPECT_EQ(of_others, diary{"open"});
}

TEST_F(connections_of_a_session, have_a_newcomer_beside_the_current_one) {
  open();
  EXPECT_TRUE(all.open_newcomer({}, "h:1"));
  EXPECT_TRUE(all.is_newcomer(2) && all.is_current(1) && all.is_latest(1));
  EXPECT_FALSE(all.is_newcomer(1));
  all.retire_newcomer();
  all.retire_newcomer();
  EXPECT_EQ(take(), (diary{"open", "open", "close"}));
  EXPECT_EQ(all.newcomer(), nullptr);
  EXPECT_TRUE(all.closed(2));
  EXPECT_EQ(take(), diary{"dispose 2"});
  EXPECT_NE(all.current(), nullptr);
  servers.resolvable = false;
  EXPECT_FALSE(all.open_newcomer({}, "h:1"));
  EXPECT_EQ(take(), diary{"dispose 3 of nothing"});
}

}  // namespace
}  // namespace zklock::engine
