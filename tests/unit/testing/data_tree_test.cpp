#include "src/testing/data_tree.hpp"

#include <gtest/gtest.h>

#include "src/testing/log_entry.hpp"

namespace zklock::testing {
namespace {

namespace request = client::request;
using client::create_mode;

/// Has /a.
struct tree_with_a_node : public ::testing::Test {
  tree_with_a_node() { tree.apply({change::kind::create, "/a", "old", {}, 0, false}, 1); }

  data_tree tree;
};

TEST_F(tree_with_a_node, plans_and_does_nothing_until_it_applies) {
  change next;
  EXPECT_EQ(tree.plan(request::create{"/a/b"}, 7, {}, next), code::ok);
  EXPECT_EQ(tree.find("/a/b"), nullptr);
  tree.apply(next, 2);
  EXPECT_EQ(tree.find("/a/b")->stat.czxid, 2);
  EXPECT_TRUE(tree.find("/a")->children.contains("b"));
  EXPECT_EQ(tree.find("/a")->stat.pzxid, 2);
}

TEST_F(tree_with_a_node, refuses_what_the_servers_refuse) {
  change next;
  EXPECT_EQ(tree.plan(request::create{"/a"}, 7, {}, next), code::node_exists);
  EXPECT_EQ(tree.plan(request::create{"/b/c"}, 7, {}, next), code::no_node);
  EXPECT_EQ(tree.plan(request::set{"/a", "", 3}, {}, next), code::bad_version);
  tree.apply({change::kind::create, "/a/b", {}, {}, 7, false}, 2);
  EXPECT_EQ(tree.plan(request::remove{"/a"}, {}, next), code::not_empty);
  EXPECT_EQ(tree.plan(request::create{"/a/b/c"}, 7, {}, next), code::no_children_for_ephemerals);
}

TEST_F(tree_with_a_node, numbers_sequential_children_by_the_creates_below_their_parent) {
  for (const char* expected : {"/a/n-0000000000", "/a/n-0000000001"}) {
    change next;
    EXPECT_EQ(tree.plan(request::create{"/a/n-", "", create_mode::persistent_sequential}, 7, {}, next), code::ok);
    EXPECT_EQ(next.path, expected);
    tree.apply(next, 2);
    tree.apply({change::kind::remove, next.path, {}, {}, 0, false}, 3);
  }
}

TEST_F(tree_with_a_node, removes_the_ephemerals_of_one_session) {
  tree.apply({change::kind::create, "/a/y", {}, {}, 7, false}, 2);
  tree.apply({change::kind::create, "/a/x", {}, {}, 7, false}, 3);
  tree.apply({change::kind::create, "/a/other", {}, {}, 8, false}, 4);
  const std::vector<change> planned = tree.plan_end_of(7);
  ASSERT_EQ(planned.size(), 2U);
  EXPECT_EQ(planned[0].path, "/a/x");
  EXPECT_EQ(planned[1].path, "/a/y");
}

TEST_F(tree_with_a_node, is_as_before_after_what_is_reverted) {
  const change set{change::kind::set, "/a", "new", {}, 0, false};
  const change made{change::kind::create, "/a/b", {}, {}, 7, false};
  const change gone{change::kind::remove, "/a/b", {}, {}, 0, false};
  data_tree::undo first = tree.apply_revertible(set, 2);
  data_tree::undo second = tree.apply_revertible(made, 2);
  data_tree::undo third = tree.apply_revertible(gone, 2);
  tree.revert(std::move(third));
  EXPECT_NE(tree.find("/a/b"), nullptr);
  EXPECT_EQ(tree.plan_end_of(7).size(), 1U);
  tree.revert(std::move(second));
  tree.revert(std::move(first));
  EXPECT_EQ(tree.find("/a")->data, "old");
  EXPECT_EQ(tree.find("/a")->stat.pzxid, 1);
  EXPECT_EQ(tree.find("/a")->stat.cversion, 0);
  EXPECT_TRUE(tree.plan_end_of(7).empty());
}

TEST_F(tree_with_a_node, applies_all_parts_of_a_multi_or_none) {
  const log_entry done = run(tree, request::multi{{request::create{"/b"}, request::create{"/b/c"}}}, 7, {}, 2);
  EXPECT_EQ(done.reply.code, code::ok);
  EXPECT_EQ(done.changes.size(), 2U);
  const log_entry refused = run(tree, request::multi{{request::remove{"/b/c"}, request::remove{"/gone"}}}, 7, {}, 3);
  EXPECT_EQ(refused.reply.code, code::no_node);
  EXPECT_TRUE(refused.changes.empty());
  EXPECT_NE(tree.find("/b/c"), nullptr);
}

}  // namespace
}  // namespace zklock::testing
