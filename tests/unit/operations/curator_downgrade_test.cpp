#include <gtest/gtest.h>

#include <algorithm>

#include <zklock/error.hpp>

#include "tests/unit/operations/asked_transaction.hpp"
#include "tests/unit/operations/curator_on_a_port.hpp"

/// A read/write lock in Curator's layout, whose writer goes on reading as another node with its number.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using namespace test_support::curator;  // NOLINT: the words of these tests
using client::code;
using test_support::asked_lock;
using test_support::scripted_port;
namespace request = client::request;

const std::string writer = "/l/" + owner(1) + "__WRIT__0000000005";
const std::string reader = "/l/" + owner(1) + "__READ__0000000005";

std::shared_ptr<asked_lock> hold_writing(scripted_port& port) {
  auto lock = hold_at_once(port, "/l", writing);
  EXPECT_EQ(lock->hold->node(), writer);
  return lock;
}

std::shared_ptr<asked_lock> hold_and_downgrade(scripted_port& port) {
  auto lock = hold_writing(port);
  port.locks.downgrade(lock->hold, port.now);
  return lock;
}

TEST(session_curator_downgrade, f52_one_transaction_puts_the_reader_in_the_writers_place) {
  scripted_port port;
  auto lock = hold_writing(port);
  const auto token = lock->hold->token();
  port.locks.downgrade(lock->hold, port.now);
  ASSERT_EQ(port.asked(), "multi");
  const auto& operations = port.request<request::multi>(0).operations;
  ASSERT_EQ(operations.size(), 2U);
  const auto& made = std::get<request::create>(operations[0]);
  EXPECT_EQ(made.path, reader);
  EXPECT_EQ(made.mode, client::create_mode::ephemeral);
  EXPECT_EQ(made.data, "127.0.0.1");
  EXPECT_EQ(std::get<request::remove>(operations[1]).path, writer);
  EXPECT_EQ(std::get<request::remove>(operations[1]).version, -1);
  port.locks.downgrade(lock->hold, port.now);
  EXPECT_EQ(port.asked(), "multi") << "once";
  port.answer_all();
  EXPECT_EQ(port.nodes_under("/l"), std::vector<std::string>{reader.substr(3)});
  EXPECT_TRUE(lock->hold->held_at(port.now));
  EXPECT_EQ(lock->hold->node(), reader);
  EXPECT_EQ(lock->hold->token(), token) << "F105: the reader's own is greater than the next writer's";
  auto released = port.release(lock);
  port.answer_all();
  EXPECT_FALSE(released->error);
  expect_nothing_left(port);
}

TEST(session_curator_downgrade, f52_a_writer_behind_it_stays_behind_the_reader_and_readers_pass) {
  scripted_port port;
  auto first = hold_writing(port);
  auto writes = port.acquire_as(writing, "/l");
  port.answer_all();
  port.locks.downgrade(first->hold, port.now);
  port.answer_all();
  EXPECT_EQ(writes->answers, 0);
  port.release(first);
  port.answer_all();
  EXPECT_TRUE(writes->hold);

  scripted_port other;
  auto goes_on = hold_writing(other);
  auto reads = other.acquire_as(reading, "/l");
  other.answer_all();
  EXPECT_EQ(reads->answers, 0);
  other.locks.downgrade(goes_on->hold, other.now);
  other.answer_all();
  EXPECT_TRUE(reads->hold);
  EXPECT_TRUE(goes_on->hold->held_at(other.now));
}

/// A Java client since 5.5.0 makes the reader before it removes the writer.
TEST(session_curator_downgrade, f52_who_waits_for_a_writer_lists_again_whatever_goes) {
  const std::string their_writer = "/l/" + others_prefix(1) + "__WRIT__0000000001";
  const std::string their_reader = "/l/" + others_prefix(2) + "__READ__0000000001";
  scripted_port port;
  port.others_create(their_writer);
  port.connect();
  auto writes = port.acquire_as(writing, "/l");
  port.answer_all();
  port.others_create(their_reader);
  port.others_remove(their_writer);
  EXPECT_EQ(writes->answers, 0) << "the event alone is no grant";
  port.answer_all();
  EXPECT_EQ(writes->answers, 0);
  port.others_remove(their_reader);
  port.answer_all();
  EXPECT_TRUE(writes->hold);
}

TEST(session_curator_downgrade, data_of_a_writer_says_nothing) {
  scripted_port port;
  const std::string their_writer = "/l/" + others_prefix(1) + "__WRIT__0000000001";
  port.others_create(their_writer, "mode=read\n");
  port.connect();
  auto reads = port.acquire_as(reading, "/l");
  port.answer_all();
  EXPECT_EQ(reads->answers, 0);
  port.others_set(their_writer, "mode=read\n");
  port.answer_all();
  EXPECT_EQ(reads->answers, 0);
}

TEST(session_curator_downgrade, f08_after_an_unknown_outcome_it_is_repeated_and_found_done_or_done_now) {
  for (const bool done : {false, true}) {
    for (const bool watched : {false, true}) {
      scripted_port port;
      auto lock = hold_writing(port);
      if (watched) {
        pass_heartbeat(port);
      }
      port.locks.downgrade(lock->hold, port.now);
      if (done) {
        port.lose_answer();
      }
      port.disconnect();
      EXPECT_EQ(lock->hold->why_lost(), loss_reason::none) << "the writer may have gone by the downgrade";
      port.connect();
      EXPECT_TRUE(port.asked().starts_with("check multi")) << done;
      port.answer_all();
      EXPECT_EQ(port.nodes_under("/l"), std::vector<std::string>{reader.substr(3)});
      EXPECT_EQ(lock->hold->why_lost(), loss_reason::none);
      EXPECT_EQ(lock->hold->node(), reader);
      EXPECT_EQ(port.watches.size(), 1U) << "on the reader";
      port.others_remove(reader);
      EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed);
      port.answer_all();
      expect_nothing_left(port);
    }
  }
}

TEST(session_curator_downgrade, f53_a_writer_that_is_gone_before_it_is_a_loss_and_leaves_no_reader) {
  scripted_port port;
  auto lock = hold_writing(port);
  port.nodes.erase(writer);
  port.locks.downgrade(lock->hold, port.now);
  port.answer_all();
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed);
  EXPECT_EQ(port.lost.size(), 1U);
  expect_nothing_left(port);
}

TEST(session_curator_downgrade, f53_a_reader_that_is_gone_when_it_is_repeated_is_a_loss) {
  scripted_port port;
  auto lock = hold_and_downgrade(port);
  port.lose_answer();
  port.nodes.erase(reader);
  reconnect(port);
  port.answer_all();
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed);
  expect_nothing_left(port);
}

TEST(session_curator_downgrade, one_that_is_refused_leaves_the_writer_which_is_guarded_and_watched) {
  for (const bool watched : {false, true}) {
    scripted_port port;
    auto lock = hold_writing(port);
    if (watched) {
      pass_heartbeat(port);
    }
    port.locks.downgrade(lock->hold, port.now);
    EXPECT_EQ(lock->hold->node(), reader) << "a guarded write that is sent behind it";
    port.answer(code::no_auth);
    EXPECT_EQ(lock->hold->node(), writer);
    EXPECT_TRUE(lock->hold->held_at(port.now));
    EXPECT_TRUE(std::any_of(port.lines.begin(), port.lines.end(),
                            [](const auto& line) { return line.text.find("ZNOAUTH") != std::string::npos; }));
    port.answer_all();
    EXPECT_EQ(port.watches.size(), 1U);
    port.others_remove(writer);
    EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed);
    expect_nothing_left(port);
  }
}

TEST(session_curator_downgrade, f53_a_repeat_that_is_refused_says_nothing_of_the_first_try) {
  for (const bool done : {false, true}) {
    scripted_port port;
    auto lock = hold_and_downgrade(port);
    if (done) {
      port.lose_answer();
    } else {
      port.answer(code::connection_loss);
    }
    reconnect(port);
    ASSERT_EQ(port.asked(), "check multi");
    port.answer();
    for (int repeat = 0; repeat < 2; ++repeat) {
      ASSERT_EQ(port.asked(), "multi");
      port.answer(code::no_auth);
      EXPECT_TRUE(lock->hold->held_at(port.now));
      EXPECT_EQ(port.asked(), "nothing") << "not without a pause";
      port.advance_to(port.now + 50ms);
    }
    auto released = port.release(lock);
    port.answer_all();
    EXPECT_EQ(released->answers, 1);
    expect_nothing_left(port);
  }
}

/// It has checked the reader, which is not there; the writer is, and with it the hold.
TEST(session_curator_downgrade, f156_a_write_behind_one_that_is_refused_is_not_lost_but_to_be_made_again) {
  for (const code why : {code::no_auth, code::quota_exceeded, code::throttled, code::marshalling_error}) {
    scripted_port port;
    auto lock = hold_and_downgrade(port);
    const auto behind = test_support::commit(port, {lock}, {request::set{"/config"}});
    ASSERT_EQ(port.asked(), "multi multi");
    port.answer(why);
    test_support::answer_parts(port, code::no_node, 0);
    ASSERT_EQ(behind->answers, 1);
    EXPECT_EQ(behind->failure.ec, errc::not_connected) << recipes::name(why);
    EXPECT_EQ(behind->failure.answer, code::no_node);
    EXPECT_TRUE(lock->hold->held_at(port.now));
    EXPECT_TRUE(port.lost.empty());
    port.advance_to(port.now + 50ms);
    port.answer_all();
    const auto again = test_support::commit(port, {lock}, {request::set{"/config"}});
    ASSERT_EQ(port.asked(), "multi");
    test_support::answer_applied(port, {});
    EXPECT_TRUE(again->was_applied()) << recipes::name(why);
  }
}

TEST(session_curator_downgrade, f156_a_write_behind_one_that_finds_no_writer_is_lost) {
  scripted_port port;
  auto lock = hold_and_downgrade(port);
  port.others_remove(writer);
  const auto behind = test_support::commit(port, {lock}, {request::set{"/config"}});
  port.answer(code::no_node);
  test_support::answer_parts(port, code::no_node, 0);
  EXPECT_EQ(behind->failure.ec, errc::lost);
  EXPECT_FALSE(lock->hold->held_at(port.now));
}

TEST(session_curator_downgrade, f53_a_write_is_not_sent_while_it_is_not_known_which_node_guards_it) {
  scripted_port port;
  auto lock = hold_and_downgrade(port);
  port.answer(code::throttled);
  const auto in_doubt = test_support::commit(port, {lock}, {request::set{"/config"}});
  ASSERT_EQ(in_doubt->answers, 1);
  EXPECT_EQ(in_doubt->failure.ec, errc::not_connected) << "it is not lost";
  EXPECT_TRUE(lock->hold->held_at(port.now));
  port.advance_to(port.now + 50ms);
  ASSERT_EQ(port.asked(), "multi");
  port.answer_all();
  const auto guarded = test_support::commit(port, {lock}, {request::set{"/config"}});
  ASSERT_EQ(port.asked(), "multi");
  EXPECT_EQ(std::get<request::check>(port.request<request::multi>(0).operations.at(0)).path, reader);
  EXPECT_EQ(guarded->answers, 0);
}

TEST(session_curator_downgrade, f53_a_release_while_its_answer_is_out_leaves_no_reader) {
  enum class outcome { done, done_but_lost, not_done, refused };
  for (const outcome of : {outcome::done, outcome::done_but_lost, outcome::not_done, outcome::refused}) {
    for (const bool removal_is_lost : {false, true}) {
      scripted_port port;
      auto lock = hold_and_downgrade(port);
      auto released = port.release(lock);
      ASSERT_EQ(port.asked(), "multi remove");
      switch (of) {
        case outcome::done: port.answer(); break;
        case outcome::done_but_lost: port.lose_answer(); break;
        case outcome::not_done: port.answer(code::connection_loss); break;
        case outcome::refused: port.answer(code::no_auth); break;
      }
      if (removal_is_lost) {
        port.lose_answer();
        reconnect(port);
      }
      port.answer_all();
      EXPECT_EQ(released->answers, 1);
      EXPECT_FALSE(released->error);
      expect_nothing_left(port);
    }
  }
}

TEST(session_curator_downgrade, f53_a_release_before_it_is_repeated_leaves_no_reader) {
  for (const bool done : {false, true}) {
    scripted_port port;
    auto lock = hold_and_downgrade(port);
    if (done) {
      port.lose_answer();
    }
    port.disconnect();
    port.release(lock);
    port.connect();
    port.answer_all();
    expect_nothing_left(port);
  }
}

TEST(session_curator_downgrade, f10_f53_the_session_ends_or_is_closed_while_its_answer_is_out) {
  scripted_port port;
  auto lock = hold_and_downgrade(port);
  port.session_event(client::connection_state::expired);
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::session_expired);
  EXPECT_EQ(port.locks.contender_count(), 0U);
  scripted_port closed;
  auto other = hold_and_downgrade(closed);
  closed.engine.close(closed.now + 1s, closed.now);
  EXPECT_EQ(other->hold->why_lost(), loss_reason::session_closed);
  closed.closed_by_client(1, true);
  EXPECT_EQ(closed.locks.contender_count(), 0U);
}

TEST(session_curator_sides, their_nodes_say_what_curators_do_and_guards_ask_for_existence) {
  for (const auto& [claim, marker] : {std::pair{reading, "__READ__"}, std::pair{writing, "__WRIT__"}}) {
    scripted_port port;
    port.connect();
    auto lock = port.acquire_as(claim, "/l");
    ASSERT_EQ(port.asked(), "create list");
    EXPECT_EQ(port.path_of(0), "/l/" + owner(1) + marker);
    EXPECT_EQ(port.request<request::create>(0).data, "127.0.0.1");
    port.answer_all();
    ASSERT_TRUE(lock->hold);
    std::vector<hold::guard> guards;
    lock->hold->add_guards(guards);
    ASSERT_EQ(guards.size(), 1U);
    EXPECT_EQ(guards[0].version, -1) << "a set, as of Curator's Revoker, does no harm";
  }
}

TEST(session_curator_sides, native_ones_on_their_path_are_wrong_both_ways_and_leave_no_node) {
  const std::string native = "/l/write-" + std::string(32, 'a') + "-0000000001";
  scripted_port port;
  port.others_create(native);
  port.connect();
  auto lock = port.acquire_as(writing, "/l");
  port.answer_all();
  EXPECT_EQ(lock->error, errc::wrong_recipe);
  expect_nothing_left(port);
  scripted_port reverse;
  reverse.others_create("/l/" + others_prefix(1) + "__READ__0000000001");
  reverse.connect();
  for (const recipes::claim& one : {recipes::claim{contender_kind::read}, recipes::claim{contender_kind::write},
                                    recipes::claim{contender_kind::mutex}, mutex}) {
    auto wrong = reverse.acquire_as(one, "/l");
    reverse.answer_all();
    EXPECT_EQ(wrong->error, errc::wrong_recipe);
    expect_nothing_left(reverse);
  }
}

}  // namespace
}  // namespace zklock::detail
