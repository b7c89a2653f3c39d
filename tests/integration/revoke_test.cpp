// zklock revoke, and what zklock run does when it is asked to let go.
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

class a_revoke : public command_on_a_server {
 protected:
  /// The node of the first in the queue.
  [[nodiscard]] std::string first() {
    const auto all = participants(in_, "/lock");
    return all.empty() ? "" : all.front().node;
  }
  [[nodiscard]] running_command revoking(words arguments) {
    arguments.insert(arguments.begin(), "revoke");
    return running_command(zklock(arguments), here());
  }

  session& in_ = open();
};

TEST_F(a_revoke, sends_the_command_of_the_holder_the_signal_that_it_has_asked_for) {
  running_command holder(zklock({"run", "--session-timeout", "4s", "--on-revoke", "USR1", "/lock", "--", "sh", "-c",
                                 "trap 'echo lets go; exit 3' USR1; echo up; while :; do sleep 0.01; done"}),
                         here());
  ASSERT_TRUE(says(holder, "up")) << holder.errors();
  running_command next(zklock({"run", "/lock", "--", "echo", "in"}), here());
  ASSERT_TRUE(queue_grows_to(2));
  const std::string node = first();
  running_command one = revoking({node});
  EXPECT_EQ(one.status(), 0) << one.errors();
  EXPECT_TRUE(contains(one.errors(), node + "\nholds /lock (mutex): ")) << one.errors();
  EXPECT_TRUE(contains(one.errors(), "zklock: asked the holder to let go: " + node + "\n")) << one.errors();
  EXPECT_EQ(holder.status(), 3) << holder.errors();
  EXPECT_EQ(holder.output(), "up\nlets go\n");
  EXPECT_TRUE(contains(holder.errors(), "another client asks for the lock /lock: sending SIGUSR1 to the command"))
      << holder.errors();
  EXPECT_EQ(next.status(), 0) << next.errors();
}

// Its signal would end a command that has not set its trap yet.
TEST_F(a_revoke, of_a_waiter_reaches_its_command_a_while_after_the_begin) {
  running_command holder(zklock({"run", "/lock", "--", "sleep", "600"}), here());
  ASSERT_TRUE(queue_grows_to(1));
  running_command next(zklock({"run", "--session-timeout", "6s", "--on-revoke", "USR1", "/lock", "--", "sh", "-c",
                               "trap 'echo lets go; exit 3' USR1; echo up; while :; do sleep 0.01; done"}),
                       here());
  ASSERT_TRUE(queue_grows_to(2));
  revoke(in_, participants(in_, "/lock").at(1).node);
  holder.send(SIGTERM);
  EXPECT_EQ(next.status(), 3) << next.errors();
  EXPECT_EQ(next.output(), "up\nlets go\n");
}

TEST_F(a_revoke, without_a_signal_is_said_and_the_command_goes_on) {
  running_command holder(zklock({"run", "--session-timeout", "4s", "/lock", "--", "sleep", "600"}), here());
  ASSERT_TRUE(queue_grows_to(1));
  running_command one = revoking({first()});
  EXPECT_EQ(one.status(), 0) << one.errors();
  EXPECT_TRUE(eventually([&] {
    return contains(holder.errors(), "another client asks for the lock /lock: the command goes on");
  })) << holder.errors();
  running_command listed(zklock({"ls", "--json", "/lock"}), here());
  EXPECT_EQ(listed.status(), 0);
  EXPECT_TRUE(contains(listed.output(), "\"revocation_requested\": true")) << listed.output();
  EXPECT_TRUE(contains(listed.output(), "\"state\": \"held\"")) << listed.output();
  holder.send(SIGTERM);
  EXPECT_EQ(holder.status(), 128 + SIGTERM);
}

TEST_F(a_revoke, leaves_a_waiter_and_a_leader_and_a_stranger_alone) {
  recursive_mutex lock(in_, "/lock");
  grant held = lock.acquire();
  recursive_mutex other(open(), "/lock");
  auto waits = in_a_thread([&] { return other.acquire(); });
  ASSERT_TRUE(queue_grows_to(2));
  election of(in_, "/leader", {.data = "10.0.0.1:80", .names = election_names::latch});
  const term leads = of.campaign();
  election selector(in_, "/selector", {.data = "10.0.0.1:80"});
  const term selected = selector.campaign();
  election unnamed(in_, "/unnamed");
  const term silent = unnamed.campaign();
  (void)server_.create(full("/app/config"));
  for (const auto& [node, why] : std::vector<std::pair<std::string, std::string>>{
           {participants(in_, "/lock").at(1).node, "holds nothing that it could let go of"},
           {leads.node(), "is a candidate, which is never asked"},
           {selected.node(),
            "may be a leader's, whose data are its address: they would be replaced. Of a mutex: --replace-data"},
           {silent.node(), "may be a leader's, whose data"},
           {"/app/config", "is no contender of a lock; it was left alone"},
           {"/app/missing", "there is no such node"}}) {
    running_command one = revoking({node});
    EXPECT_EQ(one.status(), 1) << node;
    EXPECT_TRUE(contains(one.errors(), node + ": ") && contains(one.errors(), why)) << one.errors();
  }
  EXPECT_EQ(server_.data(full(leads.node())), "10.0.0.1:80");
  EXPECT_EQ(server_.data(full(selected.node())), "10.0.0.1:80");
  EXPECT_EQ(server_.data(full(silent.node())), "");
  EXPECT_FALSE(held.revocation_requested().stop_requested());
  held.release();
  EXPECT_TRUE(waits.get().held());
}

TEST_F(a_revoke, replaces_the_data_of_a_mutex_in_curators_layout_where_it_is_told_to) {
  recursive_mutex lock(open({.timeout = 4s}), "/lock", {.layout = layout::curator});
  const grant held = lock.acquire();
  running_command one = revoking({"--replace-data", held.node()});
  EXPECT_EQ(one.status(), 0) << one.errors();
  EXPECT_EQ(server_.data(full(held.node())), "__REVOKE__");
  EXPECT_TRUE(eventually([&] { return held.revocation_requested().stop_requested(); }));
}

TEST_F(a_revoke, of_a_holder_that_an_access_list_protects_ends_with_69_and_changes_nothing) {
  session& theirs = open({.acl = acl_creator(), .auth = credentials});
  recursive_mutex lock(theirs, "/lock");
  const grant held = lock.acquire();
  running_command one = revoking({held.node()});
  EXPECT_EQ(one.status(), 69) << one.errors();
  EXPECT_TRUE(contains(one.errors(), "an access list forbids it")) << one.errors();
  EXPECT_FALSE(held.revocation_requested().stop_requested());
  EXPECT_EQ(theirs.get(held.node())->version, 0);
}

TEST_F(a_revoke, refuses_bad_usage) {
  for (const auto& [arguments, text] :
       std::vector<std::pair<words, std::string>>{{{"revoke"}, "NODE"},
                                                  {{"revoke", "/a", "/b"}, "revoke takes one NODE"},
                                                  {{"revoke", "relative"}, "\"relative\""},
                                                  {{"revoke", "/a", "--", "true"}, "revoke runs no COMMAND"},
                                                  {{"run", "--on-revoke", "TREM", "/a", "--", "true"}, "\"TREM\""},
                                                  {{"run", "--on-revoke", "0", "/a", "--", "true"}, "is no signal"}}) {
    running_command one(zklock(arguments), here());
    EXPECT_EQ(one.status(), 64) << one.errors();
    EXPECT_TRUE(contains(one.errors(), text)) << one.errors();
  }
  running_command nowhere(zklock({"--connect", "127.0.0.1:1", "revoke", "/a/b"}), here());
  EXPECT_EQ(nowhere.status(), 69);
}

}  // namespace
}  // namespace zklock::test
