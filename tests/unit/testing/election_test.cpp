#include "src/testing/election.hpp"

#include "tests/unit/testing/small_world.hpp"

namespace zklock::testing {
namespace {

using namespace std::chrono_literals;

struct election_of_three : public world_of_three {
  election servers{w};
};

TEST_F(election_of_three, follows_when_the_leader_is_killed) {
  const auto h = connected(1);
  leadership(w).change_nodes({{change::kind::create, "/a", {}, {}, 0, false}});
  servers.kill(w.servers[0]);
  EXPECT_FALSE(w.servers.has_leader());
  EXPECT_EQ(h->at, nullptr) << "all connections are reset";
  ASSERT_TRUE(w.servers.can_elect());
  const std::int64_t before = w.log.last_zxid();
  w.now = 3s;
  servers.elect();
  EXPECT_EQ(w.servers.leader_number(), 1);
  EXPECT_TRUE(w.servers.has_quorum());
  EXPECT_GT(w.log.last_zxid() >> 32, before >> 32);
  EXPECT_NE(w.servers[2].nodes.nodes().find("/a"), nullptr) << "it was in the log";
  EXPECT_EQ(w.sessions.find(h->session.id())->deadline, 9500ms);
  EXPECT_EQ(w.ping.next_at(), 3250ms);
}

TEST_F(election_of_three, is_not_needed_when_a_follower_is_killed) {
  servers.kill(w.servers[2]);
  EXPECT_TRUE(w.servers.has_quorum());
  servers.kill(w.servers[1]);
  EXPECT_FALSE(w.servers.has_leader());
  EXPECT_FALSE(w.servers.can_elect());
  servers.restart(w.servers[1]);
  EXPECT_TRUE(w.servers.can_elect());
}

TEST_F(election_of_three, leaves_a_deposed_leader_serving_until_it_rejoins) {
  servers.depose_leader();
  server& old = w.servers[0];
  EXPECT_TRUE(old.serving && old.deposed);
  EXPECT_EQ(old.deposed->steps_down_at(), 2s);
  servers.elect();
  EXPECT_EQ(w.servers.leader_number(), 1);
  EXPECT_FALSE(w.servers.believes_in_leader(old));
  leadership(w).change_nodes({{change::kind::create, "/a", {}, {}, 0, false}});
  EXPECT_EQ(old.nodes.nodes().find("/a"), nullptr);
  servers.rejoin(old);
  EXPECT_FALSE(old.deposed);
  EXPECT_TRUE(w.servers.attached(old));
  EXPECT_NE(old.nodes.nodes().find("/a"), nullptr);
}

TEST_F(election_of_three, is_due_when_too_few_follow) {
  servers.give_leader_up(w.servers[1]);
  EXPECT_TRUE(w.servers.has_leader());
  EXPECT_TRUE(w.servers.can_rejoin(w.servers[1]));
  servers.give_leader_up(w.servers[2]);
  EXPECT_FALSE(w.servers.has_leader());
}

TEST_F(election_of_three, deposes_a_leader_that_stands_still) {
  w.servers[0].frozen = true;
  servers.give_leader_up(w.servers[1]);
  EXPECT_TRUE(w.servers[0].deposed);
  w.now = 5s;
  servers.resume(w.servers[0]);
  EXPECT_FALSE(w.servers[0].frozen);
  EXPECT_EQ(w.servers[0].deposed->steps_down_at(), 7s) << "it counts the ticks in which it ran";
}

TEST_F(election_of_three, resumes_a_leader_with_the_ping_that_is_overdue) {
  w.servers[0].frozen = true;
  w.now = 1s;
  servers.resume(w.servers[0]);
  EXPECT_EQ(w.servers[1].line.down.size(), 1U);
  EXPECT_EQ(w.ping.next_at(), 1250ms);
}

struct election_of_one : public small_world {};

TEST_F(election_of_one, keeps_sessions_and_nodes_over_a_restart) {
  const auto h = connected();
  leadership(w).change_nodes({{change::kind::create, "/a", {}, {}, 0, false}});
  w.now = 3s;
  election(w).restart(w.servers[0]);
  EXPECT_EQ(h->at, nullptr);
  EXPECT_TRUE(w.servers.has_quorum());
  EXPECT_NE(w.servers.nodes().find("/a"), nullptr);
  EXPECT_EQ(w.sessions.find(h->session.id())->deadline, 9500ms);
}

}  // namespace
}  // namespace zklock::testing
