#include "src/engine/heartbeat.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <variant>

namespace zklock::engine {
namespace {

using namespace std::chrono_literals;
using client::code;
using kind = heartbeat::request_kind;

const heartbeat::demand nothing{};
const heartbeat::demand idle{.idle = true};
const heartbeat::demand waiter{.nodes = true};
const heartbeat::demand holder{.holds = true, .nodes = true};

/// T = 6 s, with servers' ticks of 800 ms: a session beats each 1.2 s. Opened at 100 s.
class beats : public testing::Test {
 protected:
  explicit beats(std::chrono::milliseconds margin = 0ms)
      : beat({.timeout = 6s, .tick = 800ms, .margin = margin}, 6s, "/root") {
    beat.deadline().opened(100s, false);
  }
  void connect() { beat.deadline().connected(6s); }
  void send(kind what, instant now) { beat.deadline().sent(++last, what, now); }

  std::uint64_t last = 0;
  heartbeat beat;
};

/// With a margin that leaves pairs no room a holder beats each 500 ms.
struct dense_beats : beats {
  dense_beats() : beats(600ms) {}
};

TEST_F(beats, are_due_while_there_is_something_to_keep_the_session_for) {
  connect();
  EXPECT_EQ(beat.due(nothing, true), std::nullopt);
  EXPECT_EQ(beat.due(idle, true), 101'200ms);
  EXPECT_EQ(beat.due(waiter, true), 101'200ms);
  EXPECT_EQ(beat.due(holder, true), 101'200ms);
}

TEST_F(dense_beats, are_due_more_often_for_a_holder_alone) {
  connect();
  EXPECT_EQ(beat.due(waiter, true), 101'200ms);
  EXPECT_EQ(beat.due(holder, true), 100'500ms);
}

/// What the C client hears makes it wait anew before it leaves a server that has frozen.
TEST_F(beats, of_a_holder_are_due_more_often_while_anything_else_is_heard) {
  connect();
  beat.heard(100s);
  EXPECT_EQ(beat.due(holder, true), 100'500ms);
  EXPECT_EQ(beat.due(waiter, true), 101'200ms);
  send(kind::sync, 117'999ms);
  EXPECT_EQ(beat.due(holder, true), 118'499ms);
  send(kind::sync, 118s);
  EXPECT_EQ(beat.due(holder, true), 119'200ms) << "three timeouts later";
  beat.heard(118'100ms);
  EXPECT_EQ(beat.due(holder, true), 118'500ms);
}

TEST_F(beats, of_a_holder_are_due_more_often_on_a_handle_of_its_program) {
  connect();
  beat.share_handle();
  EXPECT_EQ(beat.due(holder, true), 100'500ms);
}

TEST_F(beats, are_due_an_interval_after_the_last_request_and_often_without_a_connection) {
  connect();
  send(kind::write, 100'300ms);
  EXPECT_EQ(beat.due(holder, true), 101'500ms);
  EXPECT_EQ(beat.due(holder, false), 100'800ms) << "what fails late says that the next connection was begun late";
  for (const bool connected : {true, false}) {
    EXPECT_EQ(beat.due(waiter, connected), 101'500ms);
  }
}

/// At 100 s what came with the session's opening was proven, then idle syncs, each of which proves the one before the last.
TEST_F(beats, of_a_holder_come_early_behind_an_idle_spell) {
  connect();
  send(kind::write, 100s);
  beat.deadline().answered(last, 100s);
  for (const instant now : {101'200ms, 102'400ms, 103'600ms}) {
    send(kind::sync, now);
    beat.deadline().answered(last, now);
  }
  send(kind::write, 104s);  // that of the hold
  beat.deadline().answered(last, 104s);
  ASSERT_EQ(beat.deadline().lag(), 1'600ms);
  EXPECT_EQ(beat.due(holder, true), 104s + 500ms);
  EXPECT_EQ(beat.due(waiter, true), 104s + 1'200ms);
  for (int both = 0; both < 2; ++both) {
    send(kind::sync, 104'500ms);
    beat.deadline().answered(last, 104'500ms);
  }
  ASSERT_EQ(beat.deadline().lag(), 500ms);
  EXPECT_EQ(beat.due(holder, true), 104'500ms + 1'200ms);
}

/// A program that looks at queues all the time: each look begins with a sync.
TEST_F(dense_beats, f175_are_not_put_off_by_syncs_beyond_the_next_write) {
  connect();
  send(kind::write, 100s);
  for (const auto& [of, due] : {std::pair(holder, 101'500ms), std::pair(waiter, 102'400ms)}) {
    for (instant now = 100s + 100ms; now < due; now += 100ms) {
      send(kind::sync, now);
    }
    EXPECT_EQ(beat.due(of, true), due);
    EXPECT_EQ(beat.next_kind(of, true, due), kind::write);
  }
  EXPECT_EQ(beat.due(idle, true), 102'300ms + 1'200ms) << "it needs no write";
}

TEST_F(beats, go_by_the_timeout_that_is_asked_for_before_the_first_connection) {
  EXPECT_EQ(beat.due(waiter, false), 101'200ms);
  EXPECT_EQ(beat.due(holder, false), 101'200ms);
  beat.deadline().connected(3s);
  EXPECT_EQ(beat.due(waiter, true), 100'600ms);
}

TEST_F(beats, of_a_session_that_keeps_nodes_are_writes_now_and_then) {
  connect();
  EXPECT_EQ(beat.next_kind(idle, true, 100s), kind::sync);
  EXPECT_EQ(beat.next_kind(waiter, true, 100s), kind::write) << "the first";
  send(kind::write, 100s);
  for (const auto& of : {waiter, holder}) {
    EXPECT_EQ(beat.next_kind(of, true, 101'499ms), kind::sync);
    EXPECT_EQ(beat.next_kind(of, true, 101'500ms), kind::write) << "each second one";
  }
}

TEST_F(dense_beats, of_a_holder_are_writes_each_third_time) {
  connect();
  send(kind::write, 100s);
  EXPECT_EQ(beat.next_kind(holder, true, 101'249ms), kind::sync);
  EXPECT_EQ(beat.next_kind(holder, true, 101'250ms), kind::write);
}

TEST_F(beats, are_writes_where_a_grant_waits_for_one) {
  const heartbeat::demand grant{.awaited = true};
  connect();
  EXPECT_EQ(beat.next_kind(grant, true, 100s), kind::write);
  send(kind::write, 100s);
  EXPECT_EQ(beat.next_kind(grant, true, 100s), kind::sync) << "one is under way";
}

TEST_F(beats, change_nothing) {
  const auto asked = beat.request(kind::sync);
  EXPECT_TRUE(std::holds_alternative<client::request::sync>(asked));
  const auto written = beat.request(kind::write);
  ASSERT_TRUE(std::holds_alternative<client::request::multi>(written));
  const auto& parts = std::get<client::request::multi>(written).operations;
  ASSERT_EQ(parts.size(), 1U);
  ASSERT_TRUE(std::holds_alternative<client::request::check>(parts[0]));
  EXPECT_EQ(std::get<client::request::check>(parts[0]).path, "/root");
}

TEST_F(beats, check_the_servers_root_where_the_session_has_none) {
  const heartbeat rootless({.timeout = 6s}, 6s, "");
  const auto written = rootless.quorum_write();
  const auto& parts = std::get<client::request::multi>(written).operations;
  EXPECT_EQ(std::get<client::request::check>(parts.at(0)).path, "/");
}

TEST_F(beats, remove_what_is_not_there_where_the_root_may_not_be_read) {
  beat.note_answer(code::connection_loss);
  EXPECT_TRUE(std::holds_alternative<client::request::multi>(beat.quorum_write()));
  beat.note_answer(code::no_auth);
  for (const code later : {code::no_auth, code::ok, code::no_node}) {
    beat.note_answer(later);
    const auto written = beat.quorum_write();
    ASSERT_TRUE(std::holds_alternative<client::request::remove>(written));
    EXPECT_EQ(std::get<client::request::remove>(written).path, "/root/zklock-no-node/none");
  }
}

TEST_F(beats, are_answered_by_the_quorum_or_have_failed) {
  for (const code done : {code::ok, code::no_node, code::bad_version}) {
    EXPECT_EQ(beat.quorum_answer(done), code::ok);
  }
  EXPECT_EQ(beat.quorum_answer(code::connection_loss), code::connection_loss);
  EXPECT_TRUE(std::holds_alternative<client::request::multi>(beat.quorum_write()));
  EXPECT_EQ(beat.quorum_answer(code::no_auth), code::throttled) << "to be asked again";
  EXPECT_TRUE(std::holds_alternative<client::request::remove>(beat.quorum_write())) << "in another way";
}

TEST_F(beats, gain_nothing_by_another_one_that_proves_nothing) {
  connect();
  EXPECT_FALSE(beat.gains_by_another(holder, true)) << "nothing is answered";
}

TEST_F(beats, are_followed_by_another_one_that_proves_more) {
  connect();
  send(kind::write, 100s);
  beat.deadline().answered(last, 100s);
  send(kind::sync, 101s);
  beat.deadline().answered(last, 101s);
  send(kind::sync, 102s);
  beat.deadline().answered(last, 102s);
  ASSERT_GE(beat.deadline().gain_of_another(), beat.deadline().terms().dense_beat() / 2);
  EXPECT_TRUE(beat.gains_by_another(holder, false));
  EXPECT_TRUE(beat.gains_by_another({.awaited = true}, false));
  EXPECT_TRUE(beat.gains_by_another(waiter, true));
  EXPECT_FALSE(beat.gains_by_another(waiter, false)) << "nothing hangs on it, and no beat was answered";
  EXPECT_FALSE(beat.gains_by_another(idle, true));
  send(kind::sync, 102s);
  EXPECT_FALSE(beat.gains_by_another(holder, false)) << "one is under way";
}

/// On a long way each of those under way would have another one behind it, and each of these, for ever.
TEST_F(beats, are_followed_by_one_alone_where_several_are_under_way) {
  connect();
  send(kind::write, 100s);
  beat.deadline().answered(last, 100s);
  send(kind::sync, 101s);
  beat.deadline().answered(last, 101s);
  for (const instant now : {102s + 0ms, 102s + 200ms, 102s + 400ms}) send(kind::sync, now);
  beat.deadline().answered(last - 2, 103s);
  EXPECT_FALSE(beat.gains_by_another(holder, true)) << "two are under way";
  beat.deadline().answered(last - 1, 103s + 200ms);
  EXPECT_TRUE(beat.gains_by_another(holder, true)) << "one is, and was sent before that answer";
}

}  // namespace
}  // namespace zklock::engine
