#include "src/engine/current_session.hpp"

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
  current_session session{world};
};

TEST_F(status_of_a_session, knows_a_new_session_from_one_that_is_connected_again) {
  EXPECT_EQ(session.id(), 0);
  EXPECT_TRUE(session.connected(0x100, 6s));
  EXPECT_TRUE(session.is_connected());
  EXPECT_EQ(session.id(), 0x100);
  EXPECT_EQ(session.granted_timeout(), 6s);
  session.disconnected();
  EXPECT_FALSE(session.is_connected());
  EXPECT_EQ(session.id(), 0x100) << "the session may live";
  EXPECT_FALSE(session.connected(0x100, 4s));
  EXPECT_EQ(session.granted_timeout(), 4s);
  session.over();
  EXPECT_FALSE(session.is_connected());
  EXPECT_EQ(session.id(), 0);
  EXPECT_EQ(session.granted_timeout(), 4s) << "of the last one";
  EXPECT_TRUE(session.connected(0x101, 6s));
}

TEST_F(status_of_a_session, is_told_when_it_changes_and_when_the_session_is_a_new_one) {
  session.enter(session_state::connecting);
  EXPECT_TRUE(take().empty()) << "no change";
  session.enter(session_state::connected, true);
  session.enter(session_state::suspended);
  session.enter(session_state::suspended);
  session.enter(session_state::connected);
  session.enter(session_state::connected, true);
  EXPECT_EQ(take(), (diary{"connected, new session", "suspended", "connected", "connected, new session"}));
}

TEST_F(status_of_a_session, stays_closed) {
  session.enter(session_state::closed);
  session.enter(session_state::connected, true);
  EXPECT_EQ(take(), diary{"closed"});
  EXPECT_EQ(session.state(), session_state::closed);
}

TEST_F(status_of_a_session, is_a_failure_only_when_no_session_comes_back) {
  for (const session_state may_come : {session_state::connecting, session_state::connected, session_state::suspended}) {
    session.enter(may_come);
    EXPECT_FALSE(session.failure());
  }
  const std::pair<session_state, errc> over[] = {{session_state::expired, errc::session_expired},
                                                 {session_state::authentication_failed, errc::authentication_failed},
                                                 {session_state::closed, errc::session_closed}};
  for (const auto& [state, why] : over) {
    session.enter(state);
    ASSERT_TRUE(session.failure());
    EXPECT_EQ(session.failure()->ec, why);
  }
}

}  // namespace
}  // namespace zklock::engine
