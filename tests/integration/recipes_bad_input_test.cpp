// What callers of the recipes, or their neighbours on a path, get wrong: a clear error each, and nothing is changed.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/each_recipe.hpp"
#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

/// Names that the library reads as contenders of one kind each.
const std::vector<std::pair<std::string, recipe>> kinds{
    {"mutex", {"mutex", make_lock<whole_mutex>}},
    {"mutex", {"semaphore_mutex", make_lock<whole_semaphore_mutex>}},
    {"shared", {"read", make_lock<read_side>}},
    {"shared", {"write", make_lock<write_side>}},
    {"semaphore", {"semaphore", make_lock<all_permits>}}};

class wrong_neighbours : public on_a_server {};

TEST_F(wrong_neighbours, each_recipe_is_refused_on_a_path_where_another_holds) {
  session& first = open();
  session& second = open();
  for (const auto& [held_kind, holder] : kinds) {
    for (const auto& [kind, comer] : kinds) {
      if (kind == held_kind) {
        continue;
      }
      SCOPED_TRACE(std::string(comer.name) + " on the path of " + holder.name);
      const std::string path = std::string("/") + holder.name + "-" + comer.name;
      const auto holds = holder.make(first, path);
      const auto comes = comer.make(second, path);
      std::error_code ec;
      const grant held = holds->try_for(ec, patience);
      ASSERT_TRUE(held.held()) << ec.message();
      const std::string data = server_.data(full(path));
      EXPECT_FALSE(comes->try_for(ec, patience));
      EXPECT_EQ(ec, errc::wrong_recipe) << ec.message();
      EXPECT_TRUE(queue_grows_to(1, path));
      EXPECT_TRUE(held.held());
      EXPECT_EQ(server_.data(full(path)), data);
    }
  }
}

TEST_F(wrong_neighbours, a_part_of_a_multi_lock_is_named_and_its_other_parts_are_not_left) {
  session& first = open();
  session& second = open();
  for (const auto& [kind, holder] : kinds) {
    SCOPED_TRACE(holder.name);
    const std::string path = std::string("/") + holder.name;
    const auto holds = holder.make(first, path);
    std::error_code ec;
    const grant held = holds->try_for(ec, patience);
    ASSERT_TRUE(held.held()) << ec.message();
    recursive_mutex other(second, "/other");
    semaphore pool(second, path, 2);
    recursive_mutex mutex(second, path);
    multi_lock both{other, kind == "semaphore" ? lock_view(mutex) : pool.permits()};
    try {
      static_cast<void>(both.try_acquire_for(patience));
      ADD_FAILURE() << "not refused";
    } catch (const error& told) {
      EXPECT_EQ(told.code(), errc::wrong_recipe);
      EXPECT_EQ(told.path(), path);
    }
    EXPECT_TRUE(queue_grows_to(1, path));
    EXPECT_TRUE(queue_grows_to(0, "/other"));
  }
}

class misuse : public on_a_server {
 protected:
  static inline std::atomic<int> violations = 0;
  misuse() {
    violations = 0;
    set_contract_handler([](const char*, const char*) { ++violations; });
  }
  ~misuse() override { set_contract_handler(nullptr); }
};

TEST_F(misuse, numbers_of_permits_out_of_bounds_leave_no_node) {
  session& one = open();
  EXPECT_THROW(semaphore(one, "/lock", 0), error);
  EXPECT_THROW(semaphore(one, "/lock", 1'000'001), error);
  semaphore pool(one, "/lock", 4);
  EXPECT_THROW(static_cast<void>(pool.permits(0)), error);
  EXPECT_THROW(static_cast<void>(pool.permits(1'000'001)), error);
  std::error_code ec;
  EXPECT_FALSE(pool.permits(5).acquire(ec));
  EXPECT_EQ(ec, errc::permit_limit_exceeded);
  pool.set_permit_limit(0, ec);
  EXPECT_EQ(ec, errc::invalid_option);
  pool.set_permit_limit(1'000'001, ec);
  EXPECT_EQ(ec, errc::invalid_option);
  EXPECT_FALSE(server_.look(full("/lock")));
}

TEST_F(misuse, a_lock_node_whose_data_is_no_limit_is_left_as_it_is) {
  server_.create(full("/lock"));
  ASSERT_EQ(server_.ask(client::request::set{full("/lock"), "limit=many\n"}).code, client::code::ok);
  for (const std::uint32_t limit : {0U, 3U}) {
    const auto pool =
        limit == 0 ? std::make_unique<semaphore>(open(), "/lock") : std::make_unique<semaphore>(open(), "/lock", limit);
    std::error_code ec;
    EXPECT_FALSE(pool->permits().try_acquire_for(patience, ec));
    EXPECT_EQ(ec, errc::not_a_permit_limit) << ec.message();
    pool->set_permit_limit(4, ec);
    EXPECT_EQ(ec, errc::not_a_permit_limit) << ec.message();
  }
  EXPECT_EQ(server_.data(full("/lock")), "limit=many\n");
  EXPECT_TRUE(queue_grows_to(0));
}

TEST_F(misuse, a_semaphore_without_a_limit_makes_no_node_above_it_either) {
  semaphore pool(open(), "/above/pool");
  std::error_code ec;
  EXPECT_FALSE(pool.permits().try_acquire_for(patience, ec));
  EXPECT_EQ(ec, errc::no_permit_limit);
  recursive_mutex other(open(), "/other");
  EXPECT_FALSE(server_.look(full("/above")));
}

TEST_F(misuse, unlocking_or_downgrading_what_is_not_held_changes_nothing) {
  session& one = open();
  shared_mutex lock(one, "/lock");
  grant reading = lock.read().as(owner::this_thread()).acquire();
  const auto before = server_.look(root_ + reading.node());
  ASSERT_TRUE(before);
  lock.unlock();
  lock.unlock_shared();
  EXPECT_EQ(violations, 2);
  std::error_code ec;
  reading.downgrade(ec);
  EXPECT_EQ(ec, errc::not_a_write_grant);
  EXPECT_FALSE(lock.as(owner::this_thread()).try_acquire_for(patience, ec));
  EXPECT_EQ(ec, errc::would_deadlock);
  const auto after = server_.look(root_ + reading.node());
  ASSERT_TRUE(after);
  EXPECT_EQ(after->mzxid, before->mzxid);
  EXPECT_EQ(contenders().size(), 1U);
  EXPECT_TRUE(reading.held());
}

TEST_F(misuse, parts_of_two_sessions_or_one_path_twice_leave_no_node) {
  recursive_mutex a(open(), "/a");
  recursive_mutex b(open(), "/b");
  EXPECT_THROW((multi_lock{a, b}), error);
  EXPECT_THROW((multi_lock{a, a}), error);
  EXPECT_FALSE(server_.look(full("/a")));
}

}  // namespace
}  // namespace zklock::test
