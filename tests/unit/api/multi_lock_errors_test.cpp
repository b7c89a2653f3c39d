#include <gtest/gtest.h>

#include <zklock/error.hpp>
#include <zklock/multi_lock.hpp>
#include <zklock/mutex.hpp>
#include <zklock/semaphore.hpp>
#include <zklock/testing/fake_ensemble.hpp>

#include <chrono>
#include <deque>
#include <string>
#include <system_error>
#include <vector>

/// What ends a multi-lock's attempt, as its user sees it.
namespace zklock {
namespace {

using namespace std::chrono_literals;

TEST(multi_lock_errors, a_semaphore_whose_limit_no_client_has_said_ends_the_attempt_and_is_named) {
  testing::fake_ensemble zookeeper;
  session here(zookeeper.clients());
  recursive_mutex orders(here, "/locks/orders");
  semaphore pool(here, "/locks/pool");
  multi_lock both{orders, pool.permits(1)};
  try {
    static_cast<void>(both.try_acquire_for(30s));
    ADD_FAILURE() << "granted, or not in time";
  } catch (const error& refused) {
    EXPECT_EQ(refused.code(), errc::no_permit_limit);
    EXPECT_EQ(refused.path(), "/locks/pool");
  }
  EXPECT_FALSE(zookeeper.exists("/locks/pool"));
  EXPECT_TRUE(zookeeper.children("/locks/orders").empty());
}

TEST(multi_lock_errors, a_semaphore_whose_limit_is_said_is_made_with_the_attempt) {
  testing::fake_ensemble zookeeper;
  session here(zookeeper.clients());
  recursive_mutex orders(here, "/locks/orders");
  semaphore pool(here, "/locks/pool", 2);
  multi_lock both{orders, pool.permits(1)};
  EXPECT_TRUE(both.try_acquire_for(30s));
  EXPECT_TRUE(zookeeper.exists("/locks/pool"));
}

TEST(multi_lock_errors, f107_more_parts_than_one_request_takes_are_refused_and_nothing_is_sent) {
  testing::fake_ensemble zookeeper;
  session here(zookeeper.clients());
  const std::string directory = "/" + std::string(10'000, 'd') + "/";
  std::deque<recursive_mutex> locks;
  std::vector<lock_view> parts;
  for (int i = 0; i < 100; ++i) {
    parts.emplace_back(locks.emplace_back(here, directory + std::to_string(i)));
  }
  multi_lock all(parts);
  std::error_code ec;
  EXPECT_FALSE(all.try_acquire_for(30s, ec));
  EXPECT_EQ(ec, errc::request_too_large);
  EXPECT_EQ(zookeeper.node_count(), 0U);

  parts.erase(parts.begin() + 50, parts.end());
  multi_lock fewer(parts);
  EXPECT_TRUE(fewer.try_acquire_for(30s));
}

}  // namespace
}  // namespace zklock
