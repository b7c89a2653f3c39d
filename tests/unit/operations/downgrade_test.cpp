#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/unit/operations/on_a_port.hpp"

/// A writer that goes on as a reader: in the native layout it marks its node, in Curator's another node takes its place.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using recipes::contender_kind;
using test_support::asked_lock;
using test_support::expect_nothing_left;
using test_support::hold_at_once;
using test_support::pass_heartbeat;
using test_support::reconnect;
using test_support::scripted_port;
namespace request = client::request;

class session_downgrade : public ::testing::TestWithParam<recipes::layout> {
 protected:
  [[nodiscard]] bool native() const { return GetParam() == recipes::layout::native; }
  [[nodiscard]] recipes::acquire_spec side(contender_kind kind) const { return {kind, 1, 0, false, GetParam()}; }
  const recipes::acquire_spec reading = side(contender_kind::read);
  const recipes::acquire_spec writing = side(contender_kind::write);
  /// What it is on the wire.
  [[nodiscard]] std::string asked() const { return native() ? "set" : "multi"; }

  [[nodiscard]] std::shared_ptr<asked_lock> hold_and_downgrade(scripted_port& port) const {
    auto lock = hold_at_once(port, "/l", writing);
    port.locks.downgrade(lock->hold, port.now);
    EXPECT_EQ(port.asked(), asked());
    return lock;
  }
  /// There is one node, and it says that it reads.
  void expect_reads(scripted_port& port, const asked_lock& lock, std::string writer) const {
    if (native()) {
      EXPECT_EQ(port.data[writer], "mode=read\n");
    } else {
      writer.replace(writer.find("__WRIT__"), 8, "__READ__");
    }
    EXPECT_EQ(lock.hold->node(), writer);
    EXPECT_EQ(port.nodes_under("/l"), std::vector<std::string>{writer.substr(3)});
  }
};

INSTANTIATE_TEST_SUITE_P(in, session_downgrade, ::testing::Values(recipes::layout::native, recipes::layout::curator),
                         [](const auto& layout) {
                           return std::string(layout.param == recipes::layout::native ? "native" : "curator");
                         });

TEST_P(session_downgrade, f52_a_writer_behind_it_stays_behind_the_reader_and_readers_pass) {
  scripted_port port;
  auto first = hold_at_once(port, "/l", writing);
  auto writes = port.acquire_as(writing, "/l");
  port.answer_all();
  port.locks.downgrade(first->hold, port.now);
  port.answer_all();
  EXPECT_EQ(writes->answers, 0);
  port.release(first);
  port.answer_all();
  EXPECT_TRUE(writes->hold);

  scripted_port other;
  auto goes_on = hold_at_once(other, "/l", writing);
  auto reads = other.acquire_as(reading, "/l");
  other.answer_all();
  EXPECT_EQ(reads->answers, 0);
  other.locks.downgrade(goes_on->hold, other.now);
  other.answer_all();
  EXPECT_TRUE(reads->hold);
  EXPECT_TRUE(goes_on->hold->held_at(other.now));
}

TEST_P(session_downgrade, f08_after_an_unknown_outcome_it_is_repeated_and_found_done_or_done_now) {
  for (const bool done : {false, true}) {
    for (const bool watched : {false, true}) {
      scripted_port port;
      auto lock = hold_at_once(port, "/l", writing);
      const std::string writer = lock->hold->node();
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
      EXPECT_TRUE(port.asked().starts_with(native() ? "check set" : "check check get")) << done << " " << port.asked();
      EXPECT_TRUE(watched || !native() || port.asked() == "check set") << port.asked();
      port.answer_all();
      expect_reads(port, *lock, writer);
      EXPECT_EQ(lock->hold->why_lost(), loss_reason::none);
      if (native()) {
        pass_heartbeat(port);
      }
      EXPECT_EQ(port.watches.size(), 1U) << "on the node that reads";
      port.others_remove(lock->hold->node());
      EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed);
      port.answer_all();
      expect_nothing_left(port);
    }
  }
}

TEST_P(session_downgrade, f53_a_writer_that_is_gone_before_it_is_a_loss_and_leaves_no_reader) {
  scripted_port port;
  auto lock = hold_at_once(port, "/l", writing);
  port.nodes.erase(lock->hold->node());
  port.locks.downgrade(lock->hold, port.now);
  port.answer_all();
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed);
  EXPECT_EQ(port.lost.size(), 1U);
  expect_nothing_left(port);
}

TEST_P(session_downgrade, f53_a_release_while_its_answer_is_out_leaves_no_reader) {
  enum class outcome { done, done_but_lost, not_done, refused };
  for (const outcome of : {outcome::done, outcome::done_but_lost, outcome::not_done, outcome::refused}) {
    for (const bool removal_is_lost : {false, true}) {
      scripted_port port;
      auto lock = hold_and_downgrade(port);
      auto released = port.release(lock);
      ASSERT_EQ(port.asked(), asked() + " remove");
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

TEST_P(session_downgrade, f53_a_release_before_it_is_repeated_leaves_no_reader) {
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

TEST_P(session_downgrade, f10_f53_the_session_ends_or_is_closed_while_its_answer_is_out) {
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

// ---- in the native layout alone

constexpr recipes::acquire_spec native_reader{contender_kind::read};
constexpr recipes::acquire_spec native_writer{contender_kind::write};

TEST(session_mark, f52_the_writer_marks_its_own_node_and_keeps_it) {
  scripted_port port;
  auto lock = hold_at_once(port, "/l", native_writer);
  port.locks.downgrade(lock->hold, port.now);
  ASSERT_EQ(port.asked(), "set");
  EXPECT_EQ(port.path_of(0), lock->hold->node());
  EXPECT_EQ(port.request<request::set>(0).data, "mode=read\n");
  port.locks.downgrade(lock->hold, port.now);
  EXPECT_EQ(port.asked(), "set") << "once";
  port.answer_all();
  EXPECT_TRUE(lock->hold->held_at(port.now));
  port.release(lock);
  port.answer_all();
  EXPECT_TRUE(port.nodes_under("/l").empty());
  expect_nothing_left(port);
}

TEST(session_mark, f53_a_release_right_behind_it_leaves_nothing_and_marks_nothing_more) {
  scripted_port port;
  auto lock = hold_at_once(port, "/l", native_writer);
  port.locks.downgrade(lock->hold, port.now);
  port.release(lock);
  ASSERT_EQ(port.asked(), "set remove");
  reconnect(port);
  EXPECT_EQ(port.asked(), "remove");
  port.answer_all();
  expect_nothing_left(port);
}

TEST(session_mark, f52_a_reader_passes_when_the_writer_before_it_says_that_it_reads) {
  const std::string writer = "/l/write-x-0000000001";
  scripted_port port;
  port.others_create(writer, "mode=write\n");
  port.connect();
  auto reader = port.acquire_as(native_reader, "/l");
  auto later = port.acquire_as(native_writer, "/l");
  port.answer_all();
  EXPECT_EQ(reader->answers + later->answers, 0);
  port.others_set(writer, "label=mode=read\n");
  port.answer_all();
  EXPECT_EQ(reader->answers, 0) << "F105";
  port.others_set(writer, "mode=read\n");
  port.answer_all();
  EXPECT_TRUE(reader->hold);
  EXPECT_EQ(later->answers, 0) << "a writer waits for readers";
}

}  // namespace
}  // namespace zklock::detail
