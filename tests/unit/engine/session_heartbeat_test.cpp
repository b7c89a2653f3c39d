#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "tests/unit/operations/asked_transaction.hpp"
#include "tests/unit/operations/on_a_port.hpp"

/// What a session sends to keep its deadline ahead, and when. T = 6 s and a tick of 0.8 s; the margin leaves pairs no room, so
/// a holder sends each 0.5 s.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using test_support::hold_at_once;
using test_support::reconnect;
using test_support::scripted_port;

session_config with_the_usual_margin() {
  session_config made = scripted_port::default_config();
  made.margin = 0ms;
  return made;
}

TEST(session_heartbeat, an_idle_session_that_is_not_told_to_sends_none) {
  scripted_port port;
  port.connect();
  EXPECT_EQ(port.engine.next_timer(), std::nullopt);
  port.advance_to(200s);
  EXPECT_EQ(port.asked(), "nothing");
}

TEST(session_heartbeat, an_idle_session_sends_five_syncs_a_timeout_and_no_write) {
  scripted_port port;
  port.engine.beat_when_idle();
  port.connect();
  for (instant due = 100s + 1200ms; due < 120s; due += 1200ms) {
    port.advance_to(due - 1ns);
    EXPECT_EQ(port.asked(), "nothing") << due.count();
    port.advance_to(due);
    EXPECT_EQ(port.asked(), "sync") << due.count();
    EXPECT_EQ(port.path_of(0), "/");
    port.answer_all();
  }
}

/// A program that tries again and again what an access list, or a quota, forbids: the answers prove nothing.
TEST(session_heartbeat, f174_goes_on_beside_writes_that_are_refused) {
  for (const code why : {code::no_auth, code::quota_exceeded, code::throttled, code::system_error}) {
    for (const std::size_t under_way : {0U, 1U, 3U}) {
      scripted_port port;
      auto lock = hold_at_once(port);
      for (instant now = 100s; now < 120s; now += 100ms) {
        port.advance_to(now);
        (void)test_support::commit(port, {}, {client::request::set{"/forbidden"}});
        while (port.requests.size() > under_way) {
          const auto* const several = std::get_if<client::request::multi>(&port.requests.front().what);
          const bool forbidden =
              several != nullptr && std::holds_alternative<client::request::set>(several->operations.front());
          forbidden ? port.answer(why) : port.answer();
        }
        ASSERT_TRUE(lock->hold->held_at(port.now)) << recipes::name(why) << " " << under_way << " at " << now.count();
      }
    }
  }
}

TEST(session_heartbeat, f174_that_is_refused_itself_is_not_sent_more_often) {
  scripted_port port;
  auto lock = hold_at_once(port);
  int beats = 0;
  for (instant now = 100s; now < 102s; now += 10ms) {
    port.advance_to(now);
    while (!port.requests.empty()) {
      const bool beat = !std::holds_alternative<client::request::get>(port.requests.front().what);
      beats += beat ? 1 : 0;
      port.answer(beat ? code::throttled : code::ok);
    }
  }
  EXPECT_EQ(beats, 3);
}

/// All that it sends before `until`, each answered before the next timer, and the timers in between.
std::string sent_before(scripted_port& port, instant until) {
  std::string sent;
  while (*port.engine.next_timer() < until) {
    port.advance_to(*port.engine.next_timer());
    while (!port.requests.empty()) {
      sent += port.asked() + " ";
      port.answer();
      port.advance_to(port.now);
    }
  }
  return sent;
}
std::size_t times(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++found;
  return found;
}

TEST(session_heartbeat, a_quiet_holder_costs_ten_requests_a_timeout_and_not_three_writes) {
  scripted_port port(with_the_usual_margin());
  auto lock = hold_at_once(port);
  sent_before(port, 119s);  // three timeouts, and what was begun
  const std::string sent = sent_before(port, 119s + 4 * 6s);
  EXPECT_EQ(times(sent, "sync") + times(sent, "check"), 40U) << sent;
  EXPECT_EQ(times(sent, "check"), 10U) << sent;
  EXPECT_TRUE(sent.starts_with("sync sync check sync ") || sent.starts_with("check sync sync sync ")) << sent;
  const instant least_ahead = lock->hold->valid_until() - *port.engine.next_timer();
  EXPECT_GE(least_ahead, 6s - 500ms - 6ms - 2 * 1200ms) << "the last pair but one is heard of";
}

TEST(session_heartbeat, a_holder_that_hears_of_servers_otherwise_sends_twelve_times_a_timeout) {
  scripted_port port(with_the_usual_margin());
  auto lock = hold_at_once(port);
  const std::string first = sent_before(port, 100s + 2 * 6s);
  EXPECT_GE(times(first, "sync") + times(first, "check"), 44U) << first << ": the grant has just been heard of";
  sent_before(port, 124s);
  const std::string quiet = sent_before(port, 130s);
  EXPECT_LE(times(quiet, "sync") + times(quiet, "check"), 10U) << quiet;
  port.acquire("/m");
  port.answer_all();
  const std::string again = sent_before(port, 136s);
  EXPECT_GE(times(again, "sync") + times(again, "check"), 22U) << again;
}

TEST(session_heartbeat, a_write_that_is_refused_is_repeated_soon) {
  for (const code why : {code::throttled, code::no_auth}) {
    scripted_port port;
    auto lock = hold_at_once(port);
    for (port.advance_to(100s + 500ms); port.asked() != "check"; port.advance_to(*port.engine.next_timer())) {
      port.answer_all();
    }
    port.answer(why);
    const instant refused_at = port.now;
    port.answer_all();
    std::string sent;
    while (times(sent, "check") + times(sent, "remove") == 0) {
      port.advance_to(*port.engine.next_timer());
      for (; !port.requests.empty(); port.answer()) sent += port.asked() + " ";
    }
    EXPECT_LE(port.now - refused_at, 500ms) << sent;
  }
}

TEST(session_heartbeat, f101_a_holder_without_pairs_sends_twelve_times_a_timeout_each_third_time_a_write) {
  scripted_port port;
  auto lock = hold_at_once(port);
  std::string sent;
  for (instant due = 100s + 500ms; due < 104s; due += 500ms) {
    port.advance_to(due - 1ns);
    EXPECT_EQ(port.asked(), "nothing") << due.count();
    port.advance_to(due);
    const std::string asked = port.asked();
    sent += asked.substr(0, asked.find(' ')) + " ";
    port.answer_all();
  }
  EXPECT_EQ(sent, "sync sync check sync sync check sync ");
  port.release(lock);
  port.answer_all();
  port.advance_to(200s);
  EXPECT_EQ(port.asked(), "nothing") << "the last contender is gone";
}

TEST(session_heartbeat, f141_a_second_sync_goes_out_behind_the_answer_of_the_first) {
  scripted_port port;
  hold_at_once(port);
  port.advance_to(100s + 500ms);
  port.answer_all();
  port.advance_to(101s);
  EXPECT_EQ(port.asked(), "sync");
  port.answer();
  EXPECT_EQ(port.asked(), "sync") << "it proves that the leader has heard of the one at 100.5 s";
  port.answer();
  EXPECT_EQ(port.asked(), "nothing") << "a third would prove nothing more";
}

TEST(session_heartbeat, f99_waiters_cost_the_session_ten_requests_a_timeout_however_many_they_are) {
  scripted_port port;
  port.others_create("/l/x-lock-0000000001");
  port.others_create("/m/x-lock-0000000001");
  port.connect();
  port.acquire("/l");
  port.acquire("/m");
  port.answer_all();
  std::string sent;
  while (port.now < 106s) {
    port.advance_to(*port.engine.next_timer());
    for (; !port.requests.empty(); port.answer()) {
      sent += port.asked() + " ";
    }
  }
  EXPECT_EQ(sent, "sync check sync sync sync check sync sync sync ")
      << "the second of each two proves the one before the first";
}

TEST(session_heartbeat, a_write_puts_it_off) {
  scripted_port port;
  hold_at_once(port);
  port.advance_to(100s + 400ms);
  port.acquire("/m");
  port.answer_all();
  port.advance_to(100s + 899ms);
  EXPECT_EQ(port.asked().find("sync"), std::string::npos) << port.asked();
  port.answer_all();
  port.advance_to(100s + 900ms);
  EXPECT_TRUE(port.asked().starts_with("sync")) << port.asked();
}

TEST(session_heartbeat, it_goes_on_while_one_is_unanswered_and_without_a_connection) {
  scripted_port port;
  hold_at_once(port);
  port.advance_to(101s);
  EXPECT_EQ(port.asked(), "sync get sync");
  port.disconnect();
  port.advance_to(101s + 500ms);
  EXPECT_EQ(port.asked(), "sync") << "what fails then says when the next connection was begun";
}

TEST(session_heartbeat, f181_between_two_connections_it_is_a_sync_and_a_waiters_write_is_due_behind_them) {
  scripted_port port;
  port.connect();
  port.others_create("/m/x-lock-0000000001");
  port.acquire("/m");
  port.answer_all();
  port.disconnect();
  std::string sent;
  while (port.now < 104s) {
    port.advance_to(*port.engine.next_timer());
    for (; !port.requests.empty(); port.answer(code::connection_loss)) {
      sent += port.asked() + " ";
    }
  }
  EXPECT_EQ(sent, "sync sync sync sync ");
  port.connect();
  port.advance_to(port.now);
  EXPECT_NE(port.asked().find("check"), std::string::npos) << port.asked();
}

TEST(session_heartbeat, f103_after_a_reconnect_a_holder_writes_before_all_else) {
  scripted_port port;
  hold_at_once(port);
  port.advance_to(100s + 100ms);
  port.disconnect();
  port.advance_to(100s + 200ms);
  EXPECT_EQ(port.asked(), "nothing");
  port.connect();
  EXPECT_EQ(port.asked(), "check");
}

TEST(session_heartbeat, where_the_root_may_not_be_read_it_removes_a_node_that_never_is) {
  scripted_port port;
  hold_at_once(port);
  reconnect(port);
  ASSERT_EQ(port.asked(), "check");
  port.answer(code::no_auth);
  reconnect(port);
  ASSERT_EQ(port.asked(), "remove");
  EXPECT_EQ(port.path_of(0), "/zklock-no-node/none");
}

TEST(session_heartbeat, where_the_root_may_not_be_read_a_search_asks_the_quorum_in_another_way) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire("/l");
  port.lose_answer();
  reconnect(port);
  ASSERT_EQ(port.asked(), "check list");
  port.answer(code::no_auth);
  port.answer_all();
  port.advance_to(port.now + 50ms);
  ASSERT_EQ(port.asked(), "remove list");
  port.answer_all();
  EXPECT_TRUE(lock->hold) << "the node that it had made";
  EXPECT_EQ(port.nodes_under("/l").size(), 1U);
}

}  // namespace
}  // namespace zklock::detail
