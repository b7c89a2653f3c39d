#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/recipes/one_session.hpp"

/// What the queue of one session says of its contenders.
namespace zklock::recipes::words {
namespace {

std::vector<std::size_t> numbers_of(const std::vector<session_queue::entry>& several) {
  std::vector<std::size_t> numbers;
  for (const session_queue::entry& one : several) {
    numbers.push_back(one.number);
  }
  return numbers;
}

using numbers = std::vector<std::size_t>;

TEST(session_queue, is_empty_until_a_create_is_under_way) {
  one_session one;
  EXPECT_TRUE(one.queue().empty());
  const auto first = one.add();
  one.tell(first, "disconnected");
  EXPECT_TRUE(one.queue().empty()) << "idle";
  one.tell(first, "connected");
  EXPECT_FALSE(one.queue().empty());
  EXPECT_TRUE(one.queue().ends_exclusively()) << "most likely it comes right before the next";
}

TEST(session_queue, knows_a_contender_by_its_name_once_that_is_known) {
  one_session one;
  const auto first = one.holder(4);
  ASSERT_NE(one.queue().find(one.name_of(first)), nullptr);
  EXPECT_EQ(one.queue().find(one.name_of(first))->machine, &one.machine(first));
  EXPECT_EQ(one.queue().find(one.name_of(first))->number, first);
  EXPECT_EQ(one.queue().find(stranger(4)), nullptr) << "the number alone is no name";
  EXPECT_EQ(one.queue().find(stranger(5)), nullptr);
  EXPECT_EQ(one.queue().find("no contender"), nullptr);
}

TEST(session_queue, a_contender_with_the_next_number_stands_right_behind) {
  one_session one;
  const auto first = one.holder(4);
  EXPECT_EQ(one.queue().right_before(stranger(5)), &one.machine(first));
}

TEST(session_queue, says_nothing_across_a_gap_in_the_numbers) {
  one_session one;
  one.holder(4);
  EXPECT_EQ(one.queue().right_before(stranger(6)), nullptr) << "a contender of another session may have 5";
  EXPECT_EQ(one.queue().right_before(stranger(4)), nullptr) << "it does not stand before itself";
  EXPECT_EQ(one.queue().right_before(stranger(3)), nullptr);
  EXPECT_EQ(one.queue().right_before("no contender"), nullptr);
}

TEST(session_queue, a_contender_of_another_recipe_is_no_predecessor) {
  one_session one;
  one.holder(4, to_write);
  EXPECT_EQ(one.queue().right_before(stranger(5)), nullptr);
  EXPECT_NE(one.queue().right_before("read-aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-0000000005"), nullptr);
  EXPECT_NE(one.queue().right_before("write-aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-0000000005"), nullptr);
  EXPECT_EQ(one.queue().right_before("_c_6a0f5f1c-5d1c-4d5b-9a55-0c8a4c1f7b11-__READ__0000000005"), nullptr)
      << "of another layout";
}

TEST(session_queue, f47_numbers_near_the_counters_end_are_in_no_row) {
  one_session one;
  const int last = sequence_limit - 1;
  one.holder(last - 1);
  const auto at_the_end = one.follower(last);
  EXPECT_NE(one.queue().right_before(stranger(last)), nullptr);
  EXPECT_TRUE(one.machine(at_the_end).is_waiting());
  EXPECT_EQ(one.queue().right_before(stranger(last + 1)), nullptr);
  const auto beyond = one.add();
  EXPECT_EQ(one.enter(beyond, last + 1), "list") << "the list refuses it";
}

TEST(session_queue, f47_a_negative_number_and_the_first_one_are_in_no_row) {
  one_session one;
  one.holder(0);
  EXPECT_NE(one.queue().right_before(stranger(1)), nullptr);
  EXPECT_EQ(one.queue().right_before(stranger(0)), nullptr);
  EXPECT_EQ(one.queue().right_before("aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-lock--0000000005"), nullptr);
}

TEST(session_queue, ends_exclusively_while_the_last_one_enters) {
  one_session one;
  one.holder(4);
  const auto second = one.add();
  one.tell(second, "connected");
  EXPECT_TRUE(one.queue().ends_exclusively());
  one.tell(second, "created:loss");
  EXPECT_FALSE(one.queue().ends_exclusively()) << "whether it stands there is not known";
}

TEST(session_queue, does_not_end_exclusively_behind_a_reader) {
  one_session one;
  one.holder(4, to_write);
  EXPECT_TRUE(one.queue().ends_exclusively());
  const auto reader = one.add(to_read);
  one.tell(reader, "connected");
  EXPECT_FALSE(one.queue().ends_exclusively()) << "it enters";
  one.created(reader, 5);
  EXPECT_FALSE(one.queue().ends_exclusively()) << "it waits";
  EXPECT_EQ(one.queue().right_before("read-aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-0000000006"), nullptr);
}

TEST(session_queue, one_that_is_being_removed_is_no_predecessor_any_more) {
  one_session one;
  const auto first = one.holder(4);
  one.tell(first, "release");
  EXPECT_FALSE(one.queue().ends_exclusively());
  EXPECT_EQ(one.queue().right_before(stranger(5)), nullptr);
  EXPECT_NE(one.queue().find(one.name_of(first)), nullptr) << "a list may show it";
  one.tell(first, "removed:loss");
  EXPECT_EQ(one.queue().right_before(stranger(5)), nullptr);
}

TEST(session_queue, a_downgraded_writer_is_no_predecessor_without_a_list) {
  one_session one;
  const auto writer = one.holder(4, to_write);
  one.tell(writer, "downgrade");
  EXPECT_FALSE(one.queue().ends_exclusively());
  EXPECT_EQ(one.queue().right_before("read-aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-0000000005"), nullptr);
  EXPECT_NE(one.queue().find(one.name_of(writer)), nullptr);
}

TEST(session_queue, names_those_that_wait_behind_one_in_their_order) {
  one_session one;
  const auto writer = one.holder(4, to_write);
  const auto first = one.follower(5, to_read);
  const auto second = one.add(to_read);
  one.enter(second, 7);
  one.listed(second, {one.name_of(writer), one.name_of(first), one.name_of(second)});
  const auto last = one.add(to_write);
  one.enter(last, 8);
  one.listed(last, {one.name_of(writer), one.name_of(first), one.name_of(second), one.name_of(last)});
  EXPECT_EQ(numbers_of(one.queue().told_by(one.machine(writer))), (numbers{first, second}));
  EXPECT_EQ(numbers_of(one.queue().told_by(one.machine(second))), (numbers{last}));
  EXPECT_EQ(numbers_of(one.queue().told_by(one.machine(first))), (numbers{}));
}

TEST(session_queue, the_next_one_is_that_right_behind_if_it_waits) {
  one_session one;
  const auto first = one.holder(4);
  EXPECT_EQ(one.queue().first_behind(one.name_of(first)), nullptr);
  const auto second = one.follower(5);
  const auto third = one.follower(6);
  ASSERT_NE(one.queue().first_behind(one.name_of(first)), nullptr);
  EXPECT_EQ(one.queue().first_behind(one.name_of(first))->number, second);
  EXPECT_EQ(one.queue().first_behind(one.name_of(second))->number, third);
  EXPECT_EQ(one.queue().first_behind(one.name_of(third)), nullptr);
  one.tell(second, "stop");
  EXPECT_EQ(one.queue().first_behind(one.name_of(first)), nullptr) << "it does not wait any more";
  EXPECT_EQ(one.queue().first_behind(stranger(4)), nullptr);
}

TEST(session_queue, forgets_a_contender_that_has_left) {
  one_session one;
  const auto first = one.holder(4);
  one.tell(first, "release");
  one.tell(first, "removed:ok");
  EXPECT_TRUE(one.queue().empty());
  const auto second = one.add();
  one.tell(second, "connected");
  one.tell(second, "created:no_auth");
  one.listed(second, {});
  EXPECT_EQ(one.machine(second).life(), node_life::state::finished);
  EXPECT_TRUE(one.queue().empty()) << "it never had a name";
}

TEST(session_queue, a_number_of_a_lock_node_made_anew_takes_no_place_of_another) {
  one_session one;
  const auto old = one.holder(4);
  const auto fresh = one.add();
  one.tell(fresh, "connected");
  one.tell(fresh, "created:no_node");
  one.tell(fresh, "lock_node_made:ok");
  one.created(fresh, 4);
  one.listed(fresh, {one.name_of(fresh)});
  ASSERT_TRUE(one.is_granted(fresh));
  EXPECT_NE(one.queue().find(one.name_of(fresh)), nullptr);
  one.tell(fresh, "release");
  one.tell(fresh, "removed:ok");
  EXPECT_NE(one.queue().find(one.name_of(old)), nullptr) << "that one is there still";
}

TEST(session_queue, names_a_waiter_whose_number_a_contender_of_an_earlier_lock_node_has) {
  one_session one;
  const auto old = one.holder(5);
  const auto fresh = one.add();
  one.tell(fresh, "connected");
  one.tell(fresh, "created:no_node");
  one.tell(fresh, "lock_node_made:ok");
  one.created(fresh, 4);
  one.listed(fresh, {one.name_of(fresh)});
  const auto waiter = one.add();
  one.enter(waiter, 5);
  ASSERT_TRUE(one.machine(waiter).waits_behind(one.name_of(fresh)));
  EXPECT_EQ(numbers_of(one.queue().told_by(one.machine(fresh))), (numbers{waiter}));
  one.tell(fresh, "release");
  EXPECT_EQ(one.machine(fresh).successor(), one.name_of(waiter));
  one.tell(old, "session_over");
  EXPECT_NE(one.queue().find(one.name_of(waiter)), nullptr);
}

TEST(session_queue, two_with_one_number_are_no_predecessor_without_a_list) {
  one_session one;
  static_cast<void>(one.holder(4));
  const auto fresh = one.add();
  one.tell(fresh, "connected");
  one.tell(fresh, "created:no_node");
  one.tell(fresh, "lock_node_made:ok");
  one.created(fresh, 4);
  one.listed(fresh, {one.name_of(fresh)});
  EXPECT_EQ(one.queue().right_before(stranger(5)), nullptr);
}

/// Its node was found, then not found any more: it has no name, then another one.
class renamed : public testing::Test {
 protected:
  void lose_its_name() {
    session.tell(one, "connected");
    session.tell(one, "created:loss");
    session.listed(one, {});
    session.tell(one, "connected");
    session.tell(one, "synced:ok");
    session.listed(one, {one_session::name_with(std::string(session.machine(one).prefix()), 4)});
    EXPECT_EQ(session.machine(one).life(), node_life::state::settling);
    session.tell(one, "own_watched:loss");
    session.tell(one, "connected");
    EXPECT_EQ(session.machine(one).life(), node_life::state::searching);
    EXPECT_EQ(session.name_of(one), "");
  }

  one_session session;
  one_session::place one = session.add();
};

TEST_F(renamed, a_contender_without_its_name_is_no_predecessor) {
  lose_its_name();
  EXPECT_FALSE(session.queue().ends_exclusively());
  EXPECT_EQ(session.queue().right_before(stranger(5)), nullptr);
}

TEST_F(renamed, a_contender_that_leaves_without_its_name_leaves_nothing_behind) {
  lose_its_name();
  session.tell(one, "session_over");
  EXPECT_TRUE(session.queue().empty());
}

TEST_F(renamed, a_contender_with_another_name_has_one_place) {
  lose_its_name();
  session.tell(one, "synced:ok");
  session.listed(one, {});
  session.created(one, 6);
  session.listed(one, {session.name_of(one)});
  ASSERT_TRUE(session.is_granted(one));
  EXPECT_NE(session.queue().find(session.name_of(one)), nullptr);
  EXPECT_EQ(session.queue().right_before(stranger(5)), nullptr) << "4 was its number";
  session.tell(one, "release");
  session.tell(one, "removed:ok");
  EXPECT_TRUE(session.queue().empty());
}

}  // namespace
}  // namespace zklock::recipes::words
