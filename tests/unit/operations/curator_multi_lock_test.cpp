#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include <zklock/error.hpp>

#include "tests/unit/operations/curator_on_a_port.hpp"
#include "tests/unit/operations/multi_lock_on_a_port.hpp"

/// A multi-lock in Curator's layout: its parts one by one, in the order of its list.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using namespace test_support::curator;  // NOLINT: the words of these tests
using test_support::asked_lock;
using test_support::release_parts;
using test_support::scripted_port;

/// A native write lock, two permits of a semaphore, a mutex.
const test_support::multi_layout in = test_support::multi_layouts().back();

TEST(session_curator_multi_lock, f109_its_parts_are_taken_one_by_one_in_the_order_of_the_list) {
  scripted_port port;
  auto lock = in.ask(port);
  ASSERT_EQ(port.asked(), "create list");
  EXPECT_TRUE(port.path_of(0).starts_with("/m/write-"));
  answer(port, 2);
  ASSERT_EQ(port.asked(), "create list list");
  EXPECT_TRUE(port.path_of(0).starts_with("/s/locks/"));
  answer(port, 3);
  ASSERT_EQ(port.asked(), "create list list create list list");
  EXPECT_TRUE(port.path_of(0).starts_with("/s/leases/"));
  answer(port, 6);
  ASSERT_EQ(port.asked(), "remove create list") << "the semaphore's mutex passes at once";
  EXPECT_TRUE(port.path_of(0).starts_with("/s/locks/"));
  EXPECT_TRUE(port.path_of(1).starts_with("/l/_c_"));
  answer(port, 2);
  EXPECT_EQ(lock->answers, 0);
  port.answer();
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(lock->hold->path(), "/m\n/s\n/l");
  EXPECT_EQ(own_nodes(port), 4U);
  EXPECT_EQ(port.asked(), "nothing");
}

TEST(session_curator_multi_lock, each_part_has_the_token_of_its_own_node_and_the_whole_that_of_the_first) {
  scripted_port port;
  auto lock = in.hold_all(port);
  const auto& parts = lock->hold->parts();
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(lock->hold->token(), parts[0]->token());
  EXPECT_LT(parts[0]->token(), parts[1]->token());
  EXPECT_LT(parts[1]->token(), parts[2]->token());
  EXPECT_EQ(parts[1]->path(), "/s");
  EXPECT_EQ(parts[1]->parts().size(), 2U);
  EXPECT_EQ(parts[1]->token(), parts[1]->parts()[0]->token());
  release_parts(port, lock);
  expect_nothing_left(port);
}

TEST(session_curator_multi_lock, f109_two_of_one_list_never_wait_for_each_other) {
  scripted_port port;
  make_lock_nodes(port);
  port.connect();
  const std::vector<scripted_port::path_and_spec> list{{"/l", mutex}, {"/m", mutex}};
  auto first = port.acquire_all(list);
  auto second = port.acquire_all(list);
  port.answer_all();
  EXPECT_TRUE(first->hold);
  EXPECT_EQ(second->answers, 0);
  EXPECT_EQ(port.nodes_under("/m").size(), 1U) << "a waiter for the first has nothing of the second";
  release_parts(port, first);
  EXPECT_TRUE(second->hold);
}

/// What the layout cannot keep: a client that takes its parts one by one, and one that enlists for all at once, can
/// wait for each other, also with one order of the list. All multi-locks over the same paths have to be of one
/// layout.
TEST(session_curator_multi_lock, f109_beside_a_native_one_over_the_same_paths_it_can_deadlock_until_its_limit) {
  scripted_port port;
  port.connect();
  const std::vector<scripted_port::path_and_spec> in_turn{{"/l", mutex}, {"/m", mutex}};
  const std::vector<scripted_port::path_and_spec> at_once{{"/l", {}}, {"/m", {}}};
  auto curators = port.acquire_all(in_turn, port.now + 2s);
  port.answer();
  auto native = port.acquire_all(at_once);
  port.answer_all();
  EXPECT_EQ(curators->answers + native->answers, 0) << "each has what the other waits for";
  answer_until_answered(port, *curators);
  EXPECT_LT(port.now, 110s);
  port.answer_all();
  EXPECT_FALSE(curators->hold);
  EXPECT_TRUE(native->hold);
}

}  // namespace
}  // namespace zklock::detail
