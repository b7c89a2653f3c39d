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

/// The right to create was withdrawn meanwhile: a server asks for it before it looks whether the reader is there.
void answer_where_no_reader_may_be_created(scripted_port& port) {
  for (int beat = 0; beat < 10; ++beat) {
    while (!port.requests.empty()) {
      const auto* const several = std::get_if<request::multi>(&port.requests.front().what);
      const bool creates = several != nullptr && std::holds_alternative<request::create>(several->operations.front());
      creates ? port.answer(code::no_auth) : port.answer();
    }
    port.advance_to(port.now + 50ms);
  }
}

TEST(session_curator_downgrade, f173_one_that_is_forbidden_at_its_repetition_is_heard_of_when_its_node_goes) {
  for (const bool done : {false, true}) {
    for (const bool watched : {false, true}) {
      SCOPED_TRACE((done ? "done" : "not done") + std::string(watched ? ", watched" : ""));
      scripted_port port;
      auto lock = hold_writing(port);
      if (watched) {
        pass_heartbeat(port);
      }
      port.locks.downgrade(lock->hold, port.now);
      done ? port.lose_answer() : port.answer(code::connection_loss);
      reconnect(port);
      answer_where_no_reader_may_be_created(port);
      EXPECT_TRUE(lock->hold->held_at(port.now));
      EXPECT_EQ(lock->hold->node(), done ? reader : writer);
      EXPECT_EQ(port.watches.size(), 1U);
      port.others_remove(done ? reader : writer);
      EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed);
      expect_nothing_left(port);
    }
  }
}

TEST(session_curator_downgrade, f173_one_in_doubt_is_looked_for_until_a_sync_and_the_look_are_answered) {
  scripted_port port;
  auto lock = hold_and_downgrade(port);
  port.lose_answer();
  reconnect(port);
  const std::string look = port.asked();
  EXPECT_EQ(look, "check check get");
  port.answer();
  port.answer(code::throttled);  // a sync that is not answered proves nothing of the get behind it
  port.advance_to(port.now + 50ms);
  EXPECT_EQ(port.asked(), "get");
  port.answer();
  EXPECT_EQ(port.asked(), "nothing") << "not without a pause";
  port.advance_to(port.now + 50ms);
  EXPECT_EQ(port.asked(), "check get");
  port.answer();
  port.answer(code::throttled);
  port.advance_to(port.now + 50ms);
  EXPECT_EQ(port.asked(), "check get");
  port.answer();
  port.answer();
  EXPECT_EQ(port.asked(), "get") << "the reader";
  port.answer_all();
  EXPECT_TRUE(lock->hold->held_at(port.now));
  EXPECT_EQ(lock->hold->node(), reader);
  EXPECT_EQ(port.watches.size(), 1U);
}

TEST(session_curator_downgrade, f173_one_in_doubt_whose_hold_is_released_leaves_nothing) {
  for (const bool done : {false, true}) {
    scripted_port port;
    auto lock = hold_and_downgrade(port);
    done ? port.lose_answer() : port.answer(code::connection_loss);
    reconnect(port);
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

/// The downgrade has failed with the connection, and the write was sent on the next one.
TEST(session_curator_downgrade, f156_a_write_that_comes_before_one_that_is_asked_again_is_not_lost) {
  for (const bool given_back : {false, true}) {
    scripted_port port;
    auto lock = hold_and_downgrade(port);
    const auto early = test_support::commit(port, {lock}, {request::set{"/config"}});
    port.answer(code::connection_loss);
    port.advance_to(port.now + 50ms);
    ASSERT_EQ(port.asked(), "multi check get") << "the write, and the look for the writer";
    if (given_back) {
      lock->hold->end_by_release(port.now);
      port.release(lock);
    }
    test_support::answer_parts(port, code::no_node, 0);
    ASSERT_EQ(early->answers, 1);
    EXPECT_EQ(early->failure.ec, errc::not_connected) << given_back;
    EXPECT_TRUE(port.lost.empty());
  }
}

/// The reader was there, and an operator has removed it: so it was the hold's node, though the hold is released since.
TEST(session_curator_downgrade, f156_a_write_behind_one_that_was_done_is_lost_also_when_the_hold_was_released) {
  scripted_port port;
  auto lock = hold_and_downgrade(port);
  const auto behind = test_support::commit(port, {lock}, {request::set{"/config"}});
  lock->hold->end_by_release(port.now);
  port.release(lock);
  port.answer();
  test_support::answer_parts(port, code::no_node, 0);
  ASSERT_EQ(behind->answers, 1);
  EXPECT_EQ(behind->failure.ec, errc::lost);
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

}  // namespace
}  // namespace zklock::detail
