#include "src/testing/link.hpp"

#include <gtest/gtest.h>

#include "tests/unit/testing/diary.hpp"

namespace zklock::testing {
namespace {

struct model_link : public ::testing::Test {
  model_link() { l.client = std::make_shared<handle>(client::parameters{}, told, server_choice(0, false, instant{0})); }

  diary told;
  link l;
};

TEST_F(model_link, keeps_what_the_client_has_written_when_the_clients_end_closes) {
  l.up.emplace_back(upward::kind::request);
  l.up.emplace_back(upward::kind::ping);
  l.up.emplace_back(upward::kind::close);
  l.send_down(downward(downward::kind::pong));
  l.close_client_end();
  ASSERT_EQ(l.up.size(), 2U);
  EXPECT_EQ(l.up.front().what, upward::kind::request);
  EXPECT_EQ(l.up.back().what, upward::kind::close);
  EXPECT_TRUE(l.down.empty());
  EXPECT_TRUE(l.server_open);
}

TEST_F(model_link, sends_nothing_to_an_end_that_is_closed) {
  l.close_client_end();
  l.send_down(downward(downward::kind::reply));
  l.send_event("/a", client::node_event::deleted);
  EXPECT_TRUE(l.down.empty());
}

TEST_F(model_link, tells_the_client_that_the_server_hangs_up_behind_all_else) {
  l.up.emplace_back(upward::kind::request);
  l.stage.emplace_back();
  l.watches.watch_data("/a");
  l.send_down(downward(downward::kind::reply));
  l.hang_up();
  EXPECT_TRUE(l.up.empty());
  EXPECT_TRUE(l.stage.empty());
  EXPECT_EQ(l.watches.count(), 0U);
  ASSERT_EQ(l.down.size(), 2U);
  EXPECT_EQ(l.down.back().what, downward::kind::hangup);
}

TEST_F(model_link, sends_no_events_to_a_client_that_closes_its_handle) {
  l.send_event("/a", client::node_event::changed, 4);
  ASSERT_EQ(l.down.size(), 1U);
  EXPECT_EQ(l.down.front().group, 4U);
  l.client->closing = true;
  l.send_event("/a", client::node_event::changed);
  EXPECT_EQ(l.down.size(), 1U);
}

TEST_F(model_link, knows_what_is_under_way) {
  EXPECT_FALSE(l.has_request_under_way() || l.has_reply_under_way());
  l.up.emplace_back(upward::kind::ping);
  l.send_down(downward(downward::kind::pong));
  EXPECT_FALSE(l.has_request_under_way() || l.has_reply_under_way());
  l.up.emplace_back(upward::kind::request);
  l.send_down(downward(downward::kind::reply));
  EXPECT_TRUE(l.has_request_under_way() && l.has_reply_under_way());
}

}  // namespace
}  // namespace zklock::testing
