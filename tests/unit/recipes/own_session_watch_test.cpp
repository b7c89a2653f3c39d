#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/recipes/one_session.hpp"

/// Readers and writers of one session, and what a waiter behind its own session learns of its own node.
namespace zklock::recipes::words {
namespace {

std::string tell_all(one_session& session, one_session::place one, std::string_view several) {
  std::string last;
  for (const std::string& word : split(several)) {
    last = session.tell(one, word);
  }
  return last;
}

// ---- readers and writers

TEST(own_session_sides, a_reader_behind_a_writer_waits_without_a_list_and_passes) {
  one_session session;
  const auto writer = session.holder(4, to_write);
  const auto reader = session.add(to_read);
  EXPECT_EQ(session.tell(reader, "connected"), "create_own");
  EXPECT_EQ(session.created(reader, 5), "watch_own_later");
  EXPECT_EQ(tell_all(session, writer, "release removed:ok"), "pass_on finish");
  EXPECT_TRUE(session.is_granted(reader));
}

TEST(own_session_sides, a_reader_behind_a_reader_lists) {
  one_session session;
  const auto writer = session.holder(4, to_write);
  const auto first = session.follower(5, to_read);
  const auto second = session.add(to_read);
  EXPECT_EQ(session.tell(second, "connected"), "create_own list");
  EXPECT_EQ(session.created(second, 6), "nothing");
  EXPECT_EQ(session.listed(second, {session.name_of(writer), session.name_of(first), session.name_of(second)}),
            "watch_own_later")
      << "it waits for the writer";
  EXPECT_EQ(tell_all(session, writer, "release removed:ok"), "pass_on finish");
  EXPECT_EQ(session.heard(first), "grant");
  EXPECT_EQ(session.heard(second), "list");
  EXPECT_EQ(session.listed(second, {session.name_of(first), session.name_of(second)}), "grant");
}

TEST(own_session_sides, a_writer_behind_a_reader_lists_and_waits_for_its_end) {
  one_session session;
  const auto reader = session.holder(4, to_read);
  const auto writer = session.add(to_write);
  EXPECT_EQ(session.tell(writer, "connected"), "create_own list");
  session.created(writer, 5);
  EXPECT_EQ(session.listed(writer, {session.name_of(reader), session.name_of(writer)}), "watch_own_later");
  EXPECT_EQ(session.tell(reader, "release"), "remove_own");
  EXPECT_EQ(session.machine(reader).successor(), "") << "a reader was not alone";
  EXPECT_EQ(session.tell(reader, "removed:ok"), "finish");
  EXPECT_EQ(session.heard(writer), "list");
}

TEST(own_session_sides, a_confirmed_downgrade_lets_the_readers_behind_it_look_and_pass) {
  one_session session;
  const auto writer = session.holder(4, to_write);
  const auto first = session.follower(5, to_read);
  const auto second = session.add(to_read);
  session.enter(second, 6);
  const std::vector<std::string> all{session.name_of(writer), session.name_of(first), session.name_of(second)};
  session.listed(second, all);
  EXPECT_EQ(session.tell(writer, "downgrade"), "mark_own");
  EXPECT_EQ(session.heard(first), "") << "the servers have not confirmed it";
  EXPECT_EQ(session.tell(writer, "marked:ok"), "tell_of_mark");
  EXPECT_EQ(session.heard(first), "list");
  EXPECT_EQ(session.heard(second), "share_list");
  EXPECT_EQ(session.listed(first, all), "grant");
  EXPECT_EQ(session.listed(second, all), "grant");
}

TEST(own_session_sides, a_reader_that_lists_behind_a_downgraded_writer_passes_at_once) {
  one_session session;
  const auto writer = session.holder(4, to_write);
  tell_all(session, writer, "downgrade marked:ok");
  for (const bool one_try : {false, true}) {
    const auto reader = session.add(to_read, one_try);
    const int number = one_try ? 6 : 5;
    EXPECT_EQ(session.tell(reader, "connected"), "create_own list");
    session.created(reader, number);
    EXPECT_EQ(session.listed(reader, {session.name_of(writer), session.name_of(reader)}), "grant");
  }
}

TEST(own_session_sides, a_reader_that_lists_while_the_mark_is_under_way_is_told_of_it) {
  one_session session;
  const auto writer = session.holder(4, to_write);
  session.tell(writer, "downgrade");
  const auto reader = session.add(to_read);
  session.enter(reader, 5);
  const std::vector<std::string> all{session.name_of(writer), session.name_of(reader)};
  EXPECT_EQ(session.listed(reader, all), "watch_own_later");
  EXPECT_EQ(tell_all(session, writer, "marked:loss connected"), "mark_own");
  EXPECT_EQ(session.heard(reader), "");
  EXPECT_EQ(session.tell(writer, "marked:ok"), "tell_of_mark");
  EXPECT_EQ(session.heard(reader), "list");
  EXPECT_EQ(session.listed(reader, all), "grant");
}

TEST(own_session_sides, a_downgraded_writer_passes_nothing_on) {
  one_session session;
  const auto writer = session.holder(4, to_write);
  const auto next = session.follower(5, to_write);
  tell_all(session, writer, "downgrade marked:ok");
  EXPECT_EQ(session.heard(next), "nothing") << "a mark is nothing to a writer";
  EXPECT_EQ(session.tell(writer, "release"), "remove_own");
  EXPECT_EQ(session.machine(writer).successor(), "") << "other readers may hold";
  EXPECT_EQ(session.tell(writer, "removed:ok"), "finish");
  EXPECT_EQ(session.heard(next), "list");
}

TEST(own_session_sides, a_reader_behind_two_writers_of_the_session_waits_for_the_nearer_one) {
  one_session session;
  const auto first = session.holder(4, to_write);
  const auto second = session.follower(5, to_write);
  const auto reader = session.follower(6, to_read);
  EXPECT_EQ(session.machine(reader).predecessor(), session.name_of(second));
  tell_all(session, first, "downgrade marked:ok");
  EXPECT_EQ(session.heard(reader), "") << "that writer is not before it alone";
  tell_all(session, first, "release removed:ok");
  EXPECT_EQ(session.heard(second), "nothing, list");
  session.listed(second, {session.name_of(second), session.name_of(reader)});
  EXPECT_EQ(tell_all(session, second, "release removed:ok"), "pass_on finish");
  EXPECT_TRUE(session.is_granted(reader));
}

// ---- the own node

class own_session_watch : public testing::Test {
 protected:
  std::string tell(std::string_view several) { return tell_all(session, waiter, several); }

  one_session session;
  one_session::place holder = session.holder(4);
  one_session::place waiter = session.follower(5);
};

TEST_F(own_session_watch, a_waiter_watches_its_own_node_from_the_first_look_on) {
  EXPECT_EQ(tell("look_after_own"), "watch_own");
  EXPECT_EQ(tell("look_after_own"), "nothing") << "the answer is on its way";
  EXPECT_EQ(tell("own_watched:ok"), "nothing");
  EXPECT_EQ(tell("look_after_own"), "nothing") << "it stands";
  EXPECT_TRUE(session.machine(waiter).is_waiting());
}

TEST_F(own_session_watch, f12_an_own_node_reported_gone_ends_the_wait) {
  EXPECT_EQ(tell("look_after_own own_watched:ok own_gone"), "start_over finish");
  EXPECT_EQ(session.tell(holder, "release"), "remove_own");
  EXPECT_EQ(session.machine(holder).successor(), "");
}

TEST_F(own_session_watch, f12_an_own_node_that_is_not_found_ends_the_wait) {
  EXPECT_EQ(tell("look_after_own own_watched:no_node"), "start_over finish");
}

TEST_F(own_session_watch, f09_an_own_node_of_another_session_ends_the_wait) {
  EXPECT_EQ(tell("look_after_own own_watched:foreign"), "forget_own start_over finish");
}

TEST_F(own_session_watch, an_own_node_that_may_not_be_read_is_an_error) {
  EXPECT_EQ(tell("look_after_own own_watched:no_auth"), "refuse remove_own");
  EXPECT_EQ(session.machine(waiter).refused_with(), code::no_auth);
}

TEST_F(own_session_watch, a_look_of_unknown_outcome_is_repeated_later) {
  EXPECT_EQ(tell("look_after_own own_watched:loss"), "watch_own_later");
  EXPECT_TRUE(session.machine(waiter).waits_behind(session.name_of(holder)));
  EXPECT_EQ(tell("look_after_own"), "watch_own");
}

TEST_F(own_session_watch, data_set_on_the_own_node_uses_the_watch_up) {
  EXPECT_EQ(tell("look_after_own own_watched:ok own_changed"), "watch_own_later");
  EXPECT_EQ(tell("look_after_own"), "watch_own");
}

TEST_F(own_session_watch, the_turn_may_come_while_the_own_node_is_asked_for) {
  EXPECT_EQ(tell("look_after_own"), "watch_own");
  tell_all(session, holder, "release removed:ok");
  EXPECT_EQ(session.heard(waiter), "grant");
  EXPECT_EQ(tell("own_watched:ok"), "nothing");
  EXPECT_EQ(tell("own_gone"), "lose finish");
}

TEST_F(own_session_watch, a_holder_by_a_turn_that_was_passed_on_finds_its_own_node_gone) {
  tell("look_after_own");
  tell_all(session, holder, "release removed:ok");
  EXPECT_EQ(tell("own_watched:no_node"), "lose finish");
}

TEST_F(own_session_watch, a_list_decides_when_the_predecessor_leaves_before_the_own_node_is_seen) {
  tell("look_after_own");
  tell_all(session, holder, "release removed:no_node");
  EXPECT_EQ(session.heard(waiter), "list");
  EXPECT_EQ(tell("own_watched:no_node"), "nothing");
  EXPECT_EQ(session.listed(waiter, {}), "start_over finish");
}

TEST_F(own_session_watch, a_look_during_a_list_is_not_lost) {
  tell_all(session, holder, "release removed:no_node");
  EXPECT_EQ(tell("look_after_own"), "nothing");
  EXPECT_EQ(session.listed(waiter, {stranger(2), stranger(3), session.name_of(waiter)}),
            "watch_predecessor watch_own_later");
}

TEST_F(own_session_watch, a_stop_drops_the_own_watch) {
  EXPECT_EQ(tell("look_after_own own_watched:ok stop"), "refuse forget_own remove_own");
}

TEST_F(own_session_watch, a_watch_that_comes_up_after_the_stop_is_dropped) {
  EXPECT_EQ(tell("look_after_own stop"), "refuse remove_own");
  EXPECT_EQ(tell("own_watched:ok"), "forget_own");
}

TEST_F(own_session_watch, a_watch_on_an_earlier_predecessor_is_dropped_behind_the_own_session) {
  const auto third = session.add();
  session.enter(third, 7);
  session.listed(third, {session.name_of(holder), session.name_of(waiter), stranger(6), session.name_of(third)});
  EXPECT_EQ(tell_all(session, third, "predecessor_watched:ok look_after_own own_watched:loss connected"), "list");
  EXPECT_EQ(session.listed(third, {session.name_of(holder), session.name_of(waiter), session.name_of(third)}),
            "forget_predecessor watch_own_later");
}

}  // namespace
}  // namespace zklock::recipes::words
