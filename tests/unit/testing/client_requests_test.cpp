#include "src/testing/client_requests.hpp"

#include <gtest/gtest.h>

namespace zklock::testing {
namespace {

namespace request = client::request;

TEST(client_requests, remember_the_watch_that_comes_with_a_request) {
  const asked_request list = remember(1, request::list{"/a", 7});
  EXPECT_EQ(list.id, 1U);
  EXPECT_EQ(list.watch_path, "/a");
  EXPECT_EQ(list.watch, 7U);
  EXPECT_EQ(list.watch_kind, client::connection::watch_kind::children);
  EXPECT_EQ(remember(2, request::exists{"/a", 8}).watch_kind, client::connection::watch_kind::exists);
  EXPECT_EQ(remember(3, request::get{"/a"}).watch, client::no_watch);
  EXPECT_EQ(remember(4, request::remove{"/a"}).watch, client::no_watch);
}

TEST(client_requests, are_answered_in_the_order_in_which_they_were_sent) {
  client_requests requests;
  EXPECT_TRUE(requests.none_sent());
  requests.add_sent(remember(1, request::get{"/a"}));
  requests.add_sent(remember(2, request::get{"/a"}));
  EXPECT_EQ(requests.take_answered().id, 1U);
  EXPECT_FALSE(requests.none_sent());
  EXPECT_EQ(requests.take_answered().id, 2U);
  EXPECT_TRUE(requests.none_sent());
}

TEST(client_requests, wait_in_order_for_the_next_connection) {
  client_requests requests;
  requests.add_queued(remember(1, request::get{"/a"}), request::get{"/a"});
  requests.add_queued(remember(2, request::sync{"/b"}), request::sync{"/b"});
  EXPECT_EQ(requests.queued_count(), 2U);
  EXPECT_EQ(requests.take_queued()->first.id, 1U);
  EXPECT_TRUE(std::holds_alternative<request::sync>(requests.take_queued()->second));
  EXPECT_FALSE(requests.take_queued());
}

TEST(client_requests, are_all_taken_those_that_were_sent_first) {
  client_requests requests;
  requests.add_queued(remember(3, request::get{"/a"}), request::get{"/a"});
  requests.add_sent(remember(1, request::get{"/a"}));
  requests.add_sent(remember(2, request::get{"/a"}));
  EXPECT_EQ(requests.take_all(), (std::vector<client::request_id>{1, 2, 3}));
  EXPECT_EQ(requests.take_all(), std::vector<client::request_id>{});
}

TEST(client_requests, forget_a_watch_wherever_its_request_waits) {
  client_requests requests;
  requests.add_sent(remember(1, request::get{"/a", 7}));
  requests.add_queued(remember(2, request::get{"/a", 8}), request::get{"/a", 8});
  EXPECT_EQ(requests.watch_count(), 2U);
  requests.forget(7);
  EXPECT_EQ(requests.watch_count(), 1U);
  requests.forget(8);
  EXPECT_EQ(requests.watch_count(), 0U);
  EXPECT_EQ(requests.take_answered().watch, client::no_watch);
}

}  // namespace
}  // namespace zklock::testing
