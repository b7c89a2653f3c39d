// Tests that stop, restart or configure their server.
#include <gtest/gtest.h>
#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>

#include <zklock/zklock.hpp>

#include <algorithm>
#include <memory>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

struct holds_a_server {
  test_support::private_zookeeper zookeeper{{.reaper_interval = 200ms}};
};

class a_server_of_its_own : protected holds_a_server, public on_a_server {
 protected:
  a_server_of_its_own() : on_a_server(zookeeper.address()) {}
};

TEST_F(a_server_of_its_own, f06_f48_reaps_the_lock_node_as_a_container_and_the_next_acquire_makes_it_again) {
  session& one = open();
  recursive_mutex lock(one, "/locks/orders");
  fencing_token before{};
  for (int round = 0; round < 2; ++round) {
    grant held = lock.acquire();
    EXPECT_GT(held.token(), before);
    before = held.token();
    held.release();
    ASSERT_TRUE(eventually([&] { return !server_.look(root_); })) << "with the containers above it";
  }
  EXPECT_TRUE(lock.try_acquire().held());
}

TEST_F(a_server_of_its_own, f17_restarted_keeps_session_hold_and_queue) {
  session& one = open();
  recursive_mutex holder(one, "/lock");
  recursive_mutex waiter(open(), "/lock");
  grant held = holder.acquire();
  auto waiting = queue_up(waiter, 2);
  zookeeper.restart();
  ASSERT_TRUE(eventually([&] { return one.state() == session_state::connected; }));
  if (held.held()) {  // a start that took longer than the deadline would have cost the hold, and rightly
    EXPECT_FALSE(ready(waiting, 0ms));
  }
  held = {};
  EXPECT_TRUE(waiting.get().held());
}

TEST_F(a_server_of_its_own, f15_f17_frozen_costs_the_hold_at_its_deadline_and_grants_the_lock_again_later) {
  session& one = open({.timeout = 2s});
  recursive_mutex lock(one, "/lock");
  grant held = lock.acquire();
  zookeeper.stop();
  ASSERT_TRUE(eventually([&] { return !held.held(); }));
  EXPECT_EQ(held.loss_reason(), loss_reason::deadline_passed);
  EXPECT_GE(boot_clock::now(), held.valid_until());
  std::error_code ec;
  held.release(ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_FALSE(lock.try_acquire_for(10ms, ec));
  EXPECT_EQ(ec, errc::not_connected);
  zookeeper.cont();
  const grant again = acquire_patiently(lock);
  EXPECT_TRUE(again.held());
}

TEST_F(a_server_of_its_own, f36_frozen_delays_destroying_a_session_some_5_s_but_not_unlock_grants_or_locks) {
  auto one = std::make_unique<session>(zookeeper.address() + root_);
  auto lock = std::make_unique<recursive_mutex>(*one, "/lock");
  auto other = std::make_unique<recursive_mutex>(*one, "/other");
  lock->lock();
  grant held = other->acquire();
  zookeeper.stop();
  const auto begun = std::chrono::steady_clock::now();
  lock->unlock();
  held = {};
  EXPECT_FALSE(lock->held());
  lock.reset();
  other.reset();
  const auto ended = std::chrono::steady_clock::now();
  one.reset();
  const auto closed = std::chrono::steady_clock::now();
  EXPECT_LT(ended - begun, 3s) << "no time is promised: they ask the server nothing that they wait for";
  EXPECT_LT(closed - ended, 9s) << "some 5 s are promised for a session";
  zookeeper.cont();
}

TEST_F(a_server_of_its_own, f77_frozen_holds_up_close_for_a_bounded_time_only) {
  session& one = open();
  recursive_mutex lock(one, "/lock");
  const grant held = lock.acquire();
  zookeeper.stop();
  std::error_code ec;
  auto closing = in_a_thread([&] { one.close(ec); });
  const bool closed = ready(closing, 9s);  // some 5 s are promised
  zookeeper.cont();
  EXPECT_TRUE(closed);
  closing.get();
  EXPECT_EQ(ec, errc::release_unconfirmed);
  EXPECT_FALSE(held.held());
}

/// Catches what the library logs.
class caught_log {
 public:
  caught_log() : sink_(std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(1000)) {
    spdlog::drop("zklock");
    spdlog::register_logger(std::make_shared<spdlog::logger>("zklock", sink_));
  }
  caught_log(const caught_log&) = delete;
  caught_log& operator=(const caught_log&) = delete;
  ~caught_log() { spdlog::drop("zklock"); }

  [[nodiscard]] std::ptrdiff_t count(std::string_view text) const {
    const auto lines = sink_->last_formatted();
    return std::count_if(lines.begin(), lines.end(),
                         [&](const std::string& line) { return line.find(text) != std::string::npos; });
  }

 private:
  std::shared_ptr<spdlog::sinks::ringbuffer_sink_mt> sink_;
};

/// The furthest that the deadline was seen ahead.
std::chrono::nanoseconds furthest_ahead(const grant& held, std::chrono::nanoseconds enough) {
  std::chrono::nanoseconds most{0};
  static_cast<void>(eventually(
      [&] {
        most = std::max<std::chrono::nanoseconds>(most, held.valid_until() - boot_clock::now());
        return most > enough;
      },
      2s));
  return most;
}

TEST_F(a_server_of_its_own, that_raises_the_timeout_is_warned_of_once) {
  const caught_log log;
  session& raised = open({.timeout = 100ms});
  session& as_asked = open({.timeout = 500ms});
  recursive_mutex a(raised, "/a");
  recursive_mutex b(as_asked, "/b");
  const grant held_a = a.acquire();
  const grant held_b = b.acquire();
  EXPECT_EQ(raised.timeout(), 500ms);
  EXPECT_EQ(as_asked.timeout(), 500ms);
  for (const grant* const held : {&held_a, &held_b}) {
    EXPECT_LE(furthest_ahead(*held, 500ms), 500ms - 500ms / 12) << "the margin of a twelfth is kept";
  }
  EXPECT_EQ(log.count("the server grants a session timeout of 500 ms instead of 100 ms"), 1);
}

}  // namespace
}  // namespace zklock::test
