// lock_options::max_hold on three servers, each of which is frozen in turn while the bound comes.
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <utility>

#include "tests/integration/on_three.hpp"

namespace zklock::test {
namespace {

constexpr auto bound = 700ms;

class a_bound : public on_three {
 protected:
  /// `first` and `next` acquire in two sessions; each server is frozen once, from the grant until the next one holds.
  template <class First, class Next>
  void expect_kept(First&& first, Next&& next) {
    for (std::size_t frozen = 0; frozen < 3; ++frozen) {
      const grant held = first();
      auto waiting = std::async(std::launch::async, [&] {
        grant got = next();
        return std::pair(std::move(got), boot_clock::now());
      });
      zookeeper.stop(frozen);
      const auto end = held.valid_until();
      EXPECT_LE(end, boot_clock::now() + bound);
      while (held.held()) {
        std::this_thread::sleep_for(1ms);
      }
      EXPECT_GE(boot_clock::now(), end);
      EXPECT_EQ(held.loss_reason(), loss_reason::held_too_long);
      std::error_code ec;
      one_.transaction().guarded_by(held).create(held.path() + "-late", "").commit(ec);
      EXPECT_EQ(ec, errc::lost);
      const bool soon = waiting.wait_for(20s) == std::future_status::ready;
      zookeeper.cont(frozen);
      const auto [got, at] = waiting.get();
      EXPECT_TRUE(soon) << "it waited until server " << frozen << " went on";
      EXPECT_TRUE(got.held());
      EXPECT_GE(at, end + one_.margin());
      EXPECT_TRUE(eventually([&] { return all_serve(); }));
    }
  }
  // Of a timeout in which no server's silence ends a hold before its bound does.
  session one_{zookeeper.connect_string(), {.timeout = 4s}};
  session two_{zookeeper.connect_string(), {.timeout = 4s}};
  [[nodiscard]] static lock_options bounded(layout of) { return {.layout = of, .max_hold = bound}; }
};

TEST_F(a_bound, of_a_mutex_is_kept_with_a_server_frozen) {
  recursive_mutex lock(one_, "/mutex", bounded(layout::native)), next(two_, "/mutex");
  expect_kept([&] { return lock.acquire(); }, [&] { return next.acquire(); });
}

TEST_F(a_bound, of_a_writer_is_kept_with_a_server_frozen) {
  shared_mutex lock(one_, "/both", bounded(layout::curator)), next(two_, "/both", {.layout = layout::curator});
  expect_kept([&] { return lock.write().acquire(); }, [&] { return next.read().acquire(); });
}

TEST_F(a_bound, of_permits_is_kept_with_a_server_frozen) {
  semaphore lock(one_, "/permits", 2, bounded(layout::native)), next(two_, "/permits", 2);
  expect_kept([&] { return lock.permits(2).acquire(); }, [&] { return next.acquire(); });
}

}  // namespace
}  // namespace zklock::test
