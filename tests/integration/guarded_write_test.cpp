// Writes that a grant guards, on a real server: applied while it stands, and not otherwise.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <cstddef>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "tests/integration/a_guarded_write.hpp"

namespace zklock::test {
namespace {

namespace request = client::request;

TEST_F(a_guarded_write, f96_is_applied_as_a_whole_while_the_grant_is_held) {
  session& one = open();
  recursive_mutex lock(one, "/lock");
  const grant held = lock.acquire();
  const std::vector<operation_result> done = one.transaction()
                                                 .guarded_by(held)
                                                 .create("/jobs", "data")
                                                 .create("/jobs/", {}, create_mode::persistent_sequential)
                                                 .create("/jobs/e", {}, create_mode::ephemeral)
                                                 .create("/jobs/s-", {}, create_mode::ephemeral_sequential)
                                                 .set("/config", std::string("a\0b", 3), 0)
                                                 .check("/config", 1)
                                                 .remove("/jobs/e", 0)
                                                 .commit();
  ASSERT_EQ(done.size(), 7U);
  EXPECT_EQ(done[0], (operation_result{"/jobs", 0}));
  EXPECT_EQ(done[1], (operation_result{"/jobs/0000000000", 0}));
  EXPECT_EQ(done[2].path, "/jobs/e");
  EXPECT_EQ(done[3], (operation_result{"/jobs/s-0000000002", 0}));
  EXPECT_EQ(done[4], (operation_result{"/config", 1}));
  EXPECT_EQ(done[5], (operation_result{"/config", any_version}));
  EXPECT_EQ(server_.data(full("/jobs")), "data");
  EXPECT_EQ(server_.data(full("/config")), std::string("a\0b", 3));
  EXPECT_EQ(server_.look(full("/jobs/0000000000"))->ephemeral_owner, 0);
  EXPECT_NE(server_.look(full("/jobs/s-0000000002"))->ephemeral_owner, 0);
  one.transaction().remove("/jobs/s-0000000002").commit();
}

TEST_F(a_guarded_write, f96_is_not_applied_once_an_operator_has_removed_the_node) {
  session& one = open();
  recursive_mutex lock(one, "/lock");
  const grant held = lock.acquire();
  ASSERT_TRUE(server_.remove(full(held.node())));
  EXPECT_EQ(append(one, held), errc::lost);
  EXPECT_EQ(log_length(), 0U);
  EXPECT_TRUE(eventually([&] { return held.loss_reason() == loss_reason::node_removed; }));
}

TEST_F(a_guarded_write, is_not_applied_once_another_client_has_written_to_a_writers_node) {
  session& one = open();
  shared_mutex lock(one, "/lock");
  const grant held = lock.write().acquire();
  ASSERT_EQ(server_.ask(request::set{full(held.node()), "mode=read\n"}).code, client::code::ok);
  EXPECT_EQ(append(one, held), errc::lost);
  EXPECT_EQ(log_length(), 0U);
}

/// Curator's Revoker does.
TEST_F(a_guarded_write, is_applied_whatever_another_client_has_written_to_a_mutexs_node) {
  session& one = open();
  recursive_mutex lock(one, "/lock");
  const grant held = lock.acquire();
  ASSERT_EQ(server_.ask(request::set{full(held.node()), "__REVOKE__"}).code, client::code::ok);
  EXPECT_FALSE(append(one, held));
  EXPECT_EQ(log_length(), 1U);
}

TEST_F(a_guarded_write, needs_each_of_its_several_grants) {
  for (std::size_t gone = 0; gone < 3; ++gone) {
    session& one = open();
    recursive_mutex locks[] = {{one, "/a"}, {one, "/b"}, {one, "/c"}};
    const grant held[] = {locks[0].acquire(), locks[1].acquire(), locks[2].acquire()};
    const auto write = [&] {
      transaction both = one.transaction();
      for (const grant& each : held) {
        both.guarded_by(each);
      }
      both.set("/config", "x").commit();
    };
    write();
    const int version = version_of("/config");
    ASSERT_TRUE(server_.remove(full(held[gone].node())));
    try {
      write();
      ADD_FAILURE() << "one of its guards is gone";
    } catch (const error& told) {
      EXPECT_EQ(told.code(), errc::lost);
      EXPECT_EQ(told.path(), held[gone].path());
    }
    EXPECT_EQ(version_of("/config"), version);
  }
}

TEST_F(a_guarded_write, f67_f96_needs_every_part_of_a_multi_lock_whatever_its_recipe) {
  session& one = open();
  recursive_mutex stock(one, "/stock");
  shared_mutex config(one, "/rw");
  shared_mutex journal(one, "/journal");
  semaphore pool(one, "/pool", 8);
  const std::string paths[] = {"/stock", "/rw", "/journal", "/pool"};
  for (std::size_t gone = 0; gone < std::size(paths); ++gone) {
    multi_lock all{stock, config.read(), journal.write(), pool.permits(3)};
    const grant held = all.acquire();
    EXPECT_FALSE(append(one, held));
    const std::vector<std::string> there = contenders(paths[gone]);
    ASSERT_EQ(there.size(), 1U);
    ASSERT_TRUE(server_.remove(full(paths[gone] + "/" + there.front())));
    try {
      one.transaction().guarded_by(held).set("/config", "x").commit();
      ADD_FAILURE() << paths[gone] << " is gone";
    } catch (const error& told) {
      EXPECT_EQ(told.code(), errc::lost);
      EXPECT_EQ(told.path(), paths[gone]);
    }
    EXPECT_TRUE(eventually([&] { return !held.held(); }));
  }
  EXPECT_EQ(log_length(), std::size(paths));
  EXPECT_EQ(version_of("/config"), 0);
}

TEST_F(a_guarded_write, goes_on_under_a_downgraded_grant_and_under_permits_that_were_waited_for) {
  session& one = open();
  session& two = open();
  shared_mutex config(one, "/rw");
  grant writes = config.write().acquire();
  EXPECT_FALSE(append(one, writes));
  writes.downgrade();
  EXPECT_FALSE(append(one, writes));
  semaphore pool(one, "/pool", 2);
  semaphore theirs(two, "/pool", 2);
  grant in_the_way = theirs.permits(2).acquire();
  auto waiting = in_a_thread([&] { return pool.permits(1).acquire(); });
  ASSERT_TRUE(eventually([&] { return is_watched(full("/pool")); })) << "it has seen that it waits";
  in_the_way.release();
  grant permit = waiting.get();
  ASSERT_TRUE(eventually([&] { return server_.look(full(permit.node()))->version > 0; })) << "it marks its node";
  EXPECT_FALSE(append(one, permit));
  EXPECT_EQ(log_length(), 3U);
  permit.release();
  server_.remove_tree(full("/pool"));  // the watch on its limit, forgotten here, stays on the server until it fires
}

TEST_F(a_guarded_write, stops_with_its_session) {
  proxy& way = new_proxy();
  session& one = open_through(way, {.timeout = 4s});
  recursive_mutex lock(one, "/lock");
  const grant held = lock.acquire();
  std::atomic<std::size_t> applied = 0;
  std::atomic<std::size_t> unknown = 0;
  auto writing = in_a_thread([&] {
    for (;;) {
      const std::error_code ec = append(one, held);
      applied += ec ? 0 : 1;
      unknown += may_have_applied(ec) ? 1 : 0;
      if (ec == errc::lost) {
        return;
      }
      EXPECT_TRUE(!ec || is_transient(ec) || may_have_applied(ec)) << ec.message();
    }
  });
  ASSERT_TRUE(eventually([&] { return applied > 20; }));
  expire_behind(way);
  const std::size_t at_the_end = log_length();
  way.set_mode(proxy_mode::pass);
  writing.get();
  ASSERT_TRUE(one.wait_connected_for(patience));
  EXPECT_EQ(append(one, held), errc::lost) << "in the new session either";
  EXPECT_EQ(log_length(), at_the_end);
  EXPECT_GE(at_the_end, applied);
  EXPECT_LE(at_the_end, applied + unknown);
}

// ---- it was asked for in time, and arrives too late

TEST_F(a_guarded_write, f96_that_arrives_after_the_next_holder_came_is_not_applied) {
  proxy& way = new_proxy();
  session& one = open_through(way, {.timeout = 20s});
  session& two = open();
  recursive_mutex first(one, "/lock");
  recursive_mutex second(two, "/lock");
  const grant held = first.acquire();
  std::atomic<bool> asked = false;
  const hooks seeing(way, [&](const request_frame& what) {
    asked = asked || what.opcode == opcode::multi;
    return verdict::pass;
  });
  way.set_mode(proxy_mode::hold_requests);
  ASSERT_TRUE(held.held());
  auto late = in_a_thread([&] { return append(one, held); });
  EXPECT_FALSE(ready(late, 50ms)) << "it is on its way";
  ASSERT_TRUE(server_.remove(full(held.node())));
  const grant next = acquire_patiently(second);
  EXPECT_FALSE(append(two, next));
  EXPECT_FALSE(asked);
  way.set_mode(proxy_mode::pass);
  EXPECT_EQ(late.get(), errc::lost);
  EXPECT_TRUE(asked);
  EXPECT_EQ(log_length(), 1U);
}

TEST_F(a_guarded_write, f08_f96_that_is_late_is_unknown_and_not_applied_after_the_next_holder_came) {
  proxy& way = new_proxy();
  session& one = open_through(way, {.timeout = 2s});
  session& two = open();
  recursive_mutex first(one, "/lock");
  recursive_mutex second(two, "/lock");
  const grant held = first.acquire();
  way.set_mode(proxy_mode::hold_requests);
  ASSERT_TRUE(held.held());
  const std::error_code ec = append(one, held);
  EXPECT_EQ(ec, errc::outcome_unknown) << ec.message();
  const grant next = acquire_patiently(second);
  ASSERT_TRUE(next.held());
  way.set_mode(proxy_mode::pass);
  ASSERT_TRUE(eventually([&] { return !held.held(); }));
  ASSERT_TRUE(one.wait_connected_for(patience));
  EXPECT_EQ(append(one, held), errc::lost);
  EXPECT_FALSE(append(two, next));
  EXPECT_EQ(log_length(), 1U);
}

TEST_F(a_guarded_write, f107_of_as_much_as_a_request_may_hold_is_applied) {
  session& one = open();
  recursive_mutex lock(one, "/lock");
  const grant held = lock.acquire();
  one.transaction().guarded_by(held).set("/config", std::string(999'000, 'x')).commit();
  EXPECT_EQ(server_.data(full("/config")).size(), 999'000U);
  transaction many = one.transaction();
  many.guarded_by(held);
  for (int number = 0; number < 1000; ++number) {
    many.create("/log/" + std::to_string(number));
  }
  EXPECT_EQ(many.commit().size(), 1000U);
  EXPECT_EQ(log_length(), 1000U);
}

}  // namespace
}  // namespace zklock::test
