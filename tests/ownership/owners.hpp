#pragma once

#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "tests/ownership/actor.hpp"
#include "tests/stress/server_for_stress.hpp"
#include "tests/support/call_site.hpp"
#include "tests/support/eventually.hpp"

namespace zklock::test {

using namespace std::chrono_literals;
using test_support::call_site;
using test_support::eventually;

/// What becomes of a call, by what its owner and its thread hold: a cell of the tables in docs/guide/threads.md each. On the
/// fake ensemble and on a real server. T is a thread, `job` an explicit owner.
class owners : public under_stress {
 protected:
  owners() : former_(set_contract_handler([](const char*, const char*) { ++violations_; })) { violations_ = 0; }
  ~owners() override { set_contract_handler(former_); }

  void SetUp() override {
    start(1);
    session_ = server_->open(0, {.timeout = 10s});
  }
  void TearDown() override {
    for (const char* path : {"/lock", "/other"}) {
      expect_nothing_left(path);
    }
  }

  [[nodiscard]] std::size_t contenders(const std::string& path = "/lock") { return server_->contenders(path).size(); }
  [[nodiscard]] static int violations() { return violations_.exchange(0); }
  /// The session ends; returns when that is known of what is held.
  template <class Held>
  void lose(Held held) {
    server_->expire(0);
    EXPECT_TRUE(eventually([&] { return !held() && contenders() == 0; }));
  }
  void lose(const grant& held) {
    lose([&held] { return held.held(); });
  }

  /// T's call waits as a contender of its own, behind so many, until `free` has let it in. Its result is T's to give back.
  template <class Call, class Free>
  auto expect_queues(Call call, Free free, std::size_t before = 1, const call_site& where = call_site::current()) {
    const ::testing::ScopedTrace trace(where.file, where.line, "called here");
    EXPECT_TRUE(eventually([&] { return contenders() == before; }))
        << contenders() << ": a try before may be going still";
    auto waits = t_.begins(std::move(call));
    EXPECT_TRUE(eventually([&] { return contenders() == before + 1; }));
    EXPECT_EQ(waits.wait_for(20ms), std::future_status::timeout);
    free();
    return waits.get();
  }
  /// One count more, and no contender more.
  template <class Call>
  auto expect_counts(Call call, const call_site& where = call_site::current()) {
    const ::testing::ScopedTrace trace(where.file, where.line, "called here");
    const std::size_t before = contenders();
    auto result = t_.does(std::move(call));
    EXPECT_EQ(contenders(), before);
    return result;
  }
  /// Each blocking form on T, one try included, for the owner or without one.
  template <class Lockable>
  void expect_refused(errc why, Lockable& lock, const call_site& where = call_site::current()) {
    const ::testing::ScopedTrace trace(where.file, where.line, "called here");
    const std::size_t before = contenders();
    t_.does([&] {
      std::error_code ec;
      EXPECT_FALSE(lock.acquire(ec));
      EXPECT_EQ(ec, why);
      EXPECT_FALSE(lock.try_acquire(ec));
      EXPECT_EQ(ec, why);
      EXPECT_FALSE(lock.try_acquire_for(30s, ec));
      EXPECT_EQ(ec, why);
      EXPECT_FALSE(lock.try_acquire_until(std::chrono::steady_clock::now() + 30s, ec));
      EXPECT_EQ(ec, why);
    });
    EXPECT_EQ(contenders(), before);
  }
  /// What it throws; no error, if it throws nothing.
  template <class What>
  static std::error_code error_of(What what) {
    try {
      static_cast<void>(what());
    } catch (const error& thrown) {
      return thrown.code();
    }
    return {};
  }

  static inline std::atomic<int> violations_ = 0;
  const contract_handler former_;
  std::unique_ptr<session> session_;
  const owner job_;
  actor t_;
};

}  // namespace zklock::test
