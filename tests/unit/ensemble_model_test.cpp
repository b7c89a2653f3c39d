#include "src/testing/ensemble_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

namespace zklock::testing {
namespace {

namespace request = client::request;
using client::create_mode;
using recipes::code;
using namespace std::chrono_literals;

/// What one connection is told, as lines.
class diary final : public client::observer {
 public:
  void on_reply(client::request_id id, client::reply&& answer) override {
    lines.push_back("reply " + std::to_string(id) + " " + std::string(recipes::name(answer.code)));
    last = std::move(answer);
  }
  void on_node_event(client::watch_id id, client::node_event event) override {
    lines.push_back("event " + std::to_string(id) + " " + std::to_string(static_cast<int>(event)));
  }
  void on_session_event(const client::session_event& event) override {
    static const char* const names[] = {"connecting", "connected", "expired", "auth failed"};
    lines.emplace_back(names[static_cast<int>(event.state)]);
    if (event.state == client::connection_state::connected) session = event.session_id;
  }
  void on_closed(bool confirmed) override { lines.emplace_back(confirmed ? "closed" : "left"); }

  std::vector<std::string> take() { return std::exchange(lines, {}); }

  std::vector<std::string> lines;
  client::reply last;
  std::int64_t session = 0;
};

struct program {
  explicit program(ensemble& in, int number = 0, int server = 0)
      : connection(in.clients(number, server)->open({.timeout = 6s}, told)) {}
  void ask(client::request_id id, client::any_request what) { connection->submit(id, std::move(what)); }

  diary told;
  std::unique_ptr<client::connection> connection;
};

using lines = std::vector<std::string>;

const step* find(const std::vector<step>& in, step_kind kind, int server = -1) {
  const auto it = std::find_if(in.begin(), in.end(),
                               [&](const step& s) { return s.kind == kind && (server < 0 || s.server == server); });
  return it == in.end() ? nullptr : &*it;
}

/// Performs steps of one kind while there are any.
void perform_all(ensemble& e, step_kind kind, int server = -1) {
  for (;;) {
    const std::vector<step> next = e.steps();
    const step* one = find(next, kind, server);
    if (one == nullptr) return;
    e.perform(*one);
  }
}

/// Lets time pass as in a healthy ensemble: each timer in its turn, and all that follows from it.
void pass_time(ensemble& e, instant by) {
  const instant until = e.now() + by;
  for (std::optional<instant> next = e.next_timer(); next && *next <= until; next = e.next_timer()) {
    e.advance(*next - e.now());
    ASSERT_TRUE(e.settle());
  }
  e.advance(until - e.now());
  ASSERT_TRUE(e.settle());
}

TEST(ensemble_model, does_nothing_by_itself) {
  ensemble e;
  program p(e);
  p.ask(1, request::create{"/a", "", create_mode::persistent, {client::acl_entry{}}});
  EXPECT_TRUE(p.told.lines.empty());
  ASSERT_EQ(e.steps().size(), 1U);
  EXPECT_EQ(e.describe(e.steps().front()), "c0 -> s0: connect");
  e.perform(e.steps().front());
  EXPECT_TRUE(p.told.lines.empty());
  e.perform(e.steps().front());
  EXPECT_EQ(p.told.take(), lines{"connected"});
  EXPECT_EQ(e.describe(e.steps().front()), "c0 -> s0: create /a");
  e.perform(e.steps().front());
  EXPECT_TRUE(p.told.lines.empty());
  EXPECT_TRUE(e.exists("/a"));
  e.perform(e.steps().front());
  EXPECT_EQ(p.told.take(), lines{"reply 1 ZOK"});
  EXPECT_TRUE(e.steps().empty());
}

TEST(ensemble_model, equal_schedules_give_equal_worlds) {
  const auto run = [] {
    ensemble e({.servers = 3});
    program a(e, 0, 0);
    program b(e, 1, 1);
    for (client::request_id i = 1; i < 5; ++i) {
      a.ask(i, request::create{"/a-", "", create_mode::ephemeral_sequential, {client::acl_entry{}}});
      b.ask(i, request::list{"/", i});
    }
    std::vector<std::size_t> seen;
    for (std::size_t i = 0; i < 60 && !e.steps().empty(); ++i) {
      const std::vector<step> next = e.steps();
      const step& chosen = next[i * 7 % next.size()];
      seen.push_back(hash_value(chosen));
      e.perform(chosen);
    }
    return std::pair(seen, a.told.lines.size() + b.told.lines.size());
  };
  EXPECT_EQ(run(), run());
}

TEST(ensemble_model, steps_are_distinct_and_hash_by_value) {
  ensemble e({.servers = 3});
  program a(e, 0, 0);
  program b(e, 1, 1);
  ASSERT_TRUE(e.settle());
  a.ask(1, request::sync{"/"});
  b.ask(1, request::list{"/"});
  const std::vector<step> next = e.steps();
  EXPECT_EQ(std::unordered_set<step>(next.begin(), next.end()).size(), next.size());
}

TEST(ensemble_model, a_request_lost_before_it_was_applied_leaves_nothing) {
  ensemble e;
  program p(e);
  ASSERT_TRUE(e.settle());
  p.told.take();
  p.ask(1, request::create{"/a", "", create_mode::persistent, {client::acl_entry{}}});
  e.apply({fault_kind::request_lost, 0, e.faults().front().handle, 0});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(p.told.take(), (lines{"connecting", "reply 1 ZCONNECTIONLOSS", "connected"}));
  EXPECT_FALSE(e.exists("/a"));
}

TEST(ensemble_model, a_request_applied_whose_reply_is_lost_leaves_its_node) {
  ensemble e;
  program p(e);
  ASSERT_TRUE(e.settle());
  p.told.take();
  p.ask(1, request::create{"/a", "", create_mode::persistent, {client::acl_entry{}}});
  e.apply({fault_kind::request_reply_lost, 0, e.faults().front().handle, 0});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(p.told.take(), (lines{"connecting", "reply 1 ZCONNECTIONLOSS", "connected"}));
  EXPECT_TRUE(e.exists("/a"));
}

TEST(ensemble_model, each_kind_of_fault_is_offered_in_some_state) {
  std::set<fault_kind> offered;
  const auto note = [&](const ensemble& e) {
    for (const fault& f : e.faults()) {
      offered.insert(f.kind);
      EXPECT_FALSE(e.describe(f).empty());
    }
  };
  ensemble e({.servers = 3});
  program p(e, 0, 1);
  ASSERT_TRUE(e.settle());
  p.ask(1, request::create{"/c", "", create_mode::container, {client::acl_entry{}}});
  note(e);
  perform_all(e, step_kind::serve);
  perform_all(e, step_kind::lead);
  perform_all(e, step_kind::follow);
  note(e);
  p.ask(2, request::create{"/c/x", "", create_mode::persistent, {client::acl_entry{}}});
  p.ask(3, request::remove{"/c/x"});
  ASSERT_TRUE(e.settle());
  note(e);
  e.stop_server(1);
  e.lag_follower(2);
  e.hold(0, true, true);
  note(e);
  EXPECT_EQ(offered.size(), static_cast<std::size_t>(fault_kinds));
}

TEST(ensemble_model, silence_ends_a_connection_at_two_thirds_of_the_timeout_and_the_session_at_its_end) {
  ensemble e;
  program p(e);
  ASSERT_TRUE(e.settle());
  p.told.take();
  p.ask(1, request::create{"/a", "", create_mode::ephemeral, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.hold(0, true, true);
  p.ask(2, request::sync{"/"});
  pass_time(e, 3999ms);
  EXPECT_TRUE(p.told.lines.empty());
  pass_time(e, 1ms);
  EXPECT_EQ(p.told.take(), (lines{"connecting", "reply 2 ZOPERATIONTIMEOUT"}));
  pass_time(e, 1999ms);
  EXPECT_TRUE(e.exists("/a"));
  pass_time(e, 501ms);
  EXPECT_FALSE(e.exists("/a"));
  EXPECT_TRUE(e.sessions().empty());
  e.hold(0, false, false);
  pass_time(e, 4s);
  EXPECT_EQ(p.told.take(), lines{"expired"});
}

TEST(ensemble_model, a_held_request_may_be_executed_long_after_its_client_has_given_it_up) {
  ensemble e;
  program p(e);
  ASSERT_TRUE(e.settle());
  e.hold(0, true, true);
  p.ask(1, request::create{"/late", "", create_mode::persistent, {client::acl_entry{}}});
  pass_time(e, 4s);
  EXPECT_EQ(p.told.take(), (lines{"connected", "connecting", "reply 1 ZOPERATIONTIMEOUT"}));
  e.hold(0, false, false);
  const std::vector<step> next = e.steps();
  const step* late = find(next, step_kind::serve);
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(e.describe(*late), "c0 -> s0: create /late (late)");
  e.perform(*late);
  EXPECT_TRUE(e.exists("/late"));
}

TEST(ensemble_model, lost_replies_keep_a_blind_client_in_its_session_for_ever) {
  ensemble e;
  program p(e);
  ASSERT_TRUE(e.settle());
  p.ask(1, request::create{"/a", "", create_mode::ephemeral, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  e.hold(0, false, true);
  pass_time(e, 60s);
  EXPECT_TRUE(e.exists("/a"));
  EXPECT_EQ(p.told.lines.back(), "connecting");
}

TEST(ensemble_model, an_idle_client_keeps_its_session_by_pings_through_a_follower) {
  ensemble e({.servers = 3});
  program p(e, 0, 2);
  ASSERT_TRUE(e.settle());
  p.ask(1, request::create{"/a", "", create_mode::ephemeral, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  pass_time(e, 60s);
  EXPECT_TRUE(e.exists("/a"));
  EXPECT_EQ(p.told.take(), (lines{"connected", "reply 1 ZOK"}));
  EXPECT_GT(e.requests(0).pings, 20U);
}

TEST(ensemble_model, a_follower_reads_old_nodes_until_it_follows_and_a_sync_waits_for_that) {
  ensemble e({.servers = 3});
  program writer(e, 0, 0);
  program reader(e, 1, 1);
  ASSERT_TRUE(e.settle());
  reader.told.take();
  e.lag_follower(1);
  writer.ask(1, request::create{"/a", "", create_mode::persistent, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(writer.told.lines.back(), "reply 1 ZOK");
  reader.ask(1, request::exists{"/a"});
  reader.ask(2, request::sync{"/a"});
  reader.ask(3, request::exists{"/a"});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(reader.told.take(), lines{"reply 1 ZNONODE"});
  e.join_follower(1);
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(reader.told.take(), (lines{"reply 2 ZOK", "reply 3 ZOK"}));
}

TEST(ensemble_model, a_cut_follower_answers_reads_while_the_leader_expires_its_clients) {
  ensemble e({.servers = 3, .tick = 2000ms});
  program p(e, 0, 1);
  ASSERT_TRUE(e.settle());
  p.ask(1, request::create{"/a", "", create_mode::ephemeral, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.cut_follower(1);
  p.ask(2, request::exists{"/a"});
  p.ask(3, request::sync{"/a"});
  p.ask(4, request::exists{"/a"});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(p.told.take(), lines{"reply 2 ZOK"}) << "the sync waits, and what is behind it";
  e.expire(p.told.session);
  EXPECT_FALSE(e.exists("/a"));
  program other(e, 1, 1);
  ASSERT_TRUE(e.settle());
  EXPECT_TRUE(other.told.lines.empty()) << "a new session needs the leader";
}

TEST(ensemble_model, a_client_refuses_a_server_that_has_seen_less_than_itself) {
  ensemble e({.servers = 3});
  program p(e, 0, 0);
  ASSERT_TRUE(e.settle());
  e.lag_follower(1);
  p.ask(1, request::create{"/a", "", create_mode::persistent, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.cut(0);  // next in its list is the laggard
  p.ask(2, request::exists{"/a"});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(p.told.take(), (lines{"connecting", "reply 2 ZCONNECTIONLOSS", "connected"}));
  p.ask(3, request::exists{"/a"});
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(p.told.take(), lines{"reply 3 ZOK"});
}

TEST(ensemble_model, a_dead_leader_is_replaced_and_sessions_start_their_clocks_afresh) {
  ensemble e({.servers = 3});
  program p(e, 0, 1);
  ASSERT_TRUE(e.settle());
  p.ask(1, request::create{"/a", "", create_mode::ephemeral, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  e.lag_follower(2);
  pass_time(e, 500ms);
  const instant before = e.sessions().front().deadline;
  e.advance(1500ms);
  e.kill_server(0);
  p.told.take();
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(e.leader(), 1);
  EXPECT_TRUE(e.exists("/a"));
  ASSERT_EQ(e.sessions().size(), 1U);
  EXPECT_GT(e.sessions().front().deadline, before);
  pass_time(e, 200ms);
  p.ask(2, request::create{"/b", "", create_mode::persistent, {client::acl_entry{}}});
  pass_time(e, 100ms);
  EXPECT_EQ(p.told.take(), (lines{"connecting", "connected", "reply 2 ZOK"}));
  EXPECT_GT(p.told.last.stat.czxid >> 32, 1) << "a new epoch";
  e.start_server(0);
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(e.leader(), 1);
}

TEST(ensemble_model, a_frozen_leader_is_given_up_after_the_sync_limit) {
  ensemble e({.servers = 3});
  program p(e, 0, 1);
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.stop_server(0);
  pass_time(e, 1999ms);
  EXPECT_EQ(e.leader(), 0);
  pass_time(e, 301ms);
  EXPECT_EQ(e.leader(), 1);
  EXPECT_EQ(p.told.lines.front(), "connecting");
  e.continue_server(0);
  pass_time(e, 10s);
  EXPECT_EQ(p.told.lines.back(), "connected");
  EXPECT_EQ(e.leader(), 1);
}

TEST(ensemble_model, a_session_that_moved_is_told_so_through_its_old_server) {
  ensemble e({.servers = 3});
  program p(e, 0, 1);
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.stop_server(1);
  p.ask(1, request::create{"/old", "", create_mode::persistent, {client::acl_entry{}}});
  pass_time(e, 4s);
  EXPECT_EQ(p.told.take(), (lines{"connecting", "reply 1 ZOPERATIONTIMEOUT", "connected"}));
  e.continue_server(1);
  ASSERT_TRUE(e.settle());
  EXPECT_FALSE(e.exists("/old")) << "the leader knows that the session is used through another server";
}

TEST(ensemble_model, missed_events_may_come_in_any_order_but_before_the_replies) {
  std::set<lines> orders;
  for (std::size_t choice = 0; choice < 6; ++choice) {
    ensemble e;
    for (const char* path : {"/a", "/b", "/c"}) ASSERT_TRUE(e.create_node(path));
    program p(e);
    p.ask(1, request::get{"/a", 1});
    p.ask(2, request::get{"/b", 2});
    p.ask(3, request::get{"/c", 3});
    ASSERT_TRUE(e.settle());
    e.refuse(0, true);
    e.cut(0);
    for (const char* path : {"/a", "/b", "/c"}) ASSERT_TRUE(e.remove_node(path));
    ASSERT_TRUE(e.settle());
    e.refuse(0, false);
    e.advance(1s);
    p.ask(4, request::sync{"/"});
    p.told.take();
    perform_all(e, step_kind::connect);
    e.perform(e.steps().front());
    perform_all(e, step_kind::serve);
    std::vector<step> free = e.steps();
    ASSERT_EQ(free.size(), 3U);
    e.perform(free[choice % 3]);
    free = e.steps();
    ASSERT_EQ(free.size(), 2U);
    e.perform(free[choice / 3]);
    ASSERT_TRUE(e.settle());
    ASSERT_EQ(p.told.lines.size(), 5U);
    EXPECT_EQ(p.told.lines.front(), "connected");
    EXPECT_EQ(p.told.lines.back(), "reply 4 ZOK");
    orders.insert(p.told.lines);
  }
  EXPECT_EQ(orders.size(), 6U);
}

TEST(ensemble_model, steps_that_are_said_to_commute_do) {
  // two requests of different clients, performed in both orders; then all else in one order
  const auto told_after = [](std::size_t first, const std::vector<client::any_request>& asked, bool& commuting) {
    ensemble e;
    EXPECT_TRUE(e.create_node("/x"));
    EXPECT_TRUE(e.create_node("/x/y"));
    EXPECT_TRUE(e.create_node("/z"));
    program a(e, 0);
    program b(e, 1);
    EXPECT_TRUE(e.settle());
    a.ask(1, client::any_request(asked[0]));
    b.ask(1, client::any_request(asked[1]));
    const std::vector<step> next = e.steps();
    EXPECT_EQ(next.size(), 2U);
    commuting = commute(next[0], next[1]);
    e.perform(next[first]);
    e.perform(next[1 - first]);
    EXPECT_TRUE(e.settle());
    lines out = a.told.lines;
    out.insert(out.end(), b.told.lines.begin(), b.told.lines.end());
    for (const client::reply& r : {a.told.last, b.told.last}) {
      out.push_back(r.name + std::to_string(r.stat.czxid) + "," + std::to_string(r.stat.mzxid));
      for (const std::string& child : r.children) out.push_back(child);
    }
    return out;
  };
  const std::vector<client::any_request> some = {
      request::create{"/x/n", "", create_mode::persistent, {client::acl_entry{}}},
      request::create{"/x/s-", "", create_mode::ephemeral_sequential, {client::acl_entry{}}},
      request::remove{"/x/y"},
      request::set{"/z", "new"},
      request::list{"/x", 7},
      request::get{"/x/y", 8},
      request::exists{"/z", 9},
      request::list{"/"},
      request::sync{"/"},
      request::multi{{request::check{"/x"}, request::set{"/z", "m"}}}};
  int commuting_pairs = 0;
  for (const client::any_request& one : some) {
    for (const client::any_request& other : some) {
      bool commuting = false;
      const lines ab = told_after(0, {one, other}, commuting);
      const lines ba = told_after(1, {one, other}, commuting);
      if (commuting) {
        ++commuting_pairs;
        EXPECT_EQ(ab, ba);
      }
    }
  }
  EXPECT_GT(commuting_pairs, 40);
}

TEST(ensemble_model, connections_outlive_it_and_tell_nothing) {
  auto e = std::make_unique<ensemble>();
  program p(*e);
  ASSERT_TRUE(e->settle());
  p.told.take();
  const auto factory = e->clients(1);
  e.reset();
  p.ask(1, request::sync{"/"});
  p.connection->close();
  diary late;
  const auto nowhere = factory->open({}, late);
  nowhere->submit(1, request::sync{"/"});
  EXPECT_TRUE(p.told.lines.empty());
  EXPECT_TRUE(late.lines.empty());
}

TEST(ensemble_model, counts_watches_messages_and_requests_by_client) {
  ensemble e;
  program p(e, 3);
  ASSERT_TRUE(e.settle());
  p.ask(1, request::list{"/", 5});
  p.ask(2, request::get{"/none", 6});
  EXPECT_EQ(e.queued(3), 2U);
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(e.queued(3), 0U);
  EXPECT_EQ(e.watches(3).in_client, 1U);
  EXPECT_EQ(e.watches(3).on_servers, 1U);
  EXPECT_EQ(e.requests(3).total(), 2U);
  EXPECT_EQ(e.requests(0).total(), 0U);
  p.connection->forget("/", 5, client::connection::watch_kind::children);
  EXPECT_EQ(e.watches(3).in_client, 0U);
  EXPECT_EQ(e.watches(3).on_servers, 1U) << "the server keeps its side until it fires";
  ASSERT_TRUE(e.create_node("/fires"));
  EXPECT_EQ(e.watches(3).on_servers, 0U);
}

TEST(ensemble_model, a_crashed_client_hears_nothing_and_its_session_runs_out) {
  ensemble e;
  program p(e);
  p.ask(1, request::create{"/a", "", create_mode::ephemeral, {client::acl_entry{}}});
  ASSERT_TRUE(e.settle());
  p.told.take();
  e.crash(0);
  pass_time(e, 5s);
  EXPECT_TRUE(e.exists("/a"));
  pass_time(e, 2s);
  EXPECT_FALSE(e.exists("/a"));
  EXPECT_TRUE(p.told.lines.empty());
}

TEST(ensemble_model, a_container_that_never_had_a_child_is_not_reaped) {
  ensemble e;
  ASSERT_TRUE(e.create_node("/fresh", "", true));
  ASSERT_TRUE(e.create_node("/used", "", true));
  ASSERT_TRUE(e.create_node("/used/child"));
  EXPECT_EQ(e.reap_containers(), 0);
  ASSERT_TRUE(e.remove_node("/used/child"));
  EXPECT_EQ(e.reap_containers(), 1);
  EXPECT_TRUE(e.exists("/fresh"));
  EXPECT_FALSE(e.exists("/used"));
}

}  // namespace
}  // namespace zklock::testing
