#include "src/zookeeper/told_session.hpp"

#include <gtest/gtest.h>

namespace zklock::client {
namespace {

using namespace std::chrono_literals;

constexpr session_event connecting{connection_state::connecting};
constexpr session_event connected{connection_state::connected, 7, 10s};

TEST(told_session, changes_alone_are_told) {
  told_session told;
  EXPECT_FALSE(told.change_to(connecting)) << "which it is from the beginning";
  EXPECT_TRUE(told.change_to(connected));
  EXPECT_TRUE(told.connected());
  EXPECT_FALSE(told.change_to(connected));
  EXPECT_TRUE(told.change_to(connecting));
  EXPECT_FALSE(told.connected());
}

TEST(told_session, another_session_or_timeout_is_a_change) {
  told_session told;
  EXPECT_TRUE(told.change_to(connected));
  EXPECT_TRUE(told.change_to({connection_state::connected, 7, 4s}));
  EXPECT_TRUE(told.change_to({connection_state::connected, 8, 4s}));
  EXPECT_TRUE(told.connected());
}

TEST(told_session, nothing_is_told_of_a_dead_handle) {
  for (const connection_state last : {connection_state::expired, connection_state::auth_failed}) {
    told_session told;
    EXPECT_TRUE(told.change_to(connected));
    EXPECT_FALSE(told.over());
    EXPECT_TRUE(told.change_to({last}));
    EXPECT_TRUE(told.over());
    EXPECT_FALSE(told.connected());
    EXPECT_FALSE(told.change_to(connected));
    EXPECT_TRUE(told.over());
  }
}

}  // namespace
}  // namespace zklock::client
