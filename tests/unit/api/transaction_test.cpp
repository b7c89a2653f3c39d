#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <zklock/shared_mutex.hpp>

#include "tests/support/eventually.hpp"
#include "tests/unit/api/guarded_write.hpp"

/// Guarded writes, as their user sees them: on an ensemble in memory.
namespace zklock {
namespace {

using namespace std::chrono_literals;
using test_support::eventually;

static_assert(std::is_nothrow_move_constructible_v<transaction> && std::is_nothrow_move_assignable_v<transaction>);
static_assert(!std::is_copy_constructible_v<transaction>);

TEST_F(guarded_write, f96_is_applied_as_a_whole_and_tells_what_each_operation_came_to) {
  const std::vector<operation_result> done = here.transaction()
                                                 .guarded_by(held)
                                                 .create("/jobs", "x")
                                                 .create("/jobs/", {}, create_mode::persistent_sequential)
                                                 .create("/jobs/e", {}, create_mode::ephemeral)
                                                 .create("/jobs/s-", {}, create_mode::ephemeral_sequential)
                                                 .set("/config", "new", 0)
                                                 .check("/config", 1)
                                                 .remove("/jobs/e")
                                                 .commit();
  ASSERT_EQ(done.size(), 7U);
  EXPECT_EQ(done[0], (operation_result{"/jobs", 0}));
  EXPECT_EQ(done[1], (operation_result{"/jobs/0000000000", 0}));
  EXPECT_EQ(done[2], (operation_result{"/jobs/e", 0}));
  EXPECT_EQ(done[3], (operation_result{"/jobs/s-0000000002", 0}));
  EXPECT_EQ(done[4], (operation_result{"/config", 1}));
  EXPECT_EQ(done[5], (operation_result{"/config", any_version}));
  EXPECT_EQ(done[6], (operation_result{"/jobs/e", any_version}));
  EXPECT_EQ(zookeeper.children("/jobs").size(), 2U);
}

TEST_F(guarded_write, is_built_in_a_chain_or_step_by_step_and_may_be_moved) {
  transaction slowly = here.transaction();
  slowly.guarded_by(held);
  slowly.create("/a").create("/b");
  transaction moved = std::move(slowly);
  moved.set("/config", "1");
  slowly = here.transaction();
  EXPECT_EQ(moved.commit().size(), 3U);
  EXPECT_EQ(slowly.create("/c").commit().size(), 1U);
  EXPECT_TRUE(zookeeper.exists("/a") && zookeeper.exists("/b") && zookeeper.exists("/c"));
}

TEST_F(guarded_write, is_committed_once) {
  transaction one = here.transaction();
  one.guarded_by(held).create("/s-", {}, create_mode::persistent_sequential).commit();
  one.create("/again");
  std::error_code ec;
  one.commit(ec);
  EXPECT_EQ(ec, errc::invalid_option);
  EXPECT_THROW(one.commit(), error);
  transaction moved_away = here.transaction();
  const transaction taken = std::move(moved_away);
  // NOLINTNEXTLINE(bugprone-use-after-move): that is the question
  moved_away.guarded_by(held).create("/again").set("/config", "").remove("/config").check("/config").commit(ec);
  EXPECT_EQ(ec, errc::invalid_option);
  EXPECT_FALSE(zookeeper.exists("/again"));
}

TEST_F(guarded_write, makes_its_nodes_with_the_sessions_access_list) {
  session owner(zookeeper.clients(1), {.acl = acl_creator(), .auth = "owner:secret"});
  ASSERT_TRUE(owner.wait_connected_for(30s));
  owner.transaction().create("/secret").commit();
  EXPECT_EQ(error_of([](transaction& one) { one.set("/secret", "x"); }, "set /secret (ZNOAUTH)"),
            errc::permission_denied);
  EXPECT_EQ(owner.transaction().set("/secret", "x").commit()[0].version, 1);
}

// ---- refused before anything is sent

TEST_F(guarded_write, by_an_empty_grant_is_refused) {
  const grant none;
  expect_refused(errc::not_owner, "an empty grant", [&](transaction& one) { one.guarded_by(none).set("/config", ""); });
}

TEST_F(guarded_write, by_a_foreign_grant_is_refused_and_changes_nothing) {
  session elsewhere(zookeeper.clients(1));
  recursive_mutex other(elsewhere, "/locks/other");
  const grant foreign = other.acquire();
  expect_refused(errc::wrong_session, "/locks/other",
                 [&](transaction& one) { one.guarded_by(held).guarded_by(foreign).create("/a"); });
  EXPECT_FALSE(zookeeper.exists("/a"));
}

TEST_F(guarded_write, by_a_grant_that_was_given_back_is_refused) {
  transaction late = here.transaction();
  late.guarded_by(held).create("/a");
  held.release();
  const auto before = zookeeper.request_count();
  std::error_code ec;
  late.commit(ec);
  EXPECT_EQ(ec, errc::not_owner);
  EXPECT_EQ(zookeeper.request_count(), before);
}

TEST_F(guarded_write, is_guarded_by_the_hold_until_its_last_grant_is_given_back) {
  grant again = orders.as(owner::this_thread()).acquire();
  transaction one = here.transaction();
  one.guarded_by(again).guarded_by(held).create("/a");
  again.release();
  EXPECT_EQ(one.commit().size(), 1U);
}

TEST_F(guarded_write, with_bad_input_names_what_is_wrong_with_it) {
  for (const char* path : {"", "/", "a", "/a/", "/a//b", "/a/../b", "/a\nb"}) {
    const std::function<void(transaction&)> all[] = {
        [path](transaction& one) { one.create(path); },
        [path](transaction& one) { one.set(path, ""); },
        [path](transaction& one) { one.remove(path); },
        [path](transaction& one) { one.check(path); },
    };
    const std::string shown = path == std::string_view("/a\nb") ? "/a\\x0ab" : "\"" + std::string(path) + "\"";
    for (const auto& fill : all) {
      expect_refused(errc::invalid_path, shown, fill);
    }
  }
  for (const char* path : {"", "a", "a/", "//", "/a//", "/../"}) {
    expect_refused(errc::invalid_path, "\"" + std::string(path) + "\"",
                   [path](transaction& one) { one.create(path, {}, create_mode::persistent_sequential); });
  }
  expect_refused(errc::invalid_option, "/config at version = -2", [](transaction& one) { one.set("/config", "", -2); });
  expect_refused(errc::invalid_option, "no operation", [&](transaction& one) { one.guarded_by(held); });
  expect_refused(errc::invalid_path, "\"first\"",
                 [](transaction& one) { one.create("/good").set("first", "").remove("second"); });
  EXPECT_FALSE(zookeeper.exists("/good"));
}

TEST_F(guarded_write, f107_larger_than_a_request_is_refused) {
  const std::string large(1'000'000, 'x');
  expect_refused(errc::request_too_large, "", [&](transaction& one) { one.guarded_by(held).set("/config", large); });
}

TEST_F(guarded_write, without_a_connection_is_refused_at_once) {
  zookeeper.refuse();
  ASSERT_TRUE(eventually([&] { return here.state() == session_state::suspended; }));
  expect_refused(errc::not_connected, "", [&](transaction& one) { one.guarded_by(held).set("/config", ""); });
  EXPECT_TRUE(held.held());
}

TEST_F(guarded_write, outlives_its_session_and_says_so) {
  std::optional<session> short_lived(std::in_place, zookeeper.clients(1));
  ASSERT_TRUE(short_lived->wait_connected_for(30s));
  transaction one = short_lived->transaction();
  one.create("/a");
  short_lived.reset();
  std::error_code ec;
  one.set("/config", "").commit(ec);
  EXPECT_EQ(ec, errc::session_closed);
  EXPECT_FALSE(zookeeper.exists("/a"));
}

// ---- as the servers see it

TEST_F(guarded_write, f96_whose_lock_an_operator_has_taken_away_is_lost_and_nothing_is_applied) {
  ASSERT_TRUE(zookeeper.remove_node(held.node()));
  EXPECT_EQ(error_of([&](transaction& one) { one.guarded_by(held).create("/a").set("/config", "new"); },
                     "guarded by /locks/orders"),
            errc::lost);
  EXPECT_FALSE(zookeeper.exists("/a"));
  EXPECT_NO_THROW(here.transaction().check("/config", 0).commit());
  EXPECT_TRUE(eventually([&] { return !held.held(); })) << "the holder is told";
}

TEST_F(guarded_write, whose_mutex_another_client_has_written_to_stands_as_the_mutex_does) {
  session elsewhere(zookeeper.clients(1));
  ASSERT_TRUE(elsewhere.wait_connected_for(30s));
  elsewhere.transaction().set(held.node(), "__REVOKE__").commit();  // as Curator asks a holder to give back
  EXPECT_NO_THROW(here.transaction().guarded_by(held).create("/a").commit());
  EXPECT_TRUE(held.held());
}

TEST_F(guarded_write, whose_write_lock_another_client_has_written_to_is_lost_since_it_may_read_by_now) {
  session elsewhere(zookeeper.clients(1));
  ASSERT_TRUE(elsewhere.wait_connected_for(30s));
  shared_mutex config(here, "/locks/config");
  const grant writes = config.write().acquire();
  elsewhere.transaction().set(writes.node(), "mode=read").commit();
  EXPECT_EQ(error_of([&](transaction& one) { one.guarded_by(writes).create("/a"); }, "ZBADVERSION"), errc::lost);
  EXPECT_FALSE(zookeeper.exists("/a"));
}

TEST_F(guarded_write, is_refused_if_any_of_its_guards_is_gone) {
  recursive_mutex stock(here, "/locks/stock");
  const grant second = stock.acquire();
  here.transaction().guarded_by(held).guarded_by(second).create("/both").commit();
  ASSERT_TRUE(zookeeper.remove_node(second.node()));
  EXPECT_EQ(error_of([&](transaction& one) { one.guarded_by(held).guarded_by(second).create("/a"); },
                     "guarded by /locks/stock"),
            errc::lost);
  EXPECT_FALSE(zookeeper.exists("/a"));
  here.transaction().guarded_by(held).create("/one").commit();
}

TEST_F(guarded_write, whose_operation_fails_says_which_and_why_and_leaves_nothing_behind) {
  ASSERT_TRUE(zookeeper.create_node("/full"));
  ASSERT_TRUE(zookeeper.create_node("/full/child"));
  struct row {
    errc why;
    const char* named;
    std::function<void(transaction&)> fill;
  };
  const row table[] = {
      {errc::node_exists, "create /config (ZNODEEXISTS)", [](transaction& one) { one.create("/config"); }},
      {errc::node_missing, "create /none/a (ZNONODE)", [](transaction& one) { one.create("/none/a"); }},
      {errc::version_mismatch, "set /config (ZBADVERSION)", [](transaction& one) { one.set("/config", "", 7); }},
      {errc::node_missing, "set /none (ZNONODE)", [](transaction& one) { one.set("/none", ""); }},
      {errc::node_not_empty, "remove /full (ZNOTEMPTY)", [](transaction& one) { one.remove("/full"); }},
      {errc::version_mismatch, "remove /config (ZBADVERSION)", [](transaction& one) { one.remove("/config", 7); }},
      {errc::node_missing, "check /none (ZNONODE)", [](transaction& one) { one.check("/none"); }},
      {errc::version_mismatch, "check /config (ZBADVERSION)", [](transaction& one) { one.check("/config", 7); }},
  };
  const std::size_t nodes = zookeeper.node_count();
  for (const row& one : table) {
    EXPECT_EQ(error_of(
                  [&](transaction& all) {
                    all.guarded_by(held).create("/before");
                    one.fill(all);
                    all.create("/after");
                  },
                  one.named),
              one.why);
    EXPECT_EQ(zookeeper.node_count(), nodes) << one.named;
  }
  EXPECT_TRUE(held.held());
}

}  // namespace
}  // namespace zklock
