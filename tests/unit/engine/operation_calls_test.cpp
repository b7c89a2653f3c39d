#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include <zklock/error.hpp>

#include "tests/unit/engine/on_a_table.hpp"

/// What operations want of each other, and of themselves later on.
namespace zklock::engine {
namespace {

using test_support::diary;
using operation_calls = test_support::on_a_table;

// ---- of others

TEST_F(operation_calls, are_done_behind_the_call_each_with_all_it_wants_before_the_next) {
  const auto all = begin_all(3);
  all[0]->at_next_call([&](out& wants) {
    log(wants, "1a");
    wants.call(all[1]->number(), [&](out& of_second) { all[1]->hear("called", of_second); });
    log(wants, "1b");
    wants.call(all[2]->number(), [&](out& of_third) { all[2]->hear("called by 1", of_third); });
    log(wants, "1c");
  });
  all[1]->at_next_call([&](out& wants) {
    log(wants, "2a");
    wants.call(all[2]->number(), [&](out& of_third) { all[2]->hear("called by 2", of_third); });
    log(wants, "2b");
  });
  all[2]->at_next_call([](out& wants) { log(wants, "3"); });
  table.call(1, now, [&](operation&, out& wants) { all[0]->hear("called", wants); });
  EXPECT_EQ(seen, (diary{"1 called", "log 1a", "log 1b", "log 1c", "2 called", "log 2a", "log 2b", "3 called by 2",
                         "log 3", "3 called by 1"}));
}

TEST_F(operation_calls, have_an_out_of_the_operation_that_is_called) {
  const auto all = begin_all(2);
  all[0]->at_next_call([](out& wants) {
    wants.call(2, [](out& of_second) {
      EXPECT_EQ(of_second.number(), 2U);
      ask(of_second, 7);
      of_second.finish();
    });
    ask(wants, 8);
  });
  table.call(1, now, [&](operation&, out& wants) { all[0]->hear("called", wants); });
  EXPECT_EQ(seen, (diary{"1 called", "exists 8", "exists 7"}));
  EXPECT_EQ(all[0]->number(), 1U);
  EXPECT_EQ(all[1]->number(), 0U);
}

TEST_F(operation_calls, never_come_from_within_another_call) {
  const auto all = begin_all(2);
  all[0]->at_next_call([&](out& wants) {
    wants.call(2, [&](out& of_second) { all[1]->hear("called", of_second); });
    wants.begin(make(3));
    seen.emplace_back("1 returns");
  });
  all[1]->at_next_call([&](out& wants) {
    wants.call(1, [&](out& of_first) { all[0]->hear("called back", of_first); });
    seen.emplace_back("2 returns");
  });
  connect();
  EXPECT_EQ(seen,
            (diary{"1 connected", "1 returns", "2 called", "2 returns", "1 called back", "3 begin", "2 connected"}));
}

TEST_F(operation_calls, of_what_has_finished_or_was_never_begun_are_not_done) {
  const auto all = begin_all(2);
  const auto early = make(3);
  const auto never = [](out&) { ADD_FAILURE() << "not there"; };
  all[0]->at_next_call([&](out& wants) {
    wants.call(2, [](out& of_second) { of_second.finish(); });
    wants.call(2, never);
    wants.call(all[1], never);
    wants.call(early, never);
    wants.call(77, never);
    log(wants, "further");
  });
  table.call(1, now, [&](operation&, out& wants) { all[0]->hear("called", wants); });
  EXPECT_EQ(seen, (diary{"1 called", "log further"}));
}

TEST_F(operation_calls, reach_what_was_begun_by_an_earlier_step) {
  const auto all = begin_all(1);
  all[0]->at_next_call([this](out& wants) {
    const auto second = make(2);
    second->at_next_call([](out& its) { log(its, "begun"); });
    wants.begin(second);
    wants.call(second, [second](out& its) { second->hear("called", its); });
    log(wants, "further");
  });
  connect();
  EXPECT_EQ(seen, (diary{"1 connected", "log further", "2 begin", "log begun", "2 called"}));
}

// ---- told behind all else

TEST_F(operation_calls, about_a_refused_watch_come_when_all_else_is_done) {
  const auto all = begin_all(2);
  session.refuse_watches();
  all[0]->at_next_call([&](out& wants) {
    wants.get_and_watch(5, "/a");
    wants.list_and_watch(6, "/b");
    wants.call(2, [&](out& of_second) { all[1]->hear("called", of_second); });
    ask(wants, 7);
  });
  all[0]->at_next_call([](out& wants) { log(wants, "without 5"); });
  table.call(1, now, [&](operation&, out& wants) { all[0]->hear("called", wants); });
  EXPECT_EQ(seen, (diary{"1 called", "get /a", "list /b", "exists 7", "2 called", "1 watch refused 5", "log without 5",
                         "1 watch refused 6"}));
}

TEST_F(operation_calls, about_a_deadline_that_is_ahead_come_when_all_else_is_done) {
  const auto all = begin_all(1);
  session.prove();
  seen.clear();
  all[0]->at_next_call([](out& wants) {
    wants.await_cover();
    ask(wants, 7);
  });
  connect();
  EXPECT_EQ(seen, (diary{"1 connected", "exists 7", "1 covered"}));
}

TEST_F(operation_calls, about_what_it_wanted_do_not_come_to_an_operation_that_has_finished) {
  const auto all = begin_all(1);
  session.refuse_watches();
  all[0]->at_next_call([](out& wants) {
    wants.get_and_watch(5, "/a");
    wants.finish();
  });
  connect();
  EXPECT_EQ(seen, (diary{"1 connected", "get /a"}));
}

TEST_F(operation_calls, come_under_the_same_number_and_in_the_same_turn_to_what_it_goes_on_as) {
  const auto all = begin_all(2);
  const auto next = std::make_shared<test_support::scripted_operation>("next", seen);
  next->when = now + std::chrono::seconds(5);
  all[0]->at_next_call([&](out& wants) {
    ask(wants, 7);
    wants.replace_with(next);
    log(wants, "behind");
  });
  table.call(1, now, [&](operation&, out& wants) { all[0]->hear("called", wants); });
  EXPECT_EQ(seen, (diary{"1 called", "exists 7", "log behind", "next begin"}));
  EXPECT_EQ(all[0]->number(), 0U);
  EXPECT_EQ(next->number(), 1U);
  EXPECT_EQ(table.due(), now + std::chrono::seconds(5));
  EXPECT_FALSE(answer()) << "the request was the other one's";
  table.stop(all[0], {errc::abandoned}, now);
  seen.clear();
  connect();
  EXPECT_EQ(seen, (diary{"next connected", "2 connected"}));
}

TEST_F(operation_calls, about_what_the_one_before_wanted_do_not_come_to_the_one_that_replaces_it) {
  const auto one = begin_all(1)[0];
  const auto next = std::make_shared<test_support::scripted_operation>("next", seen);
  one->at_next_call([&](out& wants) {
    wants.await_cover();
    wants.begin_again();
    wants.replace_with(next);
  });
  session.prove();
  connect();
  EXPECT_EQ(seen.back(), "next begin") << "covered() was for the other one";
  seen.clear();
  table.begin_again([] { return std::nullopt; }, now);
  EXPECT_EQ(seen, diary{});
}

TEST_F(operation_calls, keep_the_table_busy_until_the_last_of_them) {
  const auto all = begin_all(2);
  session.refuse_watches();
  int times = 0;
  session.world.on_log = [&] {
    ++times;
    EXPECT_TRUE(table.is_busy());
  };
  all[0]->at_next_call([](out& wants) {
    wants.get_and_watch(5, "/a");
    wants.call(2, [](out& of_second) { log(of_second, "called"); });
    log(wants, "further");
  });
  all[0]->at_next_call([](out& wants) { log(wants, "refused"); });
  connect();
  EXPECT_EQ(times, 3);
  EXPECT_FALSE(table.is_busy());
}

// ---- begun again

class begun_again : public operation_calls {
 protected:
  void want_again(const operation_ptr& one) {
    one->at_next_call([](out& wants) { wants.begin_again(); });
  }
  void begin_again(const std::optional<detail::failure>& refused = {}) {
    table.begin_again(
        [this, refused] {
          seen.emplace_back("asked");
          return refused;
        },
        now);
  }
};

TEST_F(begun_again, are_those_that_want_it_in_their_order_and_once_and_not_before_they_are_to_be) {
  const auto all = begin_all(3);
  want_again(all[2]);
  table.call(3, now, [&](operation&, out& wants) { all[2]->hear("called", wants); });
  want_again(all[0]);
  connect();
  EXPECT_EQ(seen, (diary{"3 called", "1 connected", "2 connected", "3 connected"}));
  seen.clear();
  begin_again();
  EXPECT_EQ(seen, (diary{"asked", "3 begin", "asked", "1 begin"}));
  seen.clear();
  begin_again();
  EXPECT_EQ(seen, diary{});
}

TEST_F(begun_again, are_all_until_none_wants_it_any_more) {
  const auto all = begin_all(2);
  want_again(all[0]);
  want_again(all[1]);
  connect();
  want_again(all[0]);
  seen.clear();
  begin_again();
  EXPECT_EQ(seen, (diary{"asked", "1 begin", "asked", "2 begin", "asked", "1 begin"}));
}

TEST_F(begun_again, are_stopped_where_there_is_a_reason_to_refuse_them) {
  const auto one = begin_all(1)[0];
  want_again(one);
  connect();
  seen.clear();
  begin_again(detail::failure{errc::session_expired});
  EXPECT_EQ(seen, (diary{"asked", "1 stop"}));
  EXPECT_EQ(one->stopped_by, errc::session_expired);
}

TEST_F(begun_again, are_none_that_have_ended_meanwhile) {
  const auto one = begin_all(1)[0];
  want_again(one);
  connect();
  table.stop(one, {errc::abandoned}, now);
  seen.clear();
  begin_again();
  EXPECT_EQ(seen, diary{"asked"});
}

}  // namespace
}  // namespace zklock::engine
