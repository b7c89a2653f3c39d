#include "src/testing/relay.hpp"

#include <gtest/gtest.h>

#include "tests/unit/testing/diary.hpp"

namespace zklock::testing {
namespace {

TEST(relay, keeps_calls_in_order_until_they_are_passed_on) {
  std::deque<relay::call> calls;
  diary target;
  const auto between = std::make_shared<relay>(target, calls);
  client::session_event connected;
  connected.state = client::connection_state::connected;
  client::reply answer;
  answer.code = client::code::no_node;
  between->on_session_event(connected);
  between->on_reply(1, answer);
  between->on_node_event(2, client::node_event::deleted);
  between->on_closed(true);
  EXPECT_EQ(target.take(), lines{});
  ASSERT_EQ(calls.size(), 4U);
  for (relay::call& call : calls) {
    EXPECT_EQ(call.whose, between);
    EXPECT_EQ(call.is_last(), &call == &calls.back());
    call.pass_on(*between->to);
  }
  EXPECT_EQ(target.take(), (lines{"connected", "reply 1 ZNONODE", "event 2 1", "closed"}));
}

}  // namespace
}  // namespace zklock::testing
