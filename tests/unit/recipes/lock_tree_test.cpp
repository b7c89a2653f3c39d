#include "recipes/lock_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

/// A walk over a tree that is given as its lists.
namespace zklock::recipes {
namespace {

using names = std::vector<std::string>;
using tree = std::map<std::string, names>;
using findings = std::map<std::string, tree_finding>;

struct walked {
  findings found;  ///< without the nodes that are no locks
  std::set<std::string> listed;
  std::size_t seen = 0;
};

/// Nodes that are not in `all` have gone.
walked walk_over(const tree& all, std::string top = "/t", const std::set<std::string>& hidden = {}) {
  lock_tree walk(std::move(top));
  walked result;
  while (const auto next = walk.next()) {
    EXPECT_TRUE(result.listed.insert(next->path).second) << next->path << " twice";
    const auto node = all.find(next->path);
    const code answer = hidden.contains(next->path) ? code::no_auth : node == all.end() ? code::no_node : code::ok;
    const tree_finding finding = walk.listed(*next, answer, answer == code::ok ? node->second : names{});
    if (finding != tree_finding::no_lock) {
      result.found.emplace(next->path, finding);
    }
  }
  result.seen = walk.seen();
  return result;
}

const names mutex_queue{"0fd3-lock-0000000001"};

TEST(lock_tree, finds_the_locks_at_the_top_and_at_any_depth) {
  const walked seen = walk_over({{"/t", {"a", "0fd3-lock-0000000001"}},
                                 {"/t/a", {"b", "c"}},
                                 {"/t/a/b", {}},
                                 {"/t/a/c", {"d"}},
                                 {"/t/a/c/d", mutex_queue}});
  EXPECT_EQ(seen.found, (findings{{"/t", tree_finding::lock}, {"/t/a/c/d", tree_finding::lock}}));
  EXPECT_EQ(seen.seen, 7U) << "contenders and the top too";
}

TEST(lock_tree, knows_the_contenders_of_each_recipe_and_layout_by_their_names) {
  for (const char* contender :
       {"0fd3-lock-0000000001", "0fd3__lock__0000000001", "_c_1b4e28ba-2fa1-11d2-883f-0016d3cca427-lock-0000000009",
        "read-0fd3-0000000001", "write-0fd3-0000000001", "_c_1b4e28ba-2fa1-11d2-883f-0016d3cca427-__READ__0000000001",
        "_c_1b4e28ba-2fa1-11d2-883f-0016d3cca427-__WRIT__0000000001"}) {
    EXPECT_EQ(walk_over({{"/t", {contender}}}).found, (findings{{"/t", tree_finding::lock}})) << contender;
  }
  EXPECT_EQ(walk_over({{"/t", {"a-lock-0000000000", "permit-0fd3-3-0000000001"}}}).found,
            (findings{{"/t", tree_finding::lock_with_permits}}));
  for (const char* other : {"lock", "orders", "job-0000000001", "a-lock-1", "locks", "limit-keeper"}) {
    EXPECT_EQ(walk_over({{"/t", {other}}}).found, findings{}) << other;
  }
}

TEST(lock_tree, takes_an_election_with_the_names_of_a_latch_for_a_lock) {
  EXPECT_EQ(walk_over({{"/t", {"a-latch-0000000001"}}}).found, (findings{{"/t", tree_finding::lock}}));
}

TEST(lock_tree, does_not_take_the_contenders_of_an_unknown_recipe_for_a_lock_nor_walk_to_them) {
  const walked seen = walk_over({{"/t", {"x__rlock__0000000002"}}});
  EXPECT_EQ(seen.found, findings{});
  EXPECT_EQ(seen.listed, (std::set<std::string>{"/t"}));
}

TEST(lock_tree, lists_no_contender) {
  const walked seen = walk_over({{"/t", {"b", "a-lock-0000000001", "read-x-0000000002"}}, {"/t/b", mutex_queue}});
  EXPECT_EQ(seen.listed, (std::set<std::string>{"/t", "/t/b"}));
}

TEST(lock_tree, takes_a_semaphores_two_lists_in_curators_layout_for_its_own) {
  const walked seen = walk_over({{"/t", {"s"}},
                                 {"/t/s", {"locks", "leases"}},
                                 {"/t/s/locks", {"_c_1-lock-0000000003", "inside"}},
                                 {"/t/s/leases", {"_c_1-lease-0000000002"}},
                                 {"/t/s/locks/inside", mutex_queue}});
  EXPECT_EQ(seen.found, (findings{{"/t/s", tree_finding::lock}, {"/t/s/locks/inside", tree_finding::lock}}));
}

TEST(lock_tree, takes_a_folder_named_locks_for_a_folder_where_no_leases_stand_beside_it) {
  EXPECT_EQ(walk_over({{"/t", {"locks"}}, {"/t/locks", mutex_queue}}).found,
            (findings{{"/t/locks", tree_finding::lock}}));
}

TEST(lock_tree, finds_the_locks_below_a_folder_named_leases) {
  EXPECT_EQ(walk_over({{"/t", {"leases"}}, {"/t/leases", {"a"}}, {"/t/leases/a", mutex_queue}}).found,
            (findings{{"/t", tree_finding::lock}, {"/t/leases/a", tree_finding::lock}}))
      << "the reading of /t finds no contender";
}

TEST(lock_tree, says_which_nodes_are_hidden_and_goes_on) {
  EXPECT_EQ(walk_over({{"/t", {"a", "b"}}, {"/t/b", mutex_queue}}, "/t", {"/t/a"}).found,
            (findings{{"/t/a", tree_finding::hidden}, {"/t/b", tree_finding::lock}}));
  EXPECT_EQ(walk_over({}, "/t", {"/t"}).found, (findings{{"/t", tree_finding::hidden}}));
}

TEST(lock_tree, leaves_it_to_the_semaphore_that_one_of_its_lists_is_hidden) {
  EXPECT_EQ(walk_over({{"/t", {"leases", "locks"}}, {"/t/locks", {}}}, "/t", {"/t/leases"}).found,
            (findings{{"/t", tree_finding::lock}}));
}

TEST(lock_tree, does_not_mind_nodes_that_go_meanwhile) {
  EXPECT_EQ(walk_over({{"/t", {"a", "b"}}, {"/t/b", mutex_queue}}).found, (findings{{"/t/b", tree_finding::lock}}));
  EXPECT_EQ(walk_over({}).found, findings{}) << "nor that the top is not there";
}

TEST(lock_tree, leaves_out_the_servers_own_nodes_below_the_root_alone) {
  const tree all{
      {"", {"zookeeper", "a"}}, {"/zookeeper", mutex_queue}, {"/a", {"zookeeper"}}, {"/a/zookeeper", mutex_queue}};
  EXPECT_EQ(walk_over(all, "").found, (findings{{"/a/zookeeper", tree_finding::lock}}));
  EXPECT_EQ(walk_over(all, "/zookeeper").found, (findings{{"/zookeeper", tree_finding::lock}})) << "asked for by name";
}

TEST(lock_tree, takes_that_name_for_a_users_in_a_chroot) {
  lock_tree walk("", lock_tree::nodes_max, true);
  const names children{"zookeeper"};
  EXPECT_EQ(walk.listed(*walk.next(), code::ok, children), tree_finding::no_lock);
  EXPECT_EQ(walk.next(), (tree_node{"/zookeeper"}));
}

TEST(lock_tree, ends_at_its_bound_and_not_before) {
  const names three{"a", "b", "c"};
  lock_tree up_to_it("/t", 4);
  EXPECT_EQ(up_to_it.listed(*up_to_it.next(), code::ok, three), tree_finding::no_lock);
  lock_tree beyond("/t", 3);
  EXPECT_EQ(beyond.listed(*beyond.next(), code::ok, three), tree_finding::too_many_nodes);
  lock_tree as_shipped("/t");
  const names most(lock_tree::nodes_max - 1, "a-lock-0000000001");
  EXPECT_EQ(as_shipped.listed(*as_shipped.next(), code::ok, most), tree_finding::lock);
  EXPECT_EQ(as_shipped.listed({"/t/a"}, code::ok, {}), tree_finding::no_lock);
  EXPECT_EQ(as_shipped.listed({"/t/b"}, code::ok, three), tree_finding::too_many_nodes);
}

TEST(lock_tree, fails_with_any_other_answer) {
  for (const code answer : {code::connection_loss, code::throttled, code::session_moved, code::system_error}) {
    lock_tree walk("/t");
    EXPECT_EQ(walk.listed(*walk.next(), answer, {}), tree_finding::failed);
  }
}

TEST(lock_tree, gives_each_node_once_and_nothing_while_none_is_known) {
  lock_tree walk("/t");
  const auto top = walk.next();
  ASSERT_TRUE(top);
  EXPECT_FALSE(walk.next()) << "before its list is answered";
  EXPECT_EQ(walk.seen(), 0U);
  static_cast<void>(walk.listed(*top, code::ok, names{"a", "b"}));
  std::set<std::string> given{walk.next()->path, walk.next()->path};
  EXPECT_EQ(given, (std::set<std::string>{"/t/a", "/t/b"}));
  EXPECT_FALSE(walk.next());
}

}  // namespace
}  // namespace zklock::recipes
