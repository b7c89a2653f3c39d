#include "src/testing/leadership.hpp"

#include "tests/unit/testing/small_world.hpp"

namespace zklock::testing {
namespace {

namespace request = client::request;
using namespace std::chrono_literals;

struct leadership_of_three : public world_of_three {
  leadership leader{w};
};

TEST_F(leadership_of_three, sends_each_entry_to_the_followers_that_believe_in_it) {
  w.servers[2].serving = false;
  leader.change_nodes({{change::kind::create, "/a", {}, {}, 0, false}});
  EXPECT_EQ(w.log.size(), 1U);
  EXPECT_NE(w.servers[0].nodes.nodes().find("/a"), nullptr);
  EXPECT_EQ(w.servers[1].line.down.size(), 1U);
  EXPECT_TRUE(w.servers[2].line.down.empty());
  EXPECT_EQ(w.servers[1].nodes.nodes().find("/a"), nullptr);
  leader.follow(w.servers[1]);
  EXPECT_NE(w.servers[1].nodes.nodes().find("/a"), nullptr);
}

TEST_F(leadership_of_three, takes_writes_with_a_quorum_and_syncs_without) {
  const auto h = connected(1);
  ask(*h, 1, request::create{"/a"});
  ask(*h, 2, request::sync{"/a"});
  request_intake(w).serve(*h->at);
  request_intake(w).serve(*h->at);
  server& follower = w.servers[1];
  EXPECT_TRUE(can_lead(w, follower));
  w.servers[2].down = true;
  EXPECT_TRUE(can_lead(w, follower));
  follower.frozen = true;
  EXPECT_FALSE(can_lead(w, follower));
  follower.line.up.pop_front();
  EXPECT_TRUE(can_lead(w, follower));
  follower.line.unheard = true;
  EXPECT_FALSE(can_lead(w, follower));
}

TEST_F(leadership_of_three, takes_a_zxid_for_a_write_that_it_refuses) {
  const auto h = connected(1);
  w.sessions.find(h->session.id())->owner = 2;
  const std::int64_t before = w.log.last_zxid();
  ask(*h, 1, request::create{"/a"});
  serve_all();
  EXPECT_EQ(w.log.last_zxid(), before + 1);
  EXPECT_EQ(w.servers.nodes().find("/a"), nullptr);
  EXPECT_EQ(h->at->down.back().what, downward::kind::hangup) << "the session has moved";
}

TEST_F(leadership_of_three, hears_of_sessions_when_it_pings_its_followers) {
  const auto h = connected(1);
  const std::int64_t id = h->session.id();
  const instant before = w.sessions.find(id)->deadline;
  w.now = 2s;
  leader.touch(w.servers[1], id, 6s);
  EXPECT_EQ(w.sessions.find(id)->deadline, before);
  leader.ping_followers();
  EXPECT_EQ(w.ping.next_at(), 2250ms);
  serve_all();
  EXPECT_EQ(w.sessions.find(id)->deadline, before + 2s);
  EXPECT_TRUE(w.servers[1].touched.empty());
}

TEST_F(leadership_of_three, removes_what_a_session_leaves_behind) {
  const auto h = connected(1);
  ask(*h, 1, request::create{"/a", "", client::create_mode::ephemeral});
  serve_all();
  EXPECT_NE(w.servers.nodes().find("/a"), nullptr);
  leader.expire(h->session.id());
  EXPECT_EQ(w.servers.nodes().find("/a"), nullptr);
  EXPECT_TRUE(h->at->server_open) << "its server has not heard of it";
  serve_all();
  EXPECT_FALSE(h->at->server_open);
}

TEST_F(leadership_of_three, ends_no_session_without_a_quorum) {
  const auto h = connected(1);
  w.servers[1].frozen = w.servers[2].frozen = true;
  leader.expire(h->session.id());
  leader.replace(h->session.id());
  EXPECT_TRUE(w.sessions.contains(h->session.id()));
  EXPECT_NE(h->at, nullptr);
}

TEST_F(leadership_of_three, gives_another_session_for_one_that_is_replaced) {
  const auto h = connected(1);
  const std::int64_t before = h->session.id();
  leader.replace(before);
  EXPECT_EQ(h->at, nullptr);
  client_library(w).connect(*h);
  serve_all();
  deliver_all(h);
  EXPECT_EQ(told.take(), (lines{"connecting", "connected"}));
  EXPECT_NE(h->session.id(), before);
}

TEST_F(leadership_of_three, answers_syncs_alone_once_it_is_deposed) {
  const auto h = connected(0);
  w.servers[0].deposed.emplace(w.sessions, 2s);
  ask(*h, 1, request::sync{"/a"});
  request_intake(w).serve(*h->at);
  EXPECT_EQ(h->at->down.size(), 1U);
  ask(*h, 2, request::create{"/a"});
  ask(*h, 3, request::sync{"/a"});
  request_intake(w).serve(*h->at);
  request_intake(w).serve(*h->at);
  EXPECT_EQ(h->at->down.size(), 1U) << "the write waits, and what is behind it";
  EXPECT_EQ(h->at->stage.size(), 2U);
}

}  // namespace
}  // namespace zklock::testing
