#include "src/api/session_status.hpp"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include <zklock/error.hpp>

namespace zklock::detail {
namespace {

using namespace std::chrono_literals;

TEST(session_status, is_what_was_said_last) {
  session_status status("here:2181", 10s, 800ms);
  EXPECT_EQ(status.state(), session_state::connecting);
  EXPECT_EQ(status.timeout(), 10s);
  EXPECT_EQ(status.margin(), 800ms);
  EXPECT_EQ(status.servers(), "here:2181");
  status.set_state(session_state::suspended);
  status.set_terms(4s, 300ms);
  EXPECT_EQ(status.state(), session_state::suspended);
  EXPECT_EQ(status.timeout(), 4s);
  EXPECT_EQ(status.margin(), 300ms);
}

TEST(session_status, the_thread_to_which_the_last_answer_came_must_not_wait) {
  session_status status("here:2181", 10s, 1s);
  EXPECT_FALSE(status.on_client_thread());
  status.note_client_thread();
  EXPECT_TRUE(status.on_client_thread());
  std::thread([&status] {
    EXPECT_FALSE(status.on_client_thread());
    status.note_client_thread();
  }).join();
  EXPECT_FALSE(status.on_client_thread());
}

TEST(session_status, a_wait_for_the_connection_ends_when_it_is_there) {
  session_status status("here:2181", 10s, 1s);
  auto waited = std::async(std::launch::async, [&status] { return status.wait_connected(1h, {}); });
  status.set_state(session_state::suspended);
  status.set_state(session_state::connected);
  EXPECT_TRUE(waited.get());
}

TEST(session_status, a_wait_for_the_connection_ends_with_its_limit) {
  session_status status("here:2181", 10s, 1s);
  EXPECT_FALSE(status.wait_connected(0ns, {}));
  status.set_state(session_state::expired);
  EXPECT_FALSE(status.wait_connected(1ms, {})) << "there may be another session";
}

TEST(session_status, a_wait_for_the_connection_ends_with_a_state_that_stays) {
  for (const session_state last : {session_state::closed, session_state::authentication_failed}) {
    session_status status("here:2181", 10s, 1s);
    auto waited = std::async(std::launch::async, [&status] { return status.wait_connected(1h, {}); });
    status.set_state(last);
    EXPECT_FALSE(waited.get());
  }
}

TEST(session_status, all_that_wait_for_the_end_are_told_how_it_was) {
  session_status status("here:2181", 10s, 1s);
  auto one = std::async(std::launch::async, [&status] { return status.wait_closed(); });
  auto other = std::async(std::launch::async, [&status] { return status.wait_closed(); });
  status.set_state(session_state::closed);
  status.set_closed(errc::release_unconfirmed);
  EXPECT_EQ(one.get(), errc::release_unconfirmed);
  EXPECT_EQ(other.get(), errc::release_unconfirmed);
  EXPECT_EQ(status.wait_closed(), errc::release_unconfirmed) << "at once";
}

}  // namespace
}  // namespace zklock::detail
