#include <gtest/gtest.h>

#include <zklock/error.hpp>
#include <zklock/multi_lock.hpp>
#include <zklock/mutex.hpp>
#include <zklock/semaphore.hpp>
#include <zklock/testing/fake_ensemble.hpp>

#include <chrono>
#include <system_error>

/// A multi_lock, as its user sees it.
namespace zklock {
namespace {

using namespace std::chrono_literals;

TEST(multi_lock_errors, a_semaphore_whose_limit_nobody_has_said_ends_the_attempt_and_is_named) {
  testing::fake_ensemble zookeeper;
  session here(zookeeper.clients());
  recursive_mutex orders(here, "/locks/orders");
  semaphore pool(here, "/locks/pool");
  multi_lock both{orders, pool.permits(1)};
  try {
    static_cast<void>(both.try_acquire_for(30s));
    ADD_FAILURE() << "granted, or not in time";
  } catch (const error& refused) {
    EXPECT_EQ(refused.code(), errc::no_limit);
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

}  // namespace
}  // namespace zklock
