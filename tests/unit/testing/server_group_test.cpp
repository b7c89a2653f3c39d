#include "src/testing/server_group.hpp"

#include <gtest/gtest.h>

namespace zklock::testing {
namespace {

constexpr std::int64_t zxid = 5;

/// Three servers, the first of them leads.
struct three_servers : public ::testing::Test {
  server_group servers{{.servers = 3}, zxid};
};

TEST_F(three_servers, begin_with_a_leader_and_a_quorum) {
  EXPECT_EQ(servers.size(), 3U);
  EXPECT_EQ(servers.leader_number(), 0);
  EXPECT_TRUE(servers.leads(servers[0]));
  EXPECT_TRUE(servers.has_quorum());
  EXPECT_FALSE(servers.can_elect());
  EXPECT_EQ(servers[2].nodes.zxid(), zxid);
}

TEST_F(three_servers, are_found_by_their_number) {
  EXPECT_EQ(servers.find(2), &servers[2]);
  EXPECT_EQ(servers.find(3), nullptr);
  EXPECT_EQ(servers.find(-1), nullptr);
}

TEST_F(three_servers, keep_their_quorum_while_two_are_attached) {
  servers[1].line.cut = true;
  EXPECT_FALSE(servers.attached(servers[1]));
  EXPECT_TRUE(servers.believes_in_leader(servers[1]));
  EXPECT_TRUE(servers.has_quorum());
  servers[2].frozen = true;
  EXPECT_TRUE(servers.attached(servers[2]));
  EXPECT_FALSE(servers.has_quorum());
}

TEST_F(three_servers, have_no_quorum_when_the_leader_is_cut_off) {
  servers[0].line.cut = true;
  EXPECT_FALSE(servers.attached(servers[0]));
  EXPECT_FALSE(servers.attached(servers[1]));
  EXPECT_FALSE(servers.has_quorum());
}

TEST_F(three_servers, elect_when_there_is_no_leader_and_two_can_vote) {
  servers.set_leader(server_group::no_leader);
  EXPECT_FALSE(servers.has_leader());
  EXPECT_TRUE(servers.can_elect());
  servers[0].down = true;
  EXPECT_TRUE(servers.can_elect());
  servers[1].deposed.emplace(session_table({}, {}), instant{0});
  EXPECT_FALSE(servers.can_elect());
}

TEST_F(three_servers, can_spare_one_only_while_all_can_vote) {
  EXPECT_TRUE(servers.can_spare_one());
  servers[1].frozen = true;
  EXPECT_FALSE(servers.can_spare_one());
}

TEST_F(three_servers, rejoin_a_leader_that_they_can_reach) {
  server& follower = servers[1];
  EXPECT_FALSE(servers.can_rejoin(follower));
  follower.serving = false;
  EXPECT_TRUE(servers.can_rejoin(follower));
  follower.line.lagging = true;
  EXPECT_FALSE(servers.can_rejoin(follower));
  follower.line.restore();
  servers.leader().frozen = true;
  EXPECT_FALSE(servers.can_rejoin(follower));
}

TEST_F(three_servers, without_a_leader_show_the_nodes_of_one_that_has_applied_most) {
  log_entry entry;
  entry.zxid = zxid + 1;
  entry.changes.push_back({change::kind::create, "/a", {}, {}, 0, false});
  servers[2].nodes.apply(entry);
  EXPECT_EQ(servers.nodes().find("/a"), nullptr);
  servers.set_leader(server_group::no_leader);
  EXPECT_NE(servers.nodes().find("/a"), nullptr);
}

TEST(server_group, has_at_least_one_server_which_is_its_own_quorum) {
  server_group servers({.servers = 0}, zxid);
  EXPECT_EQ(servers.size(), 1U);
  EXPECT_TRUE(servers.has_quorum());
  servers[0].frozen = true;
  EXPECT_FALSE(servers.has_quorum());
}

TEST(server, forgets_what_is_under_way_with_its_leader) {
  server_group servers({.servers = 3}, zxid);
  server& s = servers[1];
  s.line.up.emplace_back();
  s.line.down.emplace_back();
  s.touched[1] = std::chrono::seconds(6);
  s.revalidating[1] = 2;
  s.line.cut = true;
  s.forget_leader();
  EXPECT_TRUE(s.line.up.empty() && s.line.down.empty() && s.touched.empty() && s.revalidating.empty());
  EXPECT_TRUE(s.line.disturbed());
}

}  // namespace
}  // namespace zklock::testing
