#pragma once

#include <gtest/gtest.h>

#include <zklock/mutex.hpp>
#include <zklock/testing/fake_ensemble.hpp>
#include <zklock/transaction.hpp>

#include <chrono>
#include <string_view>
#include <system_error>

#include "tests/support/eventually.hpp"

namespace zklock {

/// On an ensemble in memory: a lock that is held, and a node to write to.
class guarded_write : public ::testing::Test {
 protected:
  guarded_write() {
    EXPECT_TRUE(zookeeper.create_node("/config", "old"));
    held = orders.as(owner::this_thread()).acquire();
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

  /// Waits until the session is connected, and what it asks by itself after a reconnect has been answered: the next request
  /// is the next commit.
  [[nodiscard]] bool answers_again() {
    return test_support::eventually([this] {
      std::error_code ec;
      here.transaction().check("/config").commit(ec);
      return !ec;
    });
  }

  testing::fake_ensemble zookeeper;
  session here{zookeeper.clients(0), {.timeout = std::chrono::seconds(60)}};  // no heartbeat comes between
  recursive_mutex orders{here, "/locks/orders"};
  grant held;
};

}  // namespace zklock
