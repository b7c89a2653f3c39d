#include "src/testing/replica.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace zklock::testing {
namespace {

std::shared_ptr<const log_entry> creation_of(const std::string& path, std::int64_t zxid) {
  log_entry out;
  out.zxid = zxid;
  out.changes.push_back({change::kind::create, path, {}, {}, 0, false});
  return std::make_shared<const log_entry>(out);
}

TEST(transaction_log, counts_changes_within_the_leaders_epoch) {
  transaction_log log;
  EXPECT_EQ(log.last_zxid(), 0x100000000);
  EXPECT_EQ(log.next_zxid(), 0x100000001);
  EXPECT_EQ(log.last_zxid(), 0x100000001);
  log.begin_epoch();
  EXPECT_EQ(log.last_zxid(), 0x200000000);
  EXPECT_EQ(log.next_zxid(), 0x200000001);
}

TEST(replica, applies_the_next_entry) {
  replica follower(5, false);
  EXPECT_EQ(follower.zxid(), 5);
  follower.apply(*creation_of("/a", 6));
  EXPECT_NE(follower.nodes().find("/a"), nullptr);
  EXPECT_EQ(follower.zxid(), 6);
  EXPECT_EQ(follower.applied(), 1U);
}

TEST(replica, catches_up_with_what_it_has_missed) {
  transaction_log log;
  replica follower(5, false);
  log.append(creation_of("/a", 6));
  log.append(creation_of("/b", 7));
  follower.apply(log[0]);
  log.append(creation_of("/b/c", 8));
  follower.catch_up(log);
  EXPECT_NE(follower.nodes().find("/b/c"), nullptr);
  EXPECT_EQ(follower.zxid(), 8);
  EXPECT_EQ(follower.applied(), log.size());
}

TEST(replica, of_the_leader_has_changed_before_the_entry_is_in_the_log) {
  replica leader(5, false);
  const auto entry = creation_of("/a", 6);
  leader.nodes().apply(entry->changes.front(), 6);
  leader.made(*entry, 1);
  EXPECT_EQ(leader.zxid(), 6);
  EXPECT_EQ(leader.applied(), 1U);
  EXPECT_EQ(leader.nodes().find("/a")->stat.czxid, 6);
}

TEST(replica, lets_sequence_numbers_wrap_only_where_the_servers_do) {
  for (const bool wraps : {true, false}) {
    replica nodes(5, wraps);
    nodes.nodes().set_sequence_counter("/", INT32_MAX);
    nodes.apply(*creation_of("/a", 6));
    EXPECT_EQ(nodes.nodes().find("/")->stat.cversion, wraps ? INT32_MIN : INT32_MAX);
  }
}

}  // namespace
}  // namespace zklock::testing
