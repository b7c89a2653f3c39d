#include "src/engine/wire.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "tests/unit/engine/recorded_world.hpp"

namespace zklock::engine {
namespace {

using namespace std::chrono_literals;
using test_support::diary;

/// A connection of generation 1, opened at 100 s.
struct requests_on_the_wire : testing::Test {
  requests_on_the_wire() {
    deadline.opened(100s, false);
    way.handles().open({});
    deadline.connected(6s);
    seen.clear();
  }
  void send(std::uint64_t owner, tag as, client::any_request what, instant now = 100s) {
    way.send({0, owner, as, {}}, std::move(what), now);
  }
  bool watch(std::uint64_t owner, tag as, const char* path, watch_table::kind on = watch_table::kind::data) {
    return way.watch(owner, as, path, on, 100s);
  }
  diary take() { return std::exchange(seen, {}); }

  diary seen;
  test_support::recorded_servers servers{seen};
  test_support::recorded_world world{seen};
  recipes::local_deadline deadline;
  wire way{servers, world, deadline};
};

TEST_F(requests_on_the_wire, are_answered_to_their_owner_once) {
  send(7, 70, client::request::sync{"/"});
  ASSERT_EQ(servers.sent.size(), 1U);
  EXPECT_FALSE(way.answered(2, servers.sent[0])) << "of another connection";
  const auto asked = way.answered(1, servers.sent[0]);
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->owner, 7U);
  EXPECT_EQ(asked->as, 70U);
  EXPECT_FALSE(way.answered(1, servers.sent[0]));
}

TEST_F(requests_on_the_wire, are_noted_for_the_deadline_if_they_ask_the_leader) {
  send(1, 1, client::request::get{"/a", client::no_watch}, 101s);
  send(1, 2, client::request::list{"/a", client::no_watch}, 101s);
  send(1, 3, client::request::exists{"/a"}, 101s);
  EXPECT_EQ(deadline.pace().last(), 100s) << "a read says nothing of the leader";
  send(1, 4, client::request::sync{"/"}, 102s);
  EXPECT_EQ(deadline.pace().last(), 102s);
  EXPECT_EQ(deadline.pace().last_write(), std::nullopt);
  send(1, 5, client::request::remove{"/a"}, 103s);
  EXPECT_EQ(deadline.pace().last_write(), 103s);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(way.answered(1, servers.sent[i])->is.proves, i >= 3) << i;
  }
}

TEST_F(requests_on_the_wire, go_nowhere_without_a_connection) {
  way.handles().retire({});
  take();
  send(1, 1, client::request::sync{"/"}, 105s);
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(deadline.pace().last(), 100s);
}

TEST_F(requests_on_the_wire, of_an_owner_that_forgets_them_are_answered_to_no_operation) {
  send(1, 1, client::request::sync{"/"});
  send(2, 1, client::request::sync{"/"});
  way.forget_requests(1);
  EXPECT_EQ(way.answered(1, servers.sent[0])->owner, ledger::forgotten) << "it moves the deadline all the same";
  EXPECT_EQ(way.answered(1, servers.sent[1])->owner, 2U);
}

TEST_F(requests_on_the_wire, set_watches_on_data_and_on_children) {
  EXPECT_TRUE(watch(1, 70, "/a"));
  EXPECT_TRUE(watch(1, 71, "/b", watch_table::kind::children));
  EXPECT_EQ(take(), (diary{"get /a", "list /b"}));
  EXPECT_EQ(way.watch_count(), 2U);
  const auto asked = way.answered(1, servers.sent[0]);
  ASSERT_TRUE(asked);
  EXPECT_TRUE(asked->is.watch);
  EXPECT_FALSE(asked->is.proves);
  way.forget_watch(1, 71);
  way.forget_watch(1, 70);
  way.forget_watch(1, 70);
  EXPECT_EQ(take(), (diary{"forget children /b", "forget data /a"}));
}

TEST_F(requests_on_the_wire, set_a_watch_by_exists_which_may_stand_where_there_is_no_node) {
  EXPECT_TRUE(watch(1, 70, "/a", watch_table::kind::exists));
  EXPECT_EQ(take(), diary{"exists /a"});
  const auto asked = way.answered(1, servers.sent[0]);
  EXPECT_TRUE(asked->is.watch && asked->is.exists);
  way.forget_watch(1, 70);
  EXPECT_EQ(take(), diary{"forget exists /a"});
}

TEST_F(requests_on_the_wire, are_sent_without_a_watch_where_there_is_no_room) {
  servers.budget.bytes = servers.budget.cost_of("/a");
  EXPECT_TRUE(watch(1, 70, "/a"));
  EXPECT_FALSE(watch(1, 71, "/a"));
  EXPECT_EQ(take(), (diary{"get /a", "get /a"}));
  EXPECT_EQ(way.watch_count(), 1U);
}

TEST_F(requests_on_the_wire, set_watches_that_fire_once_and_on_their_own_connection) {
  EXPECT_TRUE(watch(9, 70, "/a"));
  EXPECT_FALSE(way.fired(2, 1));
  const auto fired = way.fired(1, 1);
  ASSERT_TRUE(fired);
  EXPECT_EQ(fired->owner, 9U);
  EXPECT_EQ(fired->as, 70U);
  EXPECT_FALSE(way.fired(1, 1));
}

TEST_F(requests_on_the_wire, of_an_owner_that_ends_leave_no_watch) {
  EXPECT_TRUE(watch(1, 70, "/a") && watch(1, 71, "/b") && watch(2, 70, "/c"));
  take();
  way.forget(1);
  EXPECT_EQ(take().size(), 2U);
  EXPECT_EQ(way.watch_count(), 1U);
  EXPECT_EQ(way.answered(1, servers.sent[2])->owner, 2U);
}

TEST_F(requests_on_the_wire, are_not_expected_any_more_once_the_session_is_over) {
  send(1, 1, client::request::sync{"/"});
  EXPECT_TRUE(watch(1, 70, "/a"));
  way.clear();
  EXPECT_FALSE(way.answered(1, servers.sent[0]));
  EXPECT_FALSE(way.fired(1, 1));
  EXPECT_EQ(way.watch_count(), 0U);
}

}  // namespace
}  // namespace zklock::engine
