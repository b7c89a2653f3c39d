// An attempt to acquire, or what is left of one, meets a fault on its way: it ends as it must, and nothing stays behind.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

class an_attempt : public on_a_server {};

// ---- ended at each step

/// Tells when the frame of a given number has passed, heartbeats not counted.
class step_watch {
 public:
  step_watch(proxy& way, int step)
      : left_(step),
        watched_(
            way, [this](const request_frame& one) { return count(one.opcode); },
            [this](const reply_frame& one) { return count(one.opcode); }) {}

  [[nodiscard]] bool reached() const { return left_ <= 0; }

 private:
  verdict count(std::int32_t what) {
    left_ -= what == opcode::ping || what == opcode::sync ? 0 : 1;
    return verdict::pass;
  }

  std::atomic<int> left_;
  const hooks watched_;
};

class an_attempt_ended_at_each_step : public an_attempt {
 protected:
  enum class by : std::uint8_t { stop, destruction };
  // Frames asked and answered: create and list; the lock node and what is above it, create and list.
  static constexpr int steps_alone = 12;
  // Create and list; the watches on the predecessor and on the own node.
  static constexpr int steps_in_a_queue = 8;

  void end_at(int step, const std::string& path, by how) {
    proxy way(port_);
    session one(way.address() + root_);  // lives on: nothing goes with it
    ASSERT_TRUE(one.wait_connected_for(patience));
    way.set_delay(10ms);  // so that the end comes before the next frame
    const step_watch at(way, step);
    auto lock = std::make_unique<recursive_mutex>(one, path);
    const std::size_t others = contenders(path).size();
    std::stop_source stop;
    std::error_code ec;
    auto waiting = in_a_thread([&, raw = lock.get()] { return raw->acquire(stop.get_token(), ec); });
    EXPECT_TRUE(eventually([&] { return at.reached(); })) << step;
    how == by::stop ? static_cast<void>(stop.request_stop()) : lock.reset();
    {
      const grant came_first = waiting.get();
      EXPECT_TRUE(ec == errc::abandoned || (came_first && others == 0)) << step << ": " << ec.message();
    }
    EXPECT_TRUE(eventually([&] { return contenders(path).size() == others; })) << step;
  }

  void end_at_each_step(by how) {
    server_.create(root_);
    recursive_mutex holder(open(), "/queue");
    grant held = holder.acquire();
    std::vector<std::future<void>> running;
    for (int step = 1; step <= steps_alone; ++step) {
      running.push_back(in_a_thread([=, this] { end_at(step, "/alone-" + std::to_string(step), how); }));
    }
    for (auto& one : running) {
      one.get();
    }
    for (int step = 1; step <= steps_in_a_queue; ++step) {
      end_at(step, "/queue", how);
    }
    recursive_mutex next(open(), "/queue");
    held.release();
    EXPECT_TRUE(next.try_acquire().held()) << "no contender is left in front";
  }
};

TEST_F(an_attempt_ended_at_each_step, f29_by_a_stop_leaves_no_node) { end_at_each_step(by::stop); }

TEST_F(an_attempt_ended_at_each_step, f38_by_its_locks_destruction_leaves_no_node) {
  end_at_each_step(by::destruction);
}

// ---- limits

TEST_F(an_attempt, f27_on_a_connection_that_drops_delays_or_refuses_is_answered_at_its_limit) {
  server_.create(full("/lock"));
  const std::vector<std::function<void(proxy&)>> faults{
      [](proxy& way) { way.set_mode(proxy_mode::hold); }, [](proxy& way) { way.set_mode(proxy_mode::hold_requests); },
      [](proxy& way) { way.set_mode(proxy_mode::hold_replies); }, [](proxy& way) { way.set_mode(proxy_mode::cut); },
      [](proxy& way) { way.set_delay(1s); }};
  for (const auto& befall : faults) {
    proxy& way = new_proxy();
    session& one = open_through(way);
    ASSERT_TRUE(one.wait_connected_for(patience));
    recursive_mutex lock(one, "/lock");
    befall(way);
    std::error_code ec;
    // The fault goes on until the caller is answered. Only a silence of two thirds of 10 s would end what was asked.
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_FALSE(lock.try_acquire_for(100ms, ec));
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 6s);
    EXPECT_EQ(ec, errc::not_connected);
    way.set_mode(proxy_mode::pass);
    way.set_delay(0ms);
    EXPECT_TRUE(acquire_patiently(lock).held());
    EXPECT_TRUE(eventually([&] { return contenders().empty(); }));
  }
}

TEST_F(an_attempt, f30_whose_removal_loses_its_connection_several_times_is_removed_all_the_same) {
  recursive_mutex holder(open(), "/lock");
  const grant held = holder.acquire();
  proxy& way = new_proxy();
  session& one = open_through(way, {.timeout = 6s});
  recursive_mutex lock(one, "/lock");
  ASSERT_TRUE(one.wait_connected_for(patience));
  std::atomic<int> removals = 0;
  const hooks cutting(way, [&](const request_frame& asked) {
    return asked.opcode == opcode::remove && ++removals <= 4 ? verdict::cut_before : verdict::pass;
  });
  const std::int64_t session_before = way.last_session().id;
  std::error_code ec;
  EXPECT_FALSE(lock.try_acquire(ec));
  EXPECT_TRUE(eventually([&] { return contenders().size() == 1; }));
  EXPECT_EQ(removals, 5);
  EXPECT_EQ(way.last_session().id, session_before);
  EXPECT_TRUE(held.held());
}

// What the C client has registered shows when it reconnects: it sets all of it again.
TEST_F(an_attempt, f37_that_has_failed_leaves_no_watch_in_the_client) {
  recursive_mutex holder(open(), "/lock");
  grant held = holder.acquire();
  proxy& way = new_proxy();
  session& one = open_through(way);
  recursive_mutex lock(one, "/lock");
  std::atomic<int> watched = 0;
  std::atomic<std::size_t> set_again = 0;
  const hooks counting(way, [&](const request_frame& asked) {
    watched += asked.opcode == opcode::get ? 1 : 0;
    return verdict::pass;
  });
  way.rewrite_requests([&](const request_frame& asked, std::string& frame) {
    if (asked.opcode == opcode::set_watches) {
      set_again = frame.size();
    }
  });
  const auto reconnect = [&] {
    set_again = 0;
    const std::size_t before = way.accepted();
    way.cut_now();
    EXPECT_TRUE(eventually([&] { return way.accepted() > before && one.state() == session_state::connected; }));
  };
  for (int tries = 0; tries < 2000 && watched < 100; ++tries) {
    std::error_code ec;  // not_connected, when not even the queue was seen in that time
    EXPECT_FALSE(lock.try_acquire_for(20ms, ec));
  }
  EXPECT_GE(watched, 100) << "two a try";
  ASSERT_TRUE(queue_grows_to(1));
  reconnect();
  std::error_code ec;
  EXPECT_FALSE(lock.try_acquire_for(1s, ec)) << "whatever came behind the reconnect has arrived";
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_EQ(set_again, 0U);

  ASSERT_TRUE(queue_grows_to(1)) << "the removal of the contender before may take a while";
  auto waiting = queue_up(lock, 2);
  ASSERT_TRUE(eventually([&] { return watched_paths().size() == 2; }));
  EXPECT_EQ(lock.queue().size(), 2U);  // answered behind what has set the watches: the client knows of them
  reconnect();
  EXPECT_TRUE(eventually([&] { return set_again > 0; })) << "those of a waiter are";
  way.rewrite_requests({});
  held.release();
  EXPECT_TRUE(waiting.get().held());
}

// ---- answers that do not come

TEST_F(an_attempt, f05_whose_create_or_removal_is_not_answered_finds_its_node_or_sees_it_gone) {
  proxy& way = new_proxy();
  session& one = open_through(way, {.timeout = 3s});
  recursive_mutex lock(one, "/lock");
  lock.acquire().release();
  std::atomic<int> creates = 0;
  std::atomic<int> removals = 0;
  const hooks counting(way, [&](const request_frame& asked) {
    creates += asked.opcode == opcode::create2 ? 1 : 0;
    removals += asked.opcode == opcode::remove ? 1 : 0;
    return verdict::pass;
  });
  const auto until_it_times_out = [&] {  // at two thirds of the session timeout
    EXPECT_TRUE(eventually([&] { return one.state() == session_state::suspended; }));
    way.set_mode(proxy_mode::pass);
  };
  way.set_mode(proxy_mode::hold_replies);
  auto acquiring = queue_up(lock, 1);
  until_it_times_out();
  grant held = acquiring.get();
  ASSERT_TRUE(held.held());
  EXPECT_EQ(creates, 1);
  EXPECT_EQ(contenders(), std::vector<std::string>{held.node().substr(std::string("/lock/").size())});

  way.set_mode(proxy_mode::hold_replies);
  held = {};
  ASSERT_TRUE(eventually([&] { return contenders().empty(); }));
  until_it_times_out();
  EXPECT_TRUE(eventually([&] { return removals == 2; })) << "asked for again, and found done";
  EXPECT_TRUE(acquire_patiently(lock).held());
}

// ---- a lock node that is taken away

TEST_F(an_attempt, f06_beside_a_job_that_removes_empty_lock_nodes_never_shows_that_to_its_caller) {
  proxy& way = new_proxy();
  recursive_mutex lock(open_through(way), "/lock");
  std::atomic<int> missing = 0;
  const hooks counting(way, {}, [&](const reply_frame& answer) {
    missing += answer.opcode == opcode::create2 && answer.err == static_cast<int>(client::code::no_node) ? 1 : 0;
    return verdict::pass;
  });
  std::jthread cleaning(
      [this, job = std::make_shared<inspector>("127.0.0.1:" + std::to_string(port_))](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          static_cast<void>(job->ask(client::request::remove{full("/lock")}));  // refused while it has children
        }
      });
  fencing_token last{};
  for (int round = 0; round < 200; ++round) {
    std::error_code ec;
    grant held = lock.try_acquire_for(patience, ec);
    ASSERT_TRUE(held.held()) << ec.message();
    EXPECT_GT(held.token(), last);
    last = held.token();
    held.release(ec);
    EXPECT_FALSE(ec) << ec.message();
  }
  EXPECT_GE(missing, 10);
}

}  // namespace
}  // namespace zklock::test
