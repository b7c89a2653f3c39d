// Another client writes to our nodes: Curator's Revoker, or an operator. It does no harm; and who is asked to let go is told.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/interop/beside_others.hpp"

namespace zklock::test {
namespace {

using touched_nodes = beside_others;

TEST_F(touched_nodes, f50_a_revoke_request_and_a_set_by_an_operator_do_not_harm_our_holder_and_waiter) {
  peer& ours = start(library::zklock);
  peer& ours_too = start(library::zklock);
  peer& theirs = start(library::curator);
  for (const auto& [kind, wanted] :
       {std::pair("mutex", "mutex"), std::pair("semaphore-mutex", "semaphore-mutex"), std::pair("write", "write"),
        std::pair("write", "read"), std::pair("permits:1:1", "permits:1:1")}) {
    SCOPED_TRACE(std::string(wanted) + " behind " + kind);
    const std::string path = std::string("/") + wanted + "-behind-" + kind;
    ASSERT_EQ(ours.acquire(lock(kind, {path})), "held");
    ASSERT_EQ(held_nodes().size(), 1U);
    ours_too.begin_to_acquire(lock(wanted, {path}));
    ASSERT_TRUE(more_than(1));
    for (const std::string& node : nodes()) {
      ASSERT_EQ(theirs.ask("revoke " + node), "asked");
      ASSERT_EQ(server_.data(node), "__REVOKE__");
      static_cast<void>(server_.ask(client::request::set{node, "mode=read\nby an operator"}));
    }
    ASSERT_FALSE(ours_too.answers_within(200ms));
    EXPECT_EQ(ours.ask(std::string("state ") + kind + " " + full(path)), "held");
    EXPECT_EQ(ours.release(lock(kind, {path})), "released");
    EXPECT_EQ(ours_too.answer(), "held");
    EXPECT_EQ(ours_too.release(lock(wanted, {path})), "released");
    EXPECT_TRUE(eventually([&] { return nodes().empty(); }));
  }
}

TEST_F(touched_nodes, f50_a_write_that_a_touched_grant_guards_is_done) {
  session& in = open();
  recursive_mutex lock(in, "/lock", {.layout = layout::curator});
  const grant held = acquire_patiently(lock);
  ASSERT_TRUE(held.held());
  static_cast<void>(server_.ask(client::request::set{nodes().front(), "__REVOKE__"}));
  std::error_code ec;
  in.transaction().guarded_by(held).create("/written", "x").commit(ec);
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_TRUE(held.held());
  EXPECT_EQ(server_.data(full("/written")), "x");
}

TEST_F(touched_nodes, f50_a_revocable_java_holder_hears_the_request_while_we_wait_for_it) {
  peer& theirs = start(library::curator);
  peer& asking = start(library::curator);
  peer& ours = start(library::zklock);
  ASSERT_EQ(theirs.acquire(lock("revocable-mutex")), "held");
  const std::string held = nodes().front();
  ours.begin_to_acquire(lock("mutex"));
  ASSERT_TRUE(more_than(1));
  EXPECT_EQ(theirs.ask("asked revocable-mutex /lock"), "not asked");
  ASSERT_EQ(asking.ask("revoke " + held), "asked");
  EXPECT_TRUE(eventually([&] { return theirs.ask("asked revocable-mutex /lock") == "asked"; }));
  EXPECT_FALSE(ours.answers_within(150ms));
  EXPECT_EQ(theirs.release(lock("revocable-mutex")), "released");
  EXPECT_EQ(ours.answer(), "held");
  EXPECT_EQ(ours.release(lock("mutex")), "released");
}

TEST_F(touched_nodes, f50_a_java_program_asks_our_holders_of_either_layout_to_let_go) {
  peer& ours = start(library::zklock, short_session);
  peer& theirs = start(library::curator);
  for (const char* kind : {"mutex", "semaphore-mutex", "write", "read", "permits:1:2", "native-mutex", "native-write",
                           "native-read", "native-permits:1:2"}) {
    SCOPED_TRACE(kind);
    const lock_at wanted = lock(kind, {std::string("/") + kind});
    ASSERT_EQ(ours.acquire(wanted), "held");
    ASSERT_EQ(held_nodes().size(), 1U);
    EXPECT_EQ(ours.ask("asked " + wanted.kind + " " + wanted.paths), "not asked");
    ASSERT_EQ(theirs.ask("revoke " + held_nodes().front()), "asked");
    EXPECT_TRUE(eventually([&] { return ours.ask("asked " + wanted.kind + " " + wanted.paths) == "asked"; }));
    EXPECT_EQ(ours.ask("state " + wanted.kind + " " + wanted.paths), "held");
    EXPECT_EQ(ours.release(wanted), "released");
    EXPECT_TRUE(eventually([&] { return nodes().empty(); }));
  }
}

TEST_F(touched_nodes, f50_a_revocable_java_holder_hears_our_request) {
  peer& theirs = start(library::curator);
  session& in = open();
  ASSERT_EQ(theirs.acquire(lock("revocable-mutex")), "held");
  const std::string held = nodes().front();
  const std::string here = held.substr(full("").size());
  EXPECT_EQ(theirs.ask("asked revocable-mutex /lock"), "not asked");
  EXPECT_THROW(revoke(in, here), error) << "it may be a leader's";
  revoke(in, here, {.replace_data = true});
  EXPECT_EQ(server_.data(held), "__REVOKE__");
  EXPECT_TRUE(eventually([&] { return theirs.ask("asked revocable-mutex /lock") == "asked"; }));
  EXPECT_TRUE(participants(in, "/lock").at(0).revocation_requested);
  EXPECT_EQ(theirs.release(lock("revocable-mutex")), "released");
}

}  // namespace
}  // namespace zklock::test
