#include "src/operations/lock_node_making.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/recipes/all_codes.hpp"

/// What is created for a lock node, and what comes of it.
namespace zklock::operations {
namespace {

using client::code;
using client::create_mode;
using recipes::all_codes;

const client::acl ours{{31, "ip", "::1"}};

/// Answered so, topmost first.
lock_node_making answered(const std::vector<code>& answers, bool containers = true) {
  lock_node_making making(answers.size(), containers);
  for (const code one : answers) {
    EXPECT_FALSE(making.complete());
    making.answered(one);
  }
  EXPECT_TRUE(making.complete());
  return making;
}

TEST(lock_node_making, asks_for_each_part_of_the_path_the_topmost_first) {
  const auto creates = creates_of({"/a/b/c", "limit=5\n", true, ours}, true);
  ASSERT_EQ(creates.size(), 3U);
  EXPECT_EQ(creates[0].path, "/a");
  EXPECT_EQ(creates[1].path, "/a/b");
  EXPECT_EQ(creates[2].path, "/a/b/c");
  EXPECT_EQ(creates[1].data, "") << "the data is the lock node's";
  EXPECT_EQ(creates[2].data, "limit=5\n");
  for (const auto& one : creates) {
    EXPECT_EQ(one.acl, ours);
  }
}

TEST(lock_node_making, asks_for_containers_but_for_what_is_to_stay_and_on_old_servers) {
  for (const bool containers : {true, false}) {
    for (const bool stays : {true, false}) {
      const auto creates = creates_of({"/a/b", "", stays, ours}, containers);
      ASSERT_EQ(creates.size(), 2U);
      EXPECT_EQ(creates[0].mode, containers ? create_mode::container : create_mode::persistent);
      EXPECT_EQ(creates[1].mode, containers && !stays ? create_mode::container : create_mode::persistent);
    }
  }
}

TEST(lock_node_making, without_data_asks_for_what_is_above_the_node_alone) {
  const auto creates = creates_of({"/a/b/c", {}, true, ours}, true);
  ASSERT_EQ(creates.size(), 2U);
  EXPECT_EQ(creates.back().path, "/a/b");
  EXPECT_TRUE(creates_of({"/a", {}, true, ours}, true).empty());
}

TEST(lock_node_making, of_a_single_part_says_what_that_was_answered) {
  for (const code answer : all_codes) {
    const lock_node_making made = answered({answer}, false);
    EXPECT_EQ(made.result(), answer) << name(answer);
    EXPECT_EQ(made.without_root(), answer == code::no_node);
  }
}

TEST(lock_node_making, takes_the_failure_above_for_the_cause_where_no_parent_is_found) {
  for (const code cause :
       {code::no_auth, code::invalid_acl, code::no_children_for_ephemerals, code::throttled, code::connection_loss}) {
    EXPECT_EQ(answered({cause, code::no_node, code::no_node}).result(), cause);
    EXPECT_EQ(answered({code::node_exists, cause, code::no_node}).result(), cause);
    EXPECT_EQ(answered({code::node_exists, code::ok, cause}).result(), cause);
  }
}

TEST(lock_node_making, forgives_a_part_that_may_not_be_made_when_it_was_there) {
  EXPECT_EQ(answered({code::no_auth, code::node_exists, code::ok}).result(), code::ok);
  EXPECT_EQ(answered({code::no_auth, code::no_auth, code::node_exists}).result(), code::node_exists);
}

TEST(lock_node_making, goes_by_the_lowest_part_that_had_a_parent) {
  EXPECT_EQ(answered({code::throttled, code::connection_loss}).result(), code::connection_loss)
      << "it may have been made";
  EXPECT_EQ(answered({code::ok, code::node_exists, code::no_node}).result(), code::no_node)
      << "the parent went in between";
}

TEST(lock_node_making, knows_that_the_chroot_is_missing_from_the_topmost_part_alone) {
  EXPECT_TRUE(answered({code::no_node, code::no_node}).without_root());
  EXPECT_FALSE(answered({code::ok, code::no_node}).without_root());
  EXPECT_FALSE(answered({code::no_auth, code::no_node}).without_root());
}

TEST(lock_node_making, is_to_be_asked_for_again_when_an_old_server_has_refused_a_container) {
  const lock_node_making made = answered({code::unimplemented, code::no_node});
  EXPECT_TRUE(made.containers_refused());
  EXPECT_EQ(made.result(), code::no_node);
  EXPECT_FALSE(made.without_root());
  EXPECT_EQ(answered({code::node_exists, code::unimplemented}).result(), code::no_node);
}

TEST(lock_node_making, does_not_blame_containers_that_were_not_asked_for) {
  const lock_node_making made = answered({code::unimplemented, code::no_node}, false);
  EXPECT_FALSE(made.containers_refused());
  EXPECT_EQ(made.result(), code::unimplemented);
}

}  // namespace
}  // namespace zklock::operations
