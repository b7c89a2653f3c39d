#include "src/testing/server_watches.hpp"

#include <gtest/gtest.h>

namespace zklock::testing {
namespace {

using client::node_event;

change of(change::kind what, const std::string& path) { return {what, path, {}, {}, 0, false}; }

TEST(server_watches, on_data_fire_once_when_it_is_set) {
  server_watches watches;
  watches.watch_data("/a");
  watches.watch_children("/a");
  EXPECT_EQ(watches.fire(of(change::kind::set, "/a")).node, node_event::changed);
  EXPECT_EQ(watches.fire(of(change::kind::set, "/a")).node, std::nullopt);
  EXPECT_EQ(watches.count(), 1U);
}

TEST(server_watches, on_a_node_and_on_its_parent_fire_when_it_is_created) {
  server_watches watches;
  watches.watch_data("/a/b");
  watches.watch_children("/a");
  const server_watches::fired fired = watches.fire(of(change::kind::create, "/a/b"));
  EXPECT_EQ(fired.node, node_event::created);
  EXPECT_TRUE(fired.parent);
  EXPECT_EQ(watches.count(), 0U);
}

TEST(server_watches, on_data_and_on_children_of_a_node_give_one_event_when_it_is_deleted) {
  server_watches watches;
  watches.watch_data("/a/b");
  watches.watch_children("/a/b");
  const server_watches::fired fired = watches.fire(of(change::kind::remove, "/a/b"));
  EXPECT_EQ(fired.node, node_event::deleted);
  EXPECT_FALSE(fired.parent);
  EXPECT_EQ(watches.count(), 0U);
}

TEST(server_watches, set_again_give_the_events_that_were_missed_and_keep_the_others) {
  data_tree tree;
  tree.apply(of(change::kind::create, "/old"), 1);
  tree.apply(of(change::kind::create, "/new"), 2);
  tree.apply(of(change::kind::create, "/old/child"), 5);
  tree.apply(of(change::kind::set, "/new"), 6);
  server_watches watches;
  const upward::watch_lists lists{4, {"/gone", "/new", "/old"}, {"/new", "/not-yet"}, {"/gone", "/new", "/old"}};
  std::vector<std::pair<std::string_view, node_event>> missed;
  for (const auto& one : watches.watch_again(lists, tree)) missed.emplace_back(one.path, one.event);
  EXPECT_EQ(missed, (std::vector<std::pair<std::string_view, node_event>>{{"/gone", node_event::deleted},
                                                                          {"/new", node_event::changed},
                                                                          {"/new", node_event::created},
                                                                          {"/gone", node_event::deleted},
                                                                          {"/old", node_event::children_changed}}));
  EXPECT_EQ(watches.count(), 3U);
  EXPECT_EQ(watches.fire(of(change::kind::create, "/not-yet")).node, node_event::created);
  EXPECT_EQ(watches.fire(of(change::kind::set, "/old")).node, node_event::changed);
  EXPECT_TRUE(watches.fire(of(change::kind::create, "/new/child")).parent);
}

}  // namespace
}  // namespace zklock::testing
