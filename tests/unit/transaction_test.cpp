#include <gtest/gtest.h>

#include <zklock/mutex.hpp>
#include <zklock/testing/fake_ensemble.hpp>
#include <zklock/transaction.hpp>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/support/eventually.hpp"

/// Guarded writes, as their user sees them: on an ensemble in memory.
namespace zklock {
namespace {

using namespace std::chrono_literals;
using test_support::eventually;

static_assert(std::is_nothrow_move_constructible_v<transaction> && std::is_nothrow_move_assignable_v<transaction>);
static_assert(!std::is_copy_constructible_v<transaction>);

class guarded_write : public ::testing::Test {
 protected:
  guarded_write() {
    EXPECT_TRUE(zookeeper.create_node("/config", "old"));
    held = orders.acquire();
  }
  ~guarded_write() override { zookeeper.restore(); }

  /// The error of a transaction, by both forms of commit: they must not differ.
  template <class Fill>
  std::error_code error_of(Fill fill, std::string_view named = {}) {
    std::error_code ec;
    transaction quiet = here.transaction();
    fill(quiet);
    EXPECT_TRUE(quiet.commit(ec).empty() || !ec);
    transaction loud = here.transaction();
    fill(loud);
    try {
      loud.commit();
      EXPECT_FALSE(ec) << "one form has failed: " << ec.message();
    } catch (const error& told) {
      EXPECT_EQ(told.code(), ec);
      EXPECT_NE(std::string_view(told.what()).find(named), std::string_view::npos) << told.what();
    }
    return ec;
  }
  /// The same, and nothing was asked of a server.
  template <class Fill>
  void expect_refused(errc why, std::string_view named, Fill fill) {
    const auto before = zookeeper.request_count();
    EXPECT_EQ(error_of(fill, named), why);
    EXPECT_EQ(zookeeper.request_count(), before);
  }

  testing::fake_ensemble zookeeper;
  session here{zookeeper.clients(0), {.timeout = 60s}};  // no heartbeat comes between
  recursive_mutex orders{here, "/locks/orders"};
  grant held;
};

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
  grant again = orders.acquire();
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

TEST_F(guarded_write, whose_guard_somebody_has_written_to_is_lost) {
  session elsewhere(zookeeper.clients(1));
  ASSERT_TRUE(elsewhere.wait_connected_for(30s));
  elsewhere.transaction().set(held.node(), "mode=read").commit();
  EXPECT_EQ(error_of([&](transaction& one) { one.guarded_by(held).create("/a"); }, "ZBADVERSION"), errc::lost);
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

// ---- faults

TEST_F(guarded_write, f08_with_a_lost_reply_is_unknown_and_applied_once) {
  ASSERT_TRUE(zookeeper.create_node("/log"));
  constexpr int rounds = 20;
  for (int round = 0; round < rounds; ++round) {
    ASSERT_TRUE(here.wait_connected_for(30s));
    zookeeper.lose_next_reply(0);
    std::error_code ec;
    here.transaction().guarded_by(held).create("/log/n-", {}, create_mode::persistent_sequential).commit(ec);
    EXPECT_EQ(ec, errc::outcome_unknown) << ec.message();
    EXPECT_TRUE(may_have_applied(ec));
    ASSERT_TRUE(eventually([&] { return here.state() == session_state::connected; }));
  }
  EXPECT_EQ(zookeeper.children("/log").size(), static_cast<std::size_t>(rounds));
  EXPECT_TRUE(held.held());
}

TEST_F(guarded_write, f08_with_a_lost_request_is_unknown_and_not_applied) {
  zookeeper.lose_next_request(0);
  std::error_code ec;
  here.transaction().guarded_by(held).create("/a").commit(ec);
  EXPECT_EQ(ec, errc::outcome_unknown) << ec.message();
  ASSERT_TRUE(eventually([&] { return here.state() == session_state::connected; }));
  EXPECT_FALSE(zookeeper.exists("/a"));
}

TEST_F(guarded_write, f08_of_unknown_outcome_is_settled_by_the_same_again_with_a_node_of_its_own_name) {
  for (const bool applied : {true, false}) {
    const std::string receipt = applied ? "/receipt-1" : "/receipt-2";
    applied ? zookeeper.lose_next_reply(0) : zookeeper.lose_next_request(0);
    const auto attempt = [&] {
      std::error_code ec;
      here.transaction().guarded_by(held).set("/config", "new").create(receipt).commit(ec);
      return ec;
    };
    EXPECT_EQ(attempt(), errc::outcome_unknown);
    std::error_code second;
    ASSERT_TRUE(eventually([&] {
      second = attempt();
      return second != errc::not_connected && second != errc::outcome_unknown;
    }));
    EXPECT_EQ(second, applied ? make_error_code(errc::node_exists) : std::error_code());
  }
  EXPECT_NO_THROW(here.transaction().check("/config", 2).commit()) << "each was applied once";
}

/// Commits whose answers do not come, on a session of their own.
struct unanswered {
  explicit unanswered(testing::fake_ensemble& at) : zookeeper(at) {
    EXPECT_TRUE(here->wait_connected_for(30s));
    zookeeper.hold_replies(1);
    asked_before = zookeeper.request_count(1);
    committing = std::jthread([this] { transaction(here->transaction()).create("/unanswered").commit(ec); });
    EXPECT_TRUE(eventually([this] { return zookeeper.request_count(1) > asked_before; }));
  }
  testing::fake_ensemble& zookeeper;
  std::optional<session> here{std::in_place, zookeeper.clients(1), session_options{.timeout = 60s}};
  std::uint64_t asked_before = 0;
  std::error_code ec;
  std::jthread committing;
};

TEST_F(guarded_write, f08_that_is_under_way_ends_with_the_session_and_is_unknown) {
  unanswered closed(zookeeper);
  std::error_code ignored;
  closed.here->close(ignored);
  closed.committing.join();
  EXPECT_EQ(closed.ec, errc::outcome_unknown) << closed.ec.message();
  EXPECT_TRUE(zookeeper.exists("/unanswered")) << "it was applied, though nobody could say so";
}

TEST_F(guarded_write, f08_that_is_under_way_ends_with_the_session_object) {
  unanswered destroyed(zookeeper);
  destroyed.here.reset();
  destroyed.committing.join();
  EXPECT_EQ(destroyed.ec, errc::outcome_unknown) << destroyed.ec.message();
}

TEST_F(guarded_write, f08_under_way_when_the_deadline_passes_is_unknown_and_never_lost) {
  session quick(zookeeper.clients(1), {.timeout = 1s});
  recursive_mutex lock(quick, "/locks/quick");
  const grant guard = lock.acquire();
  zookeeper.hold_replies(1);
  std::error_code ec;
  quick.transaction().guarded_by(guard).create("/written").commit(ec);
  EXPECT_EQ(ec, errc::outcome_unknown) << ec.message();
  EXPECT_TRUE(zookeeper.exists("/written"));
  ASSERT_TRUE(eventually([&] { return !guard.held(); }));
  quick.transaction().guarded_by(guard).create("/late").commit(ec);
  EXPECT_EQ(ec, errc::lost) << "what has not been sent is known not to be done";
  EXPECT_FALSE(zookeeper.exists("/late"));
}

TEST_F(guarded_write, f96_after_an_expiry_is_lost_whether_or_not_the_client_knows) {
  ASSERT_TRUE(zookeeper.create_node("/log"));
  for (int round = 0; round < 20; ++round) {
    grant guard = round == 0 ? std::move(held) : orders.acquire();
    ASSERT_TRUE(guard.held());
    zookeeper.expire_sessions(0);
    std::error_code ec;
    here.transaction().guarded_by(guard).create("/log/n-", {}, create_mode::persistent_sequential).commit(ec);
    EXPECT_TRUE(ec == errc::lost || ec == errc::outcome_unknown || ec == errc::not_connected) << ec.message();
    EXPECT_TRUE(zookeeper.children("/log").empty());
    ASSERT_TRUE(eventually([&] { return !guard.held(); }));
    guard.release(ec);
  }
}

TEST_F(guarded_write, in_a_notice_of_loss_is_answered) {
  recursive_mutex stock(here, "/locks/stock");
  const grant other = stock.acquire();
  std::error_code ec = errc::server_error;
  bool told = false;
  std::mutex mutex;
  std::condition_variable changed;
  const std::stop_callback on_loss(held.lost(), [&] {
    std::error_code answer;
    here.transaction().guarded_by(other).create("/noted").commit(answer);
    const std::scoped_lock lock(mutex);
    ec = answer;
    told = true;
    changed.notify_all();
  });
  ASSERT_TRUE(zookeeper.remove_node(held.node()));
  std::error_code lost;
  here.transaction().guarded_by(held).create("/a").commit(lost);  // has the session look at once
  EXPECT_EQ(lost, errc::lost);
  std::unique_lock lock(mutex);
  ASSERT_TRUE(changed.wait_for(lock, 30s, [&] { return told; }));
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_TRUE(zookeeper.exists("/noted"));
}

TEST_F(guarded_write, by_many_threads_at_once_are_all_answered) {
  ASSERT_TRUE(zookeeper.create_node("/log"));
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(here.transaction()
                      .guarded_by(held)
                      .create("/log/n-", {}, create_mode::persistent_sequential)
                      .commit()
                      .size(),
                  1U);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(zookeeper.children("/log").size(), 200U);
}

}  // namespace
}  // namespace zklock
