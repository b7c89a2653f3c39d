#include <gtest/gtest.h>

#include <algorithm>

#include <zklock/error.hpp>

#include "tests/unit/engine/holder_and_waiter.hpp"

/// Handles that no server takes any more, since its data are older than what the session has seen.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using client::connection_state;
using test_support::asked_lock;
using test_support::scripted_port;
using test_support::states_of;

constexpr std::chrono::milliseconds timeout = 6s;

struct a_waiting_session : testing::Test {
  explicit a_waiting_session(bool adopted = false) : port(scripted_port::default_config(), adopted) {
    port.newcomers = true;
    port.others_create("/m/x-lock-0000000001");
    port.connect();
    waiter = port.acquire("/m");
    port.answer_all();
    port.disconnect();
    lost_at = port.now;
  }

  [[nodiscard]] std::uint64_t newcomer() const { return port.newcomers_opened.back(); }
  /// The newcomer is connected, and its write is answered so.
  void serve_newcomer(code answer = code::ok) {
    port.engine.on_session_event(newcomer(), {connection_state::connected, 0x900, timeout, "h2:2181"}, port.now);
    ASSERT_EQ(port.asked_of(newcomer()), "check");
    client::reply done;
    done.code = answer;
    port.engine.on_reply(newcomer(), port.requests.back().id, done, port.now);
  }
  [[nodiscard]] bool waits_for_an_attempt() const { return attempt() != port.requests.end(); }
  /// So many attempts of the handle fail.
  void fail_attempts(int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(waits_for_an_attempt()) << i;
      const client::request_id id = attempt()->id;
      port.requests.erase(attempt());
      client::reply failed;
      failed.code = code::connection_loss;
      port.engine.on_reply(1, id, failed, port.now);
    }
  }
  [[nodiscard]] std::deque<scripted_port::sent_request>::const_iterator attempt() const {
    return std::find_if(port.requests.begin(), port.requests.end(), [](const scripted_port::sent_request& one) {
      return one.generation == 1 && std::holds_alternative<client::request::exists>(one.what);
    });
  }

  scripted_port port;
  std::shared_ptr<asked_lock> waiter;
  instant lost_at{};
};

struct a_waiting_session_of_an_adopted_handle : a_waiting_session {
  a_waiting_session_of_an_adopted_handle() : a_waiting_session(true) {}
};

constexpr int round_of_three = 3 + 1;  // the first may have been begun before

TEST_F(a_waiting_session, f183_is_followed_by_a_new_one_when_its_handle_alone_is_refused) {
  port.advance_to(lost_at + timeout - 1ms);
  EXPECT_TRUE(port.newcomers_opened.empty());
  port.advance_to(lost_at + timeout);
  ASSERT_EQ(port.newcomers_opened.size(), 1U);
  serve_newcomer();
  EXPECT_EQ(port.closing, (std::vector<std::uint64_t>{newcomer()})) << "at once";
  fail_attempts(round_of_three);
  ASSERT_EQ(port.newcomers_opened.size(), 2U);
  EXPECT_EQ(port.refusals,
            (std::vector<std::string>{
                "h2:2181: refuses this session, since its data are older than what the session has seen"}));
  serve_newcomer();
  fail_attempts(round_of_three);
  EXPECT_EQ(states_of(port), (std::vector{session_state::connected, session_state::suspended, session_state::expired,
                                          session_state::connecting}));
  EXPECT_TRUE(port.warned_of("refuses this session"));
  port.connect(0x200);
  EXPECT_EQ(port.asked(), "create list") << "the waiter queues again";
  EXPECT_EQ(waiter->answers, 0);
}

TEST_F(a_waiting_session, f184_asks_the_server_that_is_known_when_a_later_connection_says_none) {
  port.engine.on_session_event(1, {connection_state::connected, 0x100, timeout, "h3:2181"}, port.now);
  port.disconnect();
  port.engine.on_session_event(1, {connection_state::connected, 0x100, timeout, ""}, port.now);
  port.disconnect();
  port.advance_to(port.now + timeout);
  EXPECT_EQ(port.newcomers_at, (std::vector<std::string>{"h3:2181"}));
}

TEST_F(a_waiting_session_of_an_adopted_handle, f184_does_not_ask_a_server_of_the_handle_before_it) {
  port.connect();
  port.session_event(connection_state::expired);
  port.engine.reopen_with(port, port.now);
  port.engine.on_session_event(2, {connection_state::connected, 0x200, timeout, ""}, port.now);
  port.disconnect();
  port.advance_to(port.now + timeout);
  EXPECT_EQ(port.newcomers_at, (std::vector<std::string>{""}));
}

TEST_F(a_waiting_session, f183_goes_on_when_its_handle_is_taken_behind_a_newcomer) {
  port.advance_to(lost_at + timeout);
  serve_newcomer();
  fail_attempts(2);
  port.connect();
  EXPECT_EQ(states_of(port),
            (std::vector{session_state::connected, session_state::suspended, session_state::connected}));
  EXPECT_EQ(port.opened, (std::vector<std::uint64_t>{1}));
  port.advance_to(lost_at + 2 * timeout);
  EXPECT_EQ(port.newcomers_opened.size(), 1U);
}

TEST_F(a_waiting_session, f183_goes_on_when_its_handle_is_taken_while_a_newcomer_connects) {
  port.advance_to(lost_at + timeout);
  ASSERT_EQ(port.newcomers_opened.size(), 1U);
  port.connect();
  EXPECT_EQ(port.closing, (std::vector<std::uint64_t>{newcomer()}));
  port.engine.on_session_event(newcomer(), {connection_state::connected, 0x900, timeout}, port.now);
  EXPECT_EQ(port.asked_of(newcomer()), "nothing");
}

TEST_F(a_waiting_session, f183_asks_again_when_the_newcomer_is_lost_or_answered_by_no_leader) {
  port.advance_to(lost_at + timeout);
  port.engine.on_session_event(newcomer(), {connection_state::connected, 0x900, timeout}, port.now);
  port.engine.on_session_event(newcomer(), {connection_state::connecting}, port.now);
  EXPECT_EQ(port.closing.size(), 1U);
  port.advance_to(lost_at + timeout + timeout / 12);
  ASSERT_EQ(port.newcomers_opened.size(), 2U);
  serve_newcomer(code::throttled);
  EXPECT_EQ(port.closing.size(), 2U);
  EXPECT_FALSE(waits_for_an_attempt()) << "nothing is counted";
  port.advance_to(lost_at + timeout + timeout / 6);
  EXPECT_EQ(port.newcomers_opened.size(), 3U);
}

TEST_F(a_waiting_session, f183_asks_again_later_when_no_newcomer_is_to_be_had) {
  port.newcomers = false;
  port.advance_to(lost_at + timeout);
  EXPECT_TRUE(port.newcomers_opened.empty());
  port.newcomers = true;
  port.advance_to(lost_at + timeout + timeout / 12);
  EXPECT_EQ(port.newcomers_opened.size(), 1U);
}

TEST_F(a_waiting_session, f183_goes_on_when_its_attempts_find_no_server) {
  port.advance_to(lost_at + timeout);
  serve_newcomer();
  port.closes_attempts = false;
  fail_attempts(20 * round_of_three);
  EXPECT_EQ(port.newcomers_opened.size(), 1U);
  EXPECT_TRUE(waits_for_an_attempt());
}

TEST_F(a_waiting_session, f183_asks_again_when_an_attempt_is_answered_by_neither) {
  port.advance_to(lost_at + timeout);
  serve_newcomer();
  ASSERT_TRUE(waits_for_an_attempt());
  client::reply failed;
  failed.code = code::system_error;  // no socket is to be had
  port.engine.on_reply(1, attempt()->id, failed, port.now);
  port.requests.erase(attempt());
  port.advance_to(lost_at + timeout + timeout / 12);
  EXPECT_EQ(port.newcomers_opened.size(), 2U);
}

TEST_F(a_waiting_session, that_is_closed_closes_its_newcomer_first) {
  port.advance_to(lost_at + timeout);
  port.engine.close(port.now + 5s, port.now);
  EXPECT_EQ(port.closing, (std::vector<std::uint64_t>{newcomer(), 1}));
  port.closed_by_client(1, false);
  EXPECT_TRUE(port.closed_with.empty());
  port.closed_by_client(newcomer(), true);
  EXPECT_EQ(port.closed_with.size(), 1U);
}

TEST_F(a_waiting_session_of_an_adopted_handle, f184_expires_when_its_handle_alone_is_refused) {
  port.advance_to(lost_at + timeout);
  for (int round = 0; round < 2; ++round) {
    serve_newcomer();
    fail_attempts(round_of_three);
  }
  EXPECT_EQ(port.engine.session().state(), session_state::expired);
  EXPECT_EQ(waiter->error, errc::session_expired);
  EXPECT_TRUE(port.warned_of("go on with another handle: readopt()"));
  EXPECT_EQ(port.opened, (std::vector<std::uint64_t>{1}));
}

TEST(an_own_session, that_was_never_connected_asks_no_newcomer) {
  scripted_port port;
  port.newcomers = true;
  port.session_event(connection_state::connecting);
  port.advance_to(port.now + 10 * timeout);
  EXPECT_TRUE(port.newcomers_opened.empty()) << "it has seen nothing that a server could miss";
}

}  // namespace
}  // namespace zklock::detail
