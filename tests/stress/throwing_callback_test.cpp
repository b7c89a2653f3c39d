// A callback on the notice of loss that throws: std::stop_callback says std::terminate, and nothing of it gets into C.
#include <gtest/gtest.h>

#include <zklock/testing/fake_ensemble.hpp>
#include <zklock/zklock.hpp>

#include <csignal>
#include <stdexcept>
#include <stop_token>

#include "tests/support/eventually.hpp"

namespace zklock::test {
namespace {

void be_told_of_a_loss_and_throw() {
  testing::fake_ensemble zookeeper;
  session one(zookeeper.clients());
  recursive_mutex lock(one, "/lock");
  const grant held = lock.acquire();
  const std::stop_callback throws(held.lost(), [] { throw std::runtime_error("thrown by a callback"); });
  zookeeper.expire_sessions();
  static_cast<void>(test_support::eventually([&] { return !held.held(); }));
  one.close();  // has the notices told, if they were not yet
}

TEST(throwing_callback_death, f25_on_a_notice_of_loss_ends_the_process) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(be_told_of_a_loss_and_throw(), ::testing::KilledBySignal(SIGABRT), "thrown by a callback");
}

}  // namespace
}  // namespace zklock::test
