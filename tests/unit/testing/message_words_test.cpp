// What a message does to the nodes, and how it reads.
#include "src/testing/message_words.hpp"

#include <gtest/gtest.h>

#include "src/testing/footprint.hpp"

namespace zklock::testing {
namespace {

namespace request = client::request;

upward asking(client::any_request what) {
  upward out(upward::kind::request);
  out.request = std::move(what);
  return out;
}

TEST(message_words, name_the_request_and_its_watch) {
  EXPECT_EQ(words(asking(request::list{"/a", 3})), "list /a and watch");
  EXPECT_EQ(words(asking(request::get{"/a"})), "get /a");
  EXPECT_EQ(words(asking(request::multi{{request::check{"/a"}, request::remove{"/b"}}})),
            "multi {check /a, remove /b}");
  EXPECT_EQ(words(upward(upward::kind::set_watches)), "watch again");
}

TEST(message_words, name_what_the_client_is_sent) {
  downward reply(downward::kind::reply);
  reply.id = 4;
  reply.reply.children = {"x", "y"};
  EXPECT_EQ(words(reply), "reply #4 ZOK x y");
  downward event(downward::kind::event);
  event.path = "/a";
  event.event = client::node_event::deleted;
  EXPECT_EQ(words(event), "deleted /a");
}

TEST(footprint, of_a_create_or_a_removal_is_the_node_and_its_parent) {
  const footprint one = footprint_of(asking(request::create{"/a/b"}), true);
  const footprint other = footprint_of(asking(request::remove{"/a/c"}), true);
  EXPECT_EQ(one.effect, access::writes);
  EXPECT_EQ(one.parent, other.parent);
  EXPECT_NE(one.path, other.path);
  EXPECT_EQ(footprint_of(asking(request::list{"/a"}), true).path, one.parent);
}

TEST(footprint, of_a_write_at_a_follower_is_none) {
  EXPECT_EQ(footprint_of(asking(request::set{"/a"}), false).effect, access::none);
  EXPECT_EQ(footprint_of(asking(request::get{"/a"}), false).effect, access::reads);
}

TEST(footprint, of_what_may_touch_any_node_has_no_path) {
  EXPECT_EQ(footprint_of(asking(request::multi{}), true).effect, access::writes);
  EXPECT_EQ(footprint_of(asking(request::multi{}), true).path, 0U);
  EXPECT_EQ(footprint_of(upward(upward::kind::set_watches), false).effect, access::reads);
  EXPECT_EQ(footprint_of(upward(upward::kind::close), false).effect, access::writes);
  EXPECT_EQ(footprint_of(upward(upward::kind::ping), true).effect, access::none);
}

}  // namespace
}  // namespace zklock::testing
