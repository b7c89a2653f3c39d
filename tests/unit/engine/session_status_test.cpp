#include "src/engine/session_status.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include <zklock/error.hpp>

#include "tests/unit/engine/recorded_world.hpp"

namespace zklock::engine {
namespace {

using namespace std::chrono_literals;
using test_support::diary;

struct status_of_a_session : testing::Test {
  diary take() { return std::exchange(seen, {}); }

  diary seen;
  test_support::recorded_world world{seen};
  session_status status{world};
};

TEST_F(status_of_a_session, knows_a_new_session_from_one_that_is_connected_again) {
  EXPECT_EQ(status.id(), 0);
  EXPECT_TRUE(status.connected(0x100, 6s));
  EXPECT_TRUE(status.is_connected());
  EXPECT_EQ(status.id(), 0x100);
  EXPECT_EQ(status.granted_timeout(), 6s);
  status.disconnected();
  EXPECT_FALSE(status.is_connected());
  EXPECT_EQ(status.id(), 0x100) << "the session may live";
  EXPECT_FALSE(status.connected(0x100, 4s));
  EXPECT_EQ(status.granted_timeout(), 4s);
  status.over();
  EXPECT_FALSE(status.is_connected());
  EXPECT_EQ(status.id(), 0);
  EXPECT_EQ(status.granted_timeout(), 4s) << "of the last one";
  EXPECT_TRUE(status.connected(0x101, 6s));
}

TEST_F(status_of_a_session, is_told_when_it_changes_and_when_the_session_is_a_new_one) {
  status.enter(standing::connecting);
  EXPECT_TRUE(take().empty()) << "no change";
  status.enter(standing::connected, true);
  status.enter(standing::suspended);
  status.enter(standing::suspended);
  status.enter(standing::connected);
  status.enter(standing::connected, true);
  EXPECT_EQ(take(), (diary{"connected, new session", "suspended", "connected", "connected, new session"}));
}

TEST_F(status_of_a_session, stays_closed) {
  status.enter(standing::closed);
  status.enter(standing::connected, true);
  EXPECT_EQ(take(), diary{"closed"});
  EXPECT_EQ(status.state(), standing::closed);
}

TEST_F(status_of_a_session, is_a_failure_only_when_no_session_comes_back) {
  for (const standing may_come : {standing::connecting, standing::connected, standing::suspended}) {
    status.enter(may_come);
    EXPECT_FALSE(status.failure());
  }
  const std::pair<standing, errc> over[] = {{standing::expired, errc::session_expired},
                                            {standing::auth_failed, errc::authentication_failed},
                                            {standing::closed, errc::session_closed}};
  for (const auto& [state, why] : over) {
    status.enter(state);
    ASSERT_TRUE(status.failure());
    EXPECT_EQ(status.failure()->ec, why);
  }
}

}  // namespace
}  // namespace zklock::engine
