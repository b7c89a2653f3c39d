#include "src/testing/client_watches.hpp"

#include <gtest/gtest.h>

namespace zklock::testing {
namespace {

using client::code;
using client::node_event;
using kind = client_watches::kind;
using ids = std::vector<client::watch_id>;
using paths = std::vector<std::string>;

TEST(client_watches, are_set_by_an_answer_that_says_ok) {
  client_watches watches;
  watches.answered(kind::data, "/a", 1, code::no_node);
  watches.answered(kind::children, "/a", 2, code::no_auth);
  EXPECT_TRUE(watches.empty());
  watches.answered(kind::data, "/a", 1, code::ok);
  watches.answered(kind::children, "/a", 2, code::ok);
  EXPECT_EQ(watches.count(), 2U);
}

TEST(client_watches, on_existence_are_set_although_there_is_no_node) {
  client_watches watches;
  watches.answered(kind::exists, "/a", 1, code::no_node);
  watches.answered(kind::exists, "/b", 2, code::ok);
  const upward::watch_lists lists = watches.paths(7);
  EXPECT_EQ(lists.exist, paths{"/a"});
  EXPECT_EQ(lists.data, paths{"/b"});
  EXPECT_EQ(lists.child, paths{});
  EXPECT_EQ(lists.seen, 7);
}

TEST(client_watches, fire_once_for_the_event_that_they_wait_for) {
  client_watches watches;
  watches.answered(kind::data, "/a", 1, code::ok);
  watches.answered(kind::exists, "/a", 2, code::ok);
  watches.answered(kind::children, "/a", 3, code::ok);
  EXPECT_EQ(watches.fire("/b", node_event::changed), ids{});
  EXPECT_EQ(watches.fire("/a", node_event::changed), (ids{1, 2}));
  EXPECT_EQ(watches.fire("/a", node_event::changed), ids{});
  EXPECT_EQ(watches.fire("/a", node_event::children_changed), ids{3});
  EXPECT_TRUE(watches.empty());
}

TEST(client_watches, all_fire_when_the_node_is_deleted_and_each_id_once) {
  client_watches watches;
  watches.answered(kind::children, "/a", 2, code::ok);
  watches.answered(kind::data, "/a", 1, code::ok);
  watches.answered(kind::children, "/a", 1, code::ok);
  EXPECT_EQ(watches.fire("/a", node_event::deleted), (ids{1, 2}));
  EXPECT_TRUE(watches.empty());
}

TEST(client_watches, that_are_forgotten_do_not_fire) {
  client_watches watches;
  watches.answered(kind::data, "/a", 1, code::ok);
  watches.answered(kind::exists, "/a", 1, code::no_node);
  watches.answered(kind::children, "/a", 1, code::ok);
  watches.forget(kind::exists, "/a", 1);
  EXPECT_EQ(watches.count(), 1U);
  watches.forget(kind::children, "/a", 2);
  EXPECT_EQ(watches.fire("/a", node_event::deleted), ids{1});
}

}  // namespace
}  // namespace zklock::testing
