#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include "tests/unit/operations/on_a_port.hpp"

/// The local deadline: what moves it. T = 6 s, a tick of 0.8 s, a margin of 2.994 s throughout: a
/// holder sends each 0.5 s; what is proven of an instant allows 3 s from it; a relay delay is 0.44 s.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using test_support::answer;
using test_support::beat_twice;
using test_support::hold_at_once;
using test_support::reconnect;
using test_support::scripted_port;

session_config with(std::chrono::milliseconds margin, std::chrono::milliseconds tick = 800ms) {
  session_config config = scripted_port::default_config();
  config.margin = margin;
  config.tick = tick;
  return config;
}

// ---- answers

TEST(session_deadline, in_a_new_session_it_counts_from_the_opening_of_the_handle) {
  scripted_port port;
  port.now = 101s;
  auto lock = hold_at_once(port);
  EXPECT_EQ(lock->hold->valid_until(), instant(103s));
}

TEST(session_deadline, f142_syncs_alone_do_not_move_it_beyond_the_last_write) {
  scripted_port port;
  auto lock = hold_at_once(port);
  beat_twice(port);
  EXPECT_EQ(lock->hold->valid_until(), instant(103s)) << "the leader may have been deposed behind the create";
  port.advance_to(101s + 500ms);
  port.answer();
  EXPECT_EQ(lock->hold->valid_until(), instant(103s + 500ms)) << "the write's answer lets what was heard count";
  port.answer_all();
  EXPECT_EQ(lock->hold->valid_until(), instant(104s));
}

TEST(session_deadline, f101_a_read_moves_nothing) {
  scripted_port port;
  auto lock = hold_at_once(port);
  beat_twice(port);
  port.advance_to(101s + 500ms);
  ASSERT_EQ(port.asked(), "check");
  port.acquire("/m", {}, true);
  port.answer(code::connection_loss);
  port.answer(code::connection_loss);
  port.answer();
  EXPECT_EQ(lock->hold->valid_until(), instant(103s));
}

TEST(session_deadline, f103_a_connected_and_an_event_move_nothing) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.advance_to(101s);
  reconnect(port);
  port.others_set("/l/anything");
  EXPECT_EQ(lock->hold->valid_until(), instant(103s));
  ASSERT_EQ(port.asked(), "check");
  port.answer();
  EXPECT_EQ(lock->hold->valid_until(), instant(104s)) << "the beat at 101 s had failed before the reconnect";
}

TEST(session_deadline, f101_f154_an_answer_that_was_not_the_leaders_moves_nothing) {
  for (const code with :
       {code::connection_loss, code::operation_timeout, code::session_moved, code::throttled, code::not_read_only,
        code::unimplemented, code::marshalling_error, code::no_auth, code::invalid_acl}) {
    scripted_port port;
    auto lock = hold_at_once(port);
    beat_twice(port);
    port.advance_to(101s + 500ms);
    ASSERT_EQ(port.asked(), "check");
    port.answer(with);
    EXPECT_EQ(lock->hold->valid_until(), instant(103s)) << recipes::name(with);
  }
}

TEST(session_deadline, a_refusal_by_the_leader_moves_it_as_well) {
  scripted_port port;
  auto lock = hold_at_once(port);
  beat_twice(port);
  port.advance_to(101s + 500ms);
  port.answer(code::no_node);
  EXPECT_EQ(lock->hold->valid_until(), instant(103s + 500ms));
}

// ---- what the servers grant

TEST(session_deadline, f140_a_lowered_timeout_moves_it_back) {
  scripted_port port(with(500ms));
  port.connect(0x100, 6s);
  auto lock = port.acquire("/l");
  port.answer_all();
  EXPECT_EQ(lock->hold->valid_until(), instant(105s + 494ms));
  port.disconnect();
  port.connect(0x100, 3s);
  EXPECT_EQ(lock->hold->valid_until(), instant(102s + 497ms)) << "100 s is when the last answered request was sent";
  port.advance_to(102s + 497ms);
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::deadline_passed);
}

TEST(session_deadline, f140_a_raised_timeout_does_not_move_it) {
  scripted_port port(with(500ms));
  port.connect(0x100, 3s);
  auto lock = port.acquire("/l");
  port.answer_all();
  port.disconnect();
  port.connect(0x100, 6s);
  port.answer_all();
  EXPECT_EQ(lock->hold->valid_until(), instant(102s + 497ms));
}

TEST(session_deadline, of_another_timeout_than_the_one_asked_for_there_is_one_warning) {
  scripted_port port;
  port.connect(0x100, 12s);
  EXPECT_TRUE(port.warned_of("12000 ms instead of 6000 ms"));
  const std::size_t lines = port.lines.size();
  port.disconnect();
  port.connect(0x100, 12s);
  EXPECT_EQ(port.lines.size(), lines);
}

TEST(session_deadline, f143_a_margin_too_great_for_a_lowered_timeout_is_reduced_with_a_warning) {
  scripted_port port(with(4000ms));
  port.connect(0x100, 3s);
  EXPECT_TRUE(
      port.warned_of("a session timeout of 3000 ms and a tick of 800 ms leave a margin of 1807 ms at the most, "
                     "not 4000 ms"));
  auto lock = port.acquire("/l");
  port.answer_all();
  EXPECT_EQ(lock->hold->valid_until(), instant(101s + 190ms)) << "100 s + 2.997 s - 1.807 s";
}

TEST(session_deadline, f143_without_a_word_on_the_tick_a_raised_timeout_doubles_what_is_assumed) {
  scripted_port granted(with(0ms, 0ms));
  granted.connect(0x100, 6s);
  EXPECT_EQ(granted.engine.deadline().local().terms().tick, 3s);
  EXPECT_EQ(granted.engine.deadline().local().terms().margin, 500ms);
  scripted_port raised(with(0ms, 0ms));
  raised.connect(0x100, 12s);
  EXPECT_EQ(raised.engine.deadline().local().terms().tick, 6s);
  EXPECT_EQ(raised.engine.deadline().local().terms().margin, 1s);
}

}  // namespace
}  // namespace zklock::detail
