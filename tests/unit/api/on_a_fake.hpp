#pragma once

#include <gtest/gtest.h>

#include <zklock/testing/fake_ensemble.hpp>
#include <zklock/zklock.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tests/support/call_site.hpp"
#include "tests/support/eventually.hpp"

namespace zklock::test {

using namespace std::chrono_literals;
using test_support::eventually;

/// How long a test waits for what has to come: it costs a failing test alone.
inline constexpr auto patience = 30s;
/// How long a test lets a contender wait in vain: on a busy machine, too, a server has answered it by then.
inline constexpr auto briefly = 200ms;

/// Does it in a thread of its own, to its end.
template <class What>
auto elsewhere(What&& what) {
  return std::async(std::launch::async, std::forward<What>(what)).get();
}

/// The same, not waited for. The future waits for its end.
template <class What>
[[nodiscard]] auto in_a_thread(What&& what) {
  return std::async(std::launch::async, std::forward<What>(what));
}

/// A lock, a view or a multi-lock for the calling thread as the owner, in the grant forms as well.
template <class Lock>
[[nodiscard]] lock_view mine(Lock&& lock) {
  return lock.as(owner::this_thread());
}

/// The errc that `what` throws, and the path that it blames; none, if it throws nothing.
struct thrown {
  std::error_code ec;
  std::string path;
  std::string text;
};
template <class What>
thrown thrown_by(What&& what) {
  try {
    static_cast<void>(what());
  } catch (const error& told) {
    return {told.code(), told.path(), told.what()};
  }
  return {};
}

template <class What>
void expect_thrown(errc why, const std::string& path, What&& what,
                   const test_support::call_site& where = test_support::call_site::current()) {
  const ::testing::ScopedTrace trace(where.file, where.line, "called here");
  const thrown told = thrown_by(std::forward<What>(what));
  EXPECT_EQ(told.ec, why);
  EXPECT_EQ(told.path, path);
}

inline void expect_released(grant& held, const test_support::call_site& where = test_support::call_site::current()) {
  const ::testing::ScopedTrace trace(where.file, where.line, "called here");
  std::error_code ec;
  held.release(ec);
  EXPECT_FALSE(ec) << ec.message();
}

/// Counts violations of std's preconditions while it lives, in place of std::terminate.
class contract_violations {
 public:
  contract_violations() : former_(set_contract_handler(&count)) { seen_ = 0; }
  ~contract_violations() { set_contract_handler(former_); }
  contract_violations(const contract_violations&) = delete;
  contract_violations& operator=(const contract_violations&) = delete;

  /// How many since it was last asked.
  [[nodiscard]] static int take() { return seen_.exchange(0); }

 private:
  static void count(const char*, const char*) { ++seen_; }
  static inline std::atomic<int> seen_ = 0;
  contract_handler former_;
};

/// Two programs with a session each on a fake ensemble, the second as client 1. At the end nothing may be left.
class on_a_fake : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& path : paths_) {
      EXPECT_TRUE(eventually([&] { return queue(path).empty(); }))
          << path << ": " << ::testing::PrintToString(queue(path));
    }
    // A session watches a lock node that it has taken again, as long as it lasts; the simulator counts those.
    EXPECT_TRUE(eventually([&] {
      return zookeeper_.watch_count() <= zookeeper_.session_count() * zookeeper_.node_count();
    })) << zookeeper_.watch_count()
        << " watches";
  }

  /// All contenders of the lock, those of a semaphore of Curator's by their place below it.
  [[nodiscard]] std::vector<std::string> queue(const std::string& path = "/lock") const {
    std::vector<std::string> names;
    for (const std::string& child : zookeeper_.children(path)) {
      if (child != "locks" && child != "leases" && child != "limit-keeper") {
        names.push_back(child);
        continue;
      }
      for (const std::string& below : zookeeper_.children(path + "/" + child)) {
        names.push_back(child + "/" + below);
      }
    }
    return names;
  }
  [[nodiscard]] bool queue_is(std::size_t size, const std::string& path = "/lock") const {
    return eventually([&] { return queue(path).size() == size; });
  }
  /// How many requests `what` sends, heartbeats aside: a session sends them only every twelfth of its timeout.
  [[nodiscard]] std::uint64_t requests_of(const std::function<void()>& what) const {
    const std::uint64_t before = zookeeper_.request_count();
    what();
    return zookeeper_.request_count() - before;
  }

  testing::fake_ensemble zookeeper_;
  session one_{zookeeper_.clients(0), {.timeout = 60s}};
  session two_{zookeeper_.clients(1), {.timeout = 60s}};
  std::vector<std::string> paths_{"/lock", "/a", "/b", "/c"};  ///< looked at in the end
};

}  // namespace zklock::test
