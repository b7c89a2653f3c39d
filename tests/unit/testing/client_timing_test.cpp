// When a handle sends, waits and tries again, and what it knows of its session.
#include <gtest/gtest.h>

#include "src/testing/client_clock.hpp"
#include "src/testing/client_session.hpp"
#include "src/testing/server_choice.hpp"

namespace zklock::testing {
namespace {

using namespace std::chrono_literals;

TEST(server_choice, begins_with_the_first_at_once) {
  const server_choice choice(1, false, 5s);
  EXPECT_EQ(choice.next(), 1);
  EXPECT_EQ(choice.retry_at(), 5s);
}

TEST(server_choice, goes_round_and_pauses_after_a_round_without_success) {
  server_choice choice(2, false, 0s);
  choice.failed(3, 6s, 1s);
  EXPECT_EQ(choice.next(), 0);
  EXPECT_EQ(choice.retry_at(), 1s);
  choice.failed(3, 6s, 2s);
  EXPECT_EQ(choice.next(), 1);
  EXPECT_EQ(choice.retry_at(), 2s);
  choice.failed(3, 6s, 3s);
  EXPECT_EQ(choice.next(), 2);
  EXPECT_EQ(choice.retry_at(), 3100ms);
}

TEST(server_choice, begins_a_new_round_when_a_connection_is_lost) {
  server_choice choice(0, false, 0s);
  choice.failed(2, 6s, 1s);
  choice.lost(2, 6s, 2s);
  EXPECT_EQ(choice.retry_at(), 2s);
  choice.failed(2, 6s, 3s);
  EXPECT_EQ(choice.retry_at(), 3s);
  choice.connected();
  choice.failed(2, 6s, 4s);
  EXPECT_EQ(choice.retry_at(), 4s);
}

TEST(server_choice, of_one_server_stays_and_pauses_after_each_failure) {
  server_choice choice(1, true, 0s);
  choice.failed(3, 6s, 1s);
  EXPECT_EQ(choice.next(), 1);
  EXPECT_EQ(choice.retry_at(), 1100ms);
}

TEST(client_clock, pings_after_a_third_and_gives_up_after_two_thirds_of_the_timeout) {
  client_clock clock;
  clock.sent(1s);
  clock.heard(2s);
  EXPECT_EQ(clock.ping_at(6s), 3s);
  EXPECT_EQ(clock.timeout_at(6s), 6s);
}

TEST(client_clock, gives_close_one_and_a_half_seconds) {
  client_clock clock;
  clock.close_begun(2s);
  EXPECT_EQ(clock.close_by(), 3500ms);
}

TEST(client_session, asks_again_for_what_was_granted_last) {
  client_session session(6s);
  EXPECT_EQ(session.id(), 0);
  EXPECT_EQ(session.timeout(), 6s);
  session.granted(7, 4s);
  EXPECT_EQ(session.id(), 7);
  EXPECT_EQ(session.timeout(), 4s);
}

TEST(client_session, remembers_the_greatest_zxid) {
  client_session session(6s);
  session.see(5);
  session.see(3);
  EXPECT_EQ(session.seen(), 5);
}

TEST(client_session, is_lowered_until_the_client_hears_of_it) {
  client_session session(6s);
  session.granted(7, 6s);
  session.applied(8s);
  EXPECT_FALSE(session.lowered_untold());
  session.applied(3s);
  EXPECT_TRUE(session.lowered_untold());
  session.granted(7, 3s);
  EXPECT_FALSE(session.lowered_untold());
}

TEST(client_session, starts_afresh_with_another_id) {
  client_session session(6s);
  session.granted(7, 6s);
  session.applied(3s);
  session.granted(8, 5s);
  EXPECT_FALSE(session.lowered_untold());
}

}  // namespace
}  // namespace zklock::testing
