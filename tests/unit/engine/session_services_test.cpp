#include "src/engine/session_services.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "tests/unit/engine/recorded_session.hpp"
#include "tests/unit/engine/scripted_operation.hpp"

namespace zklock::engine {
namespace {

using namespace std::chrono_literals;
using client::code;
using kind = heartbeat::request_kind;
using test_support::diary;

/// What the operations of a session get that was opened, and is connected, at 100 s.
struct services_of_a_session : testing::Test {
  /// What the operation does in one call; and what it is told behind it.
  template <class Script>
  diary in_a_call(Script&& what, std::uint64_t operation = 1) {
    const session_facts facts = services.facts(100s);
    out wants(services, facts, operation);
    what(wants);
    diary heard;
    test_support::scripted_operation one("one", heard);
    for (const auto& told : wants.told()) {
      out behind(services, facts, operation);
      told(one, behind);
    }
    return heard;
  }
  void count(counted what, int by) {
    in_a_call([&](out& wants) { wants.count(what, by); });
  }
  bool is_covered_at_once(std::uint64_t operation) {
    return in_a_call([](out& wants) { wants.await_cover(); }, operation) == diary{"one covered"};
  }
  diary take() { return std::exchange(seen, {}); }

  diary seen;
  test_support::recorded_session recorded{seen};
  test_support::recorded_servers& servers = recorded.servers;
  deadline_keeper& deadline = recorded.deadline;
  wire& way = recorded.way;
  current_session& session = recorded.session;
  session_services& services = recorded.services;
};

TEST_F(services_of_a_session, are_its_facts) {
  const session_facts facts = services.facts(101s);
  EXPECT_EQ(facts.now, 101s);
  EXPECT_TRUE(facts.connected);
  EXPECT_FALSE(facts.suspended || facts.adopted);
  EXPECT_TRUE(facts.containers);
  EXPECT_EQ(facts.id, 0x100);
  EXPECT_EQ(facts.timeout, 6s);
  EXPECT_EQ(*facts.root, "/root");
  EXPECT_EQ(*facts.deadline, deadline.of_holds());
  EXPECT_EQ(facts.world, &recorded.world);
  session.disconnected();
  session.enter(session_state::suspended);
  servers.is_adopted = true;
  const session_facts later = services.facts(101s);
  EXPECT_FALSE(later.connected);
  EXPECT_TRUE(later.suspended && later.adopted);
}

TEST_F(services_of_a_session, send_requests_at_once_with_what_is_to_be_kept_of_them) {
  in_a_call([this](out& wants) {
    wants.request_heard_first(70, client::request::sync{"/"});
    EXPECT_EQ(take(), diary{"sync"});
    wants.quorum_write(71);
    EXPECT_EQ(take(), diary{"multi"});
  });
  const auto first = way.answered(1, servers.sent[0]), second = way.answered(1, servers.sent[1]);
  EXPECT_TRUE(first->is.first && first->is.proves);
  EXPECT_FALSE(first->is.quorum);
  EXPECT_EQ(first->as, 70U);
  EXPECT_TRUE(second->is.quorum && second->is.proves);
  EXPECT_FALSE(second->is.first);
}

TEST_F(services_of_a_session, say_behind_the_call_that_there_is_no_room_for_a_watch) {
  EXPECT_EQ(in_a_call([](out& wants) { wants.get_and_watch(70, "/a"); }), diary{});
  recorded.refuse_watches();
  EXPECT_EQ(in_a_call([](out& wants) { wants.get_and_watch(71, "/a"); }), diary{"one watch refused 71"});
  EXPECT_EQ(take(), (diary{"get /a", "get /a"}));
}

TEST_F(services_of_a_session, say_at_once_that_the_deadline_is_ahead_or_send_one_heartbeat_for_all_that_wait) {
  EXPECT_FALSE(is_covered_at_once(1));
  EXPECT_EQ(take(), diary{"multi"}) << "a write: none is answered in this session";
  EXPECT_FALSE(is_covered_at_once(2));
  EXPECT_TRUE(take().empty());
  deadline.answered(*way.answered(1, servers.sent[0]), code::ok, 100'010ms);
  EXPECT_TRUE(is_covered_at_once(3));
  in_a_call([](out& wants) { wants.await_no_cover(); }, 1);
  EXPECT_EQ(deadline.next_covered(100'010ms), 2U);
}

TEST_F(services_of_a_session, count_what_it_is_kept_for) {
  count(counted::node, +1);
  count(counted::hold, +1);
  EXPECT_TRUE(deadline.has_nodes() && deadline.has_holds());
  count(counted::hold, -1);
  EXPECT_TRUE(deadline.has_nodes());
  EXPECT_FALSE(deadline.has_holds());
}

TEST_F(services_of_a_session, remember_that_the_servers_know_no_containers) {
  in_a_call([](out& wants) { wants.note_no_containers(); });
  EXPECT_FALSE(services.facts(100s).containers);
}

TEST_F(services_of_a_session, tell_the_world_of_losses_and_in_its_log) {
  in_a_call([](out& wants) {
    wants.report_loss({});
    wants.log({log_level::info, "a line"});
  });
  EXPECT_EQ(take(), (diary{"loss", "log a line"}));
}

TEST_F(services_of_a_session, end_with_the_operation) {
  in_a_call(
      [](out& wants) {
        wants.request(70, client::request::sync{"/"});
        wants.list_and_watch(71, "/a");
        wants.await_cover();
      },
      7);
  take();
  services.forget(7);
  EXPECT_EQ(take(), diary{"forget children /a"});
  deadline.answered(*way.answered(1, servers.sent.back()), code::ok, 100'010ms);
  EXPECT_EQ(deadline.next_covered(100'010ms), std::nullopt) << "it waits no more";
}

TEST_F(services_of_a_session, send_the_heartbeats_that_are_due) {
  EXPECT_EQ(services.beat_due(), std::nullopt);
  count(counted::node, +1);
  ASSERT_EQ(services.beat_due(), 101'200ms);
  services.beat_if_due(101'200ms - 1ns);
  EXPECT_TRUE(take().empty());
  services.beat_if_due(101'200ms);
  EXPECT_EQ(take(), diary{"multi"});
  EXPECT_EQ(way.answered(1, servers.sent[0])->owner, 0U) << "the engine's own";
  services.send_beat(kind::sync, 101'300ms);
  EXPECT_EQ(take(), diary{"sync"});
  services.stop_beats();
  EXPECT_EQ(services.beat_due(), std::nullopt);
}

TEST_F(services_of_a_session, have_no_heartbeat_without_a_connection) {
  count(counted::node, +1);
  way.handles().retire({});
  EXPECT_EQ(services.beat_due(), std::nullopt);
}

}  // namespace
}  // namespace zklock::engine
