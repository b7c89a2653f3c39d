#include "src/engine/operation_table.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <zklock/error.hpp>

#include "tests/unit/engine/on_a_table.hpp"

namespace zklock::engine {
namespace {

using namespace std::chrono_literals;
using test_support::diary;

using operations = test_support::on_a_table;

// ---- beginning and end

TEST_F(operations, are_begun_by_their_first_call) {
  begin(1);
  EXPECT_EQ(seen, diary{"1 begin"});
}

TEST_F(operations, are_stopped_in_place_of_their_beginning_where_there_is_a_reason_to_refuse_them) {
  const auto refused = make(1);
  table.begin(refused, detail::failure{errc::session_closed}, now);
  EXPECT_EQ(seen, diary{"1 stop"});
  EXPECT_EQ(refused->stopped_by, errc::session_closed);
  seen.clear();
  connect();
  EXPECT_EQ(seen, diary{});
}

TEST_F(operations, that_are_stopped_before_they_are_begun_end_at_once_as_abandoned) {
  for (const auto& refused : {std::optional<detail::failure>(), std::optional(detail::failure{errc::session_closed})}) {
    seen.clear();
    const std::string number = refused ? "2" : "1";
    const auto early = make(refused ? 2 : 1);
    table.stop(early, {errc::not_connected}, now);
    EXPECT_EQ(seen, diary{});
    table.begin(early, refused, now);
    EXPECT_EQ(seen, (diary{number + " stop"}));
    EXPECT_EQ(early->stopped_by, errc::abandoned);
  }
}

TEST_F(operations, are_stopped_with_the_reason_and_not_called_afterwards) {
  const auto one = begin(1, 101s);
  seen.clear();
  table.stop(one, {errc::abandoned}, now);
  EXPECT_EQ(one->stopped_by, errc::abandoned);
  table.stop(one, {errc::abandoned}, now);
  stop_all({errc::session_closed});
  connect();
  table.fire_timers(200s);
  EXPECT_EQ(seen, diary{"1 stop"});
  EXPECT_EQ(table.due(), std::nullopt);
}

TEST_F(operations, that_are_all_stopped_hear_why) {
  const auto all = begin_all(2);
  stop_all({errc::session_closed});
  EXPECT_EQ(seen, (diary{"1 stop", "2 stop"}));
  EXPECT_EQ(all[1]->stopped_by, errc::session_closed);
}

TEST_F(operations, live_as_long_as_they_are_under_way) {
  std::weak_ptr<operation> one = begin(1);
  EXPECT_FALSE(one.expired());
  table.stop(one.lock(), {errc::abandoned}, now);
  EXPECT_TRUE(one.expired());
}

// ---- what they are told

TEST_F(operations, are_told_what_happens_in_the_order_of_their_beginning) {
  begin_all(3);
  connect();
  EXPECT_EQ(seen, (diary{"1 connected", "2 connected", "3 connected"}));
  seen.clear();
  disconnect();
  EXPECT_EQ(seen, (diary{"1 disconnected", "2 disconnected", "3 disconnected"}));
}

TEST_F(operations, have_the_number_of_their_turn_while_they_are_under_way) {
  const auto first = make(1);
  EXPECT_EQ(first->number(), 0U);
  table.begin(first, {}, now);
  EXPECT_EQ(first->number(), 1U);
  first->at_next_call([](out& wants) {
    EXPECT_EQ(wants.number(), 1U);
    wants.finish();
  });
  connect();
  EXPECT_EQ(first->number(), 0U);
  EXPECT_EQ(begin(2)->number(), 2U) << "no number comes twice";
}

TEST_F(operations, are_not_there_when_the_table_is_cleared) {
  const auto one = begin(1, 101s);
  table.clear();
  EXPECT_EQ(one->number(), 0U);
  EXPECT_EQ(one.use_count(), 1);
  EXPECT_EQ(table.due(), std::nullopt);
  EXPECT_FALSE(table.call(1, now, [](operation& it, out& wants) { it.connected(wants); }));
  EXPECT_EQ(seen, diary{"1 begin"});
}

TEST_F(operations, are_answered_each_with_its_own_tag_and_answer) {
  const auto all = begin_all(2);
  all[0]->at_next_call([](out& wants) { ask(wants, 70); });
  all[1]->at_next_call([](out& wants) { ask(wants, 80); });
  connect();
  seen.clear();
  EXPECT_TRUE(answer("first"));
  EXPECT_TRUE(answer("second"));
  EXPECT_EQ(seen, (diary{"1 reply 70", "2 reply 80"}));
  EXPECT_EQ(all[0]->last_data, "first");
  EXPECT_EQ(all[1]->last_data, "second");
}

TEST_F(operations, are_not_told_what_is_answered_to_others) {
  begin_all(1);
  for (const std::uint64_t owner : {std::uint64_t{0}, std::uint64_t{2}, ledger::forgotten}) {
    EXPECT_FALSE(table.call(owner, now, [](operation& it, out& wants) { it.reply(7, {}, wants); }));
  }
  EXPECT_EQ(seen, diary{});
}

TEST_F(operations, are_not_answered_what_they_want_forgotten) {
  const auto all = begin_all(1);
  all[0]->at_next_call([](out& wants) {
    ask(wants, 7);
    wants.forget_requests();
    ask(wants, 8);
  });
  connect();
  seen.clear();
  EXPECT_FALSE(answer());
  EXPECT_TRUE(answer());
  EXPECT_EQ(seen, diary{"1 reply 8"});
}

TEST_F(operations, are_not_answered_when_they_have_finished) {
  const auto all = begin_all(1);
  all[0]->at_next_call([](out& wants) {
    ask(wants, 7);
    wants.finish();
  });
  connect();
  EXPECT_FALSE(answer());
}

TEST_F(operations, see_the_session_as_it_is_at_the_time_of_the_call) {
  const auto all = begin_all(1);
  const auto see = [this](out& wants) {
    seen.push_back(wants.full("/a") + (wants.session().connected ? " on at " : " off at ") +
                   std::to_string(wants.session().now / 1s));
  };
  all[0]->at_next_call(see);
  all[0]->at_next_call(see);
  connect();
  session.disconnect();
  now += 5s;
  disconnect();
  EXPECT_EQ(seen, (diary{"1 connected", "/root/a on at 100", "1 disconnected", "/root/a off at 105"}));
}

// ---- one at a time

TEST_F(operations, send_count_and_log_at_once_and_in_order) {
  const auto all = begin_all(1);
  all[0]->at_next_call([this](out& wants) {
    ask(wants, 1);
    wants.request_heard_first(2, client::request::sync{"/"});
    log(wants, "one");
    wants.forget_requests();
    wants.note_no_containers();
    wants.quorum_write(3);
    wants.get_and_watch(4, "/a");
    wants.list_and_watch(5, "/b");
    wants.forget_watch(4);
    wants.await_cover();
    wants.await_no_cover();
    wants.count(counted::node, 1);
    wants.count(counted::hold, 1);
    wants.report_loss(nullptr);
    log(wants, "two");
    wants.finish();
    seen.emplace_back("1 returns");
  });
  connect();
  EXPECT_EQ(seen, (diary{"1 connected", "exists 1", "sync", "log one", "multi", "get /a", "list /b", "forget data /a",
                         "sync", "loss", "log two", "1 returns", "forget children /b"}));
  EXPECT_FALSE(answer()) << "forgotten";
  EXPECT_TRUE(session.deadline.has_nodes() && session.deadline.has_holds());
  EXPECT_FALSE(session.services.facts(now).containers);
}

TEST_F(operations, keep_the_table_busy_during_a_call) {
  const auto all = begin_all(1);
  EXPECT_FALSE(table.is_busy());
  int times = 0;
  const auto expect_busy = [&] {
    ++times;
    EXPECT_TRUE(table.is_busy());
  };
  session.servers.on_submit = expect_busy;
  session.world.on_log = expect_busy;
  all[0]->at_next_call([&](out& wants) {
    expect_busy();
    ask(wants, 1);
    log(wants, "one");
  });
  connect();
  EXPECT_EQ(times, 3);
  EXPECT_FALSE(table.is_busy());
}

TEST_F(operations, are_not_called_from_within_a_call_when_a_host_delays_answers_that_come_at_once) {
  const auto all = begin_all(2);
  std::size_t waiting = 0;
  session.servers.on_submit = [&] { waiting += table.is_busy() ? 1 : 0; };
  all[0]->at_next_call([](out& wants) {
    ask(wants, 1);
    ask(wants, 2);
  });
  all[1]->at_next_call([](out& wants) { ask(wants, 3); });
  connect();
  EXPECT_EQ(waiting, 3U);
  for (; waiting > 0; --waiting) {
    EXPECT_FALSE(table.is_busy());
    answer();
  }
  EXPECT_EQ(seen, (diary{"1 connected", "exists 1", "exists 2", "2 connected", "exists 3", "1 reply 1", "1 reply 2",
                         "2 reply 3"}));
}

TEST_F(operations, that_end_while_others_are_called_are_not_called) {
  const auto all = begin_all(3);
  all[0]->at_next_call(
      [&](out& wants) { wants.call(all[1], [&](out& of_second) { all[1]->stop({errc::abandoned}, of_second); }); });
  connect();
  EXPECT_EQ(seen, (diary{"1 connected", "2 stop", "3 connected"}));
}

TEST_F(operations, that_are_begun_while_others_are_called_are_not_told_what_was_before) {
  const auto all = begin_all(2);
  all[0]->at_next_call([&](out& wants) { wants.begin(make(3)); });
  connect();
  EXPECT_EQ(seen, (diary{"1 connected", "3 begin", "2 connected"}));
}

TEST_F(operations, keep_the_table_busy_until_the_outermost_call_has_ended) {
  const auto all = begin_all(2);
  all[0]->at_next_call([](out& wants) {
    log(wants, "stop 2");
    ask(wants, 1);
  });
  session.world.on_log = [&] { table.stop(all[1], {errc::abandoned}, now); };
  session.servers.on_submit = [&] { EXPECT_TRUE(table.is_busy()); };
  connect();
  EXPECT_EQ(seen.back(), "exists 1");
  EXPECT_FALSE(table.is_busy());
}

// ---- timers

TEST_F(operations, have_one_timer_each_and_the_first_of_all_is_due) {
  EXPECT_EQ(table.due(), std::nullopt);
  begin(1, 103s);
  begin(2);
  EXPECT_EQ(table.due(), 103s);
  begin(3, 101s);
  EXPECT_EQ(table.due(), 101s);
  seen.clear();
  table.fire_timers(101s - 1ns);
  EXPECT_EQ(seen, diary{});
}

TEST_F(operations, move_and_cancel_their_timer_with_each_call) {
  const auto one = begin(1, 103s);
  for (const std::optional<instant> moved : {std::optional<instant>(102s), {104s}, {}, {105s}}) {
    one->when = moved;
    connect();
    EXPECT_EQ(table.due(), moved) << "not the one before";
  }
}

TEST_F(operations, are_called_at_their_instants_in_the_order_of_these) {
  const auto first = begin(1, 103s), second = begin(2, 101s), third = begin(3, 102s);
  seen.clear();
  second->at_next_call([&](out&) { second->when = 104s; });
  third->at_next_call([&](out&) { third->when.reset(); });
  table.fire_timers(102s);
  EXPECT_EQ(seen, (diary{"2 timer", "3 timer"}));
  EXPECT_EQ(table.due(), 103s);
  first->at_next_call([&](out&) { first->when.reset(); });
  second->at_next_call([&](out&) { second->when.reset(); });
  table.fire_timers(110s);
  EXPECT_EQ(seen, (diary{"2 timer", "3 timer", "1 timer", "2 timer"}));
  EXPECT_EQ(table.due(), std::nullopt);
}

TEST_F(operations, that_are_due_at_the_same_instant_are_called_in_the_order_of_their_beginning) {
  const auto first = begin(1, 101s), second = begin(2, 101s);
  seen.clear();
  first->at_next_call([&](out&) { first->when.reset(); });
  second->at_next_call([&](out&) { second->when.reset(); });
  table.fire_timers(101s);
  EXPECT_EQ(seen, (diary{"1 timer", "2 timer"}));
}

TEST_F(operations, that_are_due_again_within_the_same_time_are_called_again_by_the_next_task) {
  const auto one = begin(1, 101s);
  seen.clear();
  one->at_next_call([&](out&) { one->when = 102s; });
  one->at_next_call([&](out&) { one->when = 104s; });
  table.fire_timers(103s);
  EXPECT_EQ(seen, diary{"1 timer"});
  EXPECT_EQ(table.due(), 102s);
  table.fire_timers(103s);
  EXPECT_EQ(seen, (diary{"1 timer", "1 timer"}));
  EXPECT_EQ(table.due(), 104s);
}

TEST_F(operations, take_their_timer_along_when_they_end) {
  const auto first = begin(1, 101s), second = begin(2, 102s);
  seen.clear();
  session.world.on_log = [&] { table.stop(second, {errc::abandoned}, now); };
  first->at_next_call([](out& wants) {
    log(wants, "end 2");
    wants.finish();
  });
  table.fire_timers(103s);
  EXPECT_EQ(seen, (diary{"1 timer", "log end 2", "2 stop"}));
  EXPECT_EQ(table.due(), std::nullopt);
}

}  // namespace
}  // namespace zklock::engine
