#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/unit/engine/scripted_operation.hpp"
#include "tests/unit/operations/asked_operation.hpp"
#include "tests/unit/operations/on_a_port.hpp"

/// Answers that come from within submit(), as a dead handle gives them. T = 6 s.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using test_support::diary;
using test_support::scripted_operation;
using test_support::scripted_port;

void sync(engine::out& wants, engine::tag as) { wants.request(as, client::request::sync{"/"}); }

struct dead_handle {
  explicit dead_handle(code answer = code::connection_loss) {
    port.connect();
    port.answers_at_once = answer;
  }
  std::shared_ptr<scripted_operation> make(std::string name) {
    return std::make_shared<scripted_operation>(std::move(name), seen);
  }

  diary seen;
  scripted_port port;
};

TEST(inbox, keeps_an_answer_from_within_submit_until_the_call_has_ended) {
  dead_handle handle;
  const auto one = handle.make("one");
  one->at_next_call([&](engine::out& wants) {
    sync(wants, 1);
    sync(wants, 2);
    wants.log({log_level::warning, "the last thing"});
  });
  one->at_next_call([&](engine::out&) {
    EXPECT_TRUE(handle.port.warned_of("the last thing")) << "at the first answer";
    EXPECT_EQ(handle.port.answered_at_once, 2);
  });
  handle.port.engine.begin(one, handle.port.now);
  EXPECT_EQ(handle.seen, (diary{"one begin", "one reply 1", "one reply 2"}));
}

TEST(inbox, gives_what_an_answer_gives_rise_to_behind_what_was_answered_before) {
  dead_handle handle;
  const auto one = handle.make("one");
  one->at_next_call([](engine::out& wants) {
    sync(wants, 1);
    sync(wants, 2);
  });
  one->at_next_call([](engine::out& wants) { sync(wants, 3); });
  handle.port.engine.begin(one, handle.port.now);
  EXPECT_EQ(handle.seen, (diary{"one begin", "one reply 1", "one reply 2", "one reply 3"}));
}

TEST(inbox, gives_no_answer_to_an_operation_that_has_ended_or_forgotten_it_meanwhile) {
  dead_handle handle;
  const auto forgets = handle.make("forgets"), ends = handle.make("ends");
  forgets->at_next_call([](engine::out& wants) {
    sync(wants, 1);
    wants.forget_requests();
  });
  ends->at_next_call([](engine::out& wants) {
    sync(wants, 1);
    wants.finish();
  });
  handle.port.engine.begin(forgets, handle.port.now);
  handle.port.engine.begin(ends, handle.port.now);
  EXPECT_EQ(handle.seen, (diary{"forgets begin", "ends begin"}));
}

TEST(inbox, is_emptied_before_an_operation_that_wants_it_begins_again) {
  dead_handle handle;
  const auto one = handle.make("one");
  one->at_next_call([](engine::out& wants) {
    wants.begin_again();
    sync(wants, 1);
  });
  one->at_next_call([](engine::out& wants) { sync(wants, 2); });
  handle.port.engine.begin(one, handle.port.now);
  EXPECT_EQ(handle.seen, (diary{"one begin", "one reply 1", "one reply 2", "one begin"}));
}

TEST(inbox, is_emptied_when_all_operations_have_been_told_of_the_connection_at_the_latest) {
  diary seen;
  scripted_port port;
  const auto first = std::make_shared<scripted_operation>("first", seen);
  const auto second = std::make_shared<scripted_operation>("second", seen);
  port.engine.begin(first, port.now);
  port.engine.begin(second, port.now);
  first->at_next_call([](engine::out& wants) { sync(wants, 1); });
  second->at_next_call([](engine::out& wants) { sync(wants, 2); });
  seen.clear();
  port.answers_at_once = code::connection_loss;
  port.connect();
  EXPECT_EQ(seen, (diary{"first connected", "second connected", "first reply 1", "second reply 2"}));
}

TEST(inbox, lets_a_listing_on_a_dead_handle_begin_again_later_and_end_at_its_time_limit) {
  dead_handle handle;
  const auto asked = test_support::list_participants(handle.port, 2s);
  EXPECT_EQ(asked->answers, 0);
  EXPECT_EQ(handle.port.answered_at_once, 2) << "not again at once";
  handle.port.advance_to(102s);
  EXPECT_GT(handle.port.answered_at_once, 4);
  EXPECT_EQ(asked->answers, 1);
}

}  // namespace
}  // namespace zklock::detail
