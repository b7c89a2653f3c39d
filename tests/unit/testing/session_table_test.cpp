#include "src/testing/session_table.hpp"

#include <gtest/gtest.h>

#include "src/testing/deposition.hpp"
#include "src/testing/leader_ping.hpp"

namespace zklock::testing {
namespace {

using namespace std::chrono_literals;
using client::code;

TEST(session_table, gives_each_session_another_id) {
  session_table sessions(500ms, 0ms);
  const std::int64_t first = sessions.create(6s, 1, 7, 0s);
  const std::int64_t second = sessions.create(6s, 2, 7, 0s);
  EXPECT_NE(first, second);
  EXPECT_EQ(sessions.find(first)->owner, 1);
  EXPECT_EQ(sessions.find(second)->owner, 2);
  EXPECT_EQ(sessions.find(second)->client, 7);
}

TEST(session_table, ends_a_session_at_the_tick_after_its_timeout) {
  session_table sessions(500ms, 0ms);
  const std::int64_t id = sessions.create(6s, 0, 0, 100ms);
  EXPECT_EQ(sessions.find(id)->deadline, 6500ms);
  sessions.touch(id, 6s, 1s);
  EXPECT_EQ(sessions.find(id)->deadline, 7500ms);
}

TEST(session_table, looks_a_phase_before_each_tick) {
  session_table sessions(500ms, 100ms);
  const std::int64_t id = sessions.create(6s, 0, 0, 350ms);
  EXPECT_EQ(sessions.find(id)->deadline, 6400ms);
  sessions.touch(id, 6s, 400ms);
  EXPECT_EQ(sessions.find(id)->deadline, 6900ms);
}

TEST(session_table, moves_a_deadline_earlier_when_the_timeout_is_smaller) {
  session_table sessions(500ms, 0ms);
  const std::int64_t id = sessions.create(6s, 0, 0, 0s);
  sessions.touch(id, 2s, 1s);
  EXPECT_EQ(sessions.find(id)->deadline, 3500ms);
  sessions.start_clocks_afresh(1s);
  EXPECT_EQ(sessions.find(id)->deadline, 7500ms);
}

TEST(session_table, forgets_a_session_once) {
  session_table sessions(500ms, 0ms);
  const std::int64_t id = sessions.create(6s, 0, 0, 0s);
  EXPECT_TRUE(sessions.contains(id));
  EXPECT_TRUE(sessions.erase(id));
  EXPECT_FALSE(sessions.erase(id));
  EXPECT_FALSE(sessions.contains(id));
  EXPECT_EQ(sessions.find(id), nullptr);
  sessions.touch(id, 6s, 1s);
  EXPECT_TRUE(sessions.all().empty());
}

TEST(session_table, remembers_which_sessions_are_replaced) {
  session_table sessions(500ms, 0ms);
  const std::int64_t id = sessions.create(6s, 0, 0, 0s);
  EXPECT_FALSE(sessions.is_replaced(id));
  sessions.replace(id);
  sessions.erase(id);
  EXPECT_TRUE(sessions.is_replaced(id));
}

TEST(deposition, goes_by_the_sessions_that_stood_when_the_followers_left) {
  session_table sessions(500ms, 0ms);
  const std::int64_t here = sessions.create(6s, 0, 0, 0s);
  const std::int64_t elsewhere = sessions.create(6s, 1, 0, 0s);
  const deposition old(sessions, 2s);
  sessions.erase(here);
  EXPECT_EQ(old.steps_down_at(), 2s);
  EXPECT_EQ(old.check(here, 0), code::ok);
  EXPECT_EQ(old.check(elsewhere, 0), code::session_moved);
  EXPECT_EQ(old.check(elsewhere + 1, 0), code::session_expired);
}

TEST(deposition, takes_a_session_over_that_connects_again) {
  session_table sessions(500ms, 0ms);
  const std::int64_t id = sessions.create(6s, 1, 0, 0s);
  deposition old(sessions, 2s);
  EXPECT_EQ(old.revalidate(id, 0), code::ok);
  EXPECT_EQ(old.check(id, 0), code::ok);
  EXPECT_EQ(old.revalidate(id + 1, 0), code::session_expired);
  old.postpone(5s);
  EXPECT_EQ(old.steps_down_at(), 5s);
}

TEST(leader_ping, is_due_each_half_tick_and_delayed_once) {
  leader_ping ping(500ms);
  EXPECT_EQ(ping.next_at(), 250ms);
  ping.delay(20ms);
  ping.delay(20ms);
  EXPECT_TRUE(ping.is_late());
  EXPECT_EQ(ping.next_at(), 270ms);
  ping.schedule(270ms);
  EXPECT_FALSE(ping.is_late());
  EXPECT_EQ(ping.next_at(), 520ms);
}

}  // namespace
}  // namespace zklock::testing
