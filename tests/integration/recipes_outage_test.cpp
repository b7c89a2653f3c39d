// Each recipe, when its connection, its session or its server goes.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <string>

#include "tests/integration/each_recipe.hpp"
#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

/// Within the test's patience; in a thread.
std::future<grant> wait_for(any_lock& lock) {
  return in_a_thread([&lock] {
    std::error_code ec;
    grant got = lock.try_for(ec, patience);
    EXPECT_FALSE(ec) << ec.message();
    return got;
  });
}

std::string path_of(const recipe& one) { return std::string("/") + one.name; }

class each_recipe : public on_a_server {
 protected:
  using on_a_server::on_a_server;
  void TearDown() override {
    if (server_.look(full("/semaphore"))) {
      EXPECT_TRUE(queue_grows_to(0, "/semaphore"));
      touch_lock_node("/semaphore");
    }
    on_a_server::TearDown();
  }
};

TEST_F(each_recipe, keeps_its_hold_and_its_place_over_a_reconnect) {
  proxy& way = new_proxy();
  proxy& other_way = new_proxy();
  session& mine = open_through(way);
  session& others = open_through(other_way);
  for (const recipe& one : exclusive_recipes) {
    SCOPED_TRACE(one.name);
    const auto lock = one.make(mine, path_of(one));
    const auto other = one.make(others, path_of(one));
    std::error_code ec;
    grant held = lock->try_for(ec, patience);
    ASSERT_TRUE(held.held()) << ec.message();
    const std::string node = held.node();
    auto waiting = wait_for(*other);
    ASSERT_TRUE(queue_grows_to(2, path_of(one)));
    const auto before = contenders(path_of(one));
    way.cut_now();
    other_way.cut_now();
    ASSERT_TRUE(mine.wait_connected_for(patience) && others.wait_connected_for(patience));
    EXPECT_TRUE(held.held());
    EXPECT_FALSE(ready(waiting, 50ms));
    EXPECT_EQ(contenders(path_of(one)), before) << "no contender has queued again";
    held = {};
    EXPECT_TRUE(waiting.get().held());
  }
}

TEST_F(each_recipe, is_lost_with_its_session_and_handed_on_and_its_waiter_queues_again) {
  for (const recipe& one : exclusive_recipes) {
    SCOPED_TRACE(one.name);
    proxy& way = new_proxy();
    session& dying = open_through(way, {.timeout = 4s});
    session& others = open();
    const auto first = one.make(dying, path_of(one));
    const auto second = one.make(others, path_of(one));
    const auto third = one.make(dying, path_of(one));
    std::error_code ec;
    grant lost = first->try_for(ec, patience);
    ASSERT_TRUE(lost.held()) << ec.message();
    auto next = wait_for(*second);
    ASSERT_TRUE(queue_grows_to(2, path_of(one)));
    auto last = wait_for(*third);
    ASSERT_TRUE(queue_grows_to(3, path_of(one)));
    expire_behind(way);
    grant held = next.get();
    ASSERT_TRUE(held.held());
    EXPECT_GT(held.token(), lost.token());
    ASSERT_TRUE(eventually([&] { return !lost.held(); }));
    way.set_mode(proxy_mode::pass);
    ASSERT_TRUE(queue_grows_to(2, path_of(one))) << "in the new session";
    EXPECT_FALSE(ready(last, 50ms));
    lost.release(ec);
    EXPECT_EQ(ec, errc::lost);
    held = {};
    const grant again = last.get();
    EXPECT_TRUE(again.held());
    EXPECT_GT(again.token(), lost.token());
  }
}

TEST_F(each_recipe, f02_is_abandoned_without_a_trace_while_no_server_is_to_be_reached) {
  proxy& way = new_proxy();
  session& mine = open_through(way);
  session& others = open();
  for (const recipe& one : exclusive_recipes) {
    SCOPED_TRACE(one.name);
    const auto lock = one.make(mine, path_of(one));
    const auto other = one.make(others, path_of(one));
    std::error_code ec;
    const grant held = other->try_for(ec, patience);
    ASSERT_TRUE(held.held()) << ec.message();
    std::atomic<bool> listed = false;
    std::atomic<bool> asks_further = false;  // so it knows the list
    const hooks on_its_way(
        way,
        [&](const request_frame& request) {
          asks_further = asks_further || (listed && request.opcode != opcode::ping);
          return verdict::pass;
        },
        [&](const reply_frame& reply) {
          listed = listed || reply.opcode == opcode::get_children2;
          return verdict::pass;
        });
    auto waiting = in_a_thread([&] {
      std::error_code why;
      EXPECT_FALSE(lock->try_for(why, 300ms));
      EXPECT_FALSE(why) << "the queue was seen: " << why.message();
    });
    ASSERT_TRUE(queue_grows_to(2, path_of(one)));
    const auto is_over = [&] { return waiting.wait_for(0s) == std::future_status::ready; };
    ASSERT_TRUE(eventually([&] { return asks_further || is_over(); }));
    way.set_mode(proxy_mode::refuse);
    way.cut_now();
    waiting.get();
    way.set_mode(proxy_mode::pass);
    EXPECT_TRUE(queue_grows_to(1, path_of(one)));
  }
}

struct has_a_server {
  test_support::private_zookeeper zookeeper{{.reaper_interval = 200ms}};
};

class each_recipe_on_its_own_server : protected has_a_server, public each_recipe {
 protected:
  each_recipe_on_its_own_server() : each_recipe(zookeeper.address()) {}
};

TEST_F(each_recipe_on_its_own_server, has_a_container_for_its_lock_node_but_a_semaphores_stays_with_its_limit) {
  session& mine = open();
  semaphore pool(mine, "/semaphore", 2);
  { const grant used = pool.permits().acquire(); }
  ASSERT_TRUE(queue_grows_to(0, "/semaphore"));
  shared_mutex lock(mine, "/lock");
  { const grant used = lock.read().acquire(); }
  EXPECT_TRUE(eventually([&] { return !server_.look(full("/lock")); })) << "reaped";
  EXPECT_EQ(server_.data(full("/semaphore")), "limit=2\n");
  EXPECT_TRUE(lock.try_acquire_for(patience).held()) << "made again";
}

TEST_F(each_recipe_on_its_own_server, f148_keeps_a_semaphores_limit_in_a_node_that_was_made_as_a_container) {
  session& mine = open();
  recursive_mutex below_one(mine, "/one/guard");
  recursive_mutex below_other(mine, "/other/guard");
  { const std::scoped_lock made_both(below_one, below_other); }
  semaphore acquired(mine, "/one", 3);
  { const grant used = acquired.permits().acquire(); }
  acquired.set_permit_limit(10);
  semaphore(mine, "/other").set_permit_limit(10);
  recursive_mutex empty(mine, "/empty");
  const auto is_gone = [this](const std::string& path) {
    return eventually([&] { return !server_.look(full(path)); });
  };
  EXPECT_TRUE(is_gone("/one/guard") && is_gone("/other/guard"));
  for (int passes = 0; passes < 2; ++passes) {  // of the reaper, with nothing of ours in use
    { const std::scoped_lock made(empty); }
    EXPECT_TRUE(is_gone("/empty"));
  }
  for (const char* const path : {"/one", "/other"}) {
    std::error_code ec;
    EXPECT_EQ(semaphore(mine, path).permit_limit(ec), 10U) << path << ": " << ec.message();
    EXPECT_FALSE(semaphore(mine, path, 3).permits().try_acquire(ec)) << path;
    EXPECT_EQ(ec, errc::permit_limit_mismatch) << path;
  }
}

TEST_F(each_recipe_on_its_own_server, goes_on_when_the_server_is_restarted) {
  session& mine = open();
  session& others = open();
  std::vector<std::unique_ptr<any_lock>> locks;
  std::vector<grant> held;
  std::vector<std::future<grant>> waiting;
  for (const recipe& one : exclusive_recipes) {
    std::error_code ec;
    locks.push_back(one.make(mine, path_of(one)));
    held.push_back(locks.back()->try_for(ec, patience));
    ASSERT_TRUE(held.back().held()) << one.name << ": " << ec.message();
    locks.push_back(one.make(others, path_of(one)));
    waiting.push_back(wait_for(*locks.back()));
    ASSERT_TRUE(queue_grows_to(2, path_of(one))) << one.name;
  }
  zookeeper.restart();
  ASSERT_TRUE(mine.wait_connected_for(patience) && others.wait_connected_for(patience));
  for (std::size_t one = 0; one < held.size(); ++one) {
    SCOPED_TRACE(exclusive_recipes[one].name);
    if (held[one].held()) {  // a start that took longer than the deadline would have cost the hold, and rightly
      EXPECT_FALSE(ready(waiting[one], 0ms) && held[one].held());
    }
    held[one] = {};
    EXPECT_TRUE(waiting[one].get().held());
  }
}

}  // namespace
}  // namespace zklock::test
