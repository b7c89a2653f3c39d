#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <zklock/log.hpp>
#include <zklock/multi_lock.hpp>
#include <zklock/mutex.hpp>
#include <zklock/testing/fake_ensemble.hpp>

#include "src/log/log.hpp"
#include "src/log/log_sink_slot.hpp"
#include "tests/support/eventually.hpp"

namespace zklock {
namespace {

using namespace std::chrono_literals;
using test_support::eventually;

/// Keeps what the library logs, until it goes.
class kept_lines {
 public:
  kept_lines() {
    set_log_sink([this](const log_line& line) {
      const std::scoped_lock lock(mutex_);
      lines_.push_back(line);
    });
  }
  kept_lines(const kept_lines&) = delete;
  kept_lines& operator=(const kept_lines&) = delete;
  ~kept_lines() { set_log_sink({}); }

  std::vector<log_line> with(const std::string& text) {
    const std::scoped_lock lock(mutex_);
    std::vector<log_line> found;
    for (const log_line& line : lines_) {
      if (line.text.find(text) != std::string::npos) {
        found.push_back(line);
      }
    }
    return found;
  }

 private:
  std::mutex mutex_;
  std::vector<log_line> lines_;
};

TEST(log_sink, gets_each_line_with_its_lock_contender_and_session) {
  kept_lines kept;
  testing::fake_ensemble zookeeper;
  session here(zookeeper.clients());
  recursive_mutex orders(here, "/locks/orders");
  const grant g = orders.acquire();
  zookeeper.remove_node(g.node());
  ASSERT_TRUE(eventually([&] { return !kept.with("lost ").empty(); }));
  const log_line lost = kept.with("lost ").front();
  EXPECT_EQ(lost.level, log_level::warning);
  EXPECT_EQ(lost.text, "lost " + g.node() + ": node removed");
  EXPECT_EQ(lost.lock, "/locks/orders");
  EXPECT_EQ(lost.contender, g.node());
  EXPECT_EQ(lost.session, here.servers());
  const log_line state = kept.with("session new").front();
  EXPECT_EQ(state.level, log_level::info);
  EXPECT_EQ(state.lock + state.contender, "");
  EXPECT_EQ(state.session, here.servers());
}

TEST(log_sink, replaces_the_programs_logger_until_it_is_taken_away) {
  std::ostringstream out;
  spdlog::drop("zklock");
  spdlog::register_logger(
      std::make_shared<spdlog::logger>("zklock", std::make_shared<spdlog::sinks::ostream_sink_mt>(out)));
  {
    kept_lines kept;
    log::write(log_level::error, "for the sink");
    EXPECT_EQ(kept.with("for the sink").size(), 1U);
  }
  log::write(log_level::info, "for the logger");
  spdlog::drop("zklock");
  EXPECT_EQ(out.str().find("for the sink"), std::string::npos);
  EXPECT_NE(out.str().find("for the logger"), std::string::npos);
}

TEST(log_sink, without_one_warnings_and_errors_go_to_stderr_and_no_more) {
  spdlog::drop("zklock");
  ::testing::internal::CaptureStderr();
  log::write(log_level::debug, "a debug line");
  log::write(log_level::info, "an info line");
  log::write(log_level::warning, "a warning");
  log::write(log_level::error, "an error");
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.find("line"), std::string::npos) << text;
  EXPECT_NE(text.find("[zklock] [warning] a warning"), std::string::npos) << text;
  EXPECT_NE(text.find("[zklock] [error] an error"), std::string::npos) << text;
  EXPECT_EQ(spdlog::get("zklock"), nullptr) << "the library registers no logger";
}

TEST(log_sink, is_not_running_any_more_when_it_has_been_replaced) {
  std::promise<void> entered, go_on;
  std::atomic<bool> returned = false;
  set_log_sink([&](const log_line&) {
    entered.set_value();
    go_on.get_future().wait();
    returned = true;
  });
  auto writing = std::async(std::launch::async, [] { log::write(log_level::info, "a line"); });
  entered.get_future().wait();
  auto replacing = std::async(std::launch::async, [&] {
    set_log_sink({});
    return returned.load();
  });
  EXPECT_EQ(replacing.wait_for(50ms), std::future_status::timeout);
  go_on.set_value();
  EXPECT_TRUE(replacing.get());
  writing.get();
}

TEST(log_sink, may_replace_itself_and_may_throw) {
  int lines = 0;
  set_log_sink([&](const log_line&) {
    ++lines;
    throw std::runtime_error("a full disk");
  });
  log::write(log_level::info, "one");
  log::write(log_level::info, "two");
  EXPECT_EQ(lines, 2);
  set_log_sink([&](const log_line&) {
    ++lines;
    set_log_sink([](const log_line&) {});
  });
  log::write(log_level::info, "three");
  log::write(log_level::info, "four");
  EXPECT_EQ(lines, 3);
  set_log_sink({});
}

TEST(log_sink, gets_no_line_that_it_has_itself_led_to) {
  int lines = 0;
  set_log_sink([&](const log_line&) {
    ++lines;
    log::write(log_level::info, "within");
  });
  log::write(log_level::info, "one");
  EXPECT_EQ(lines, 1);
  set_log_sink({});
}

TEST(log_sink, is_destroyed_by_the_thread_that_replaces_it) {
  struct destroyed_on {
    std::atomic<std::thread::id>& thread;
    ~destroyed_on() { thread = std::this_thread::get_id(); }
  };
  std::atomic<std::thread::id> thread;
  std::promise<void> entered, go_on;
  set_log_sink([&, captured = std::make_shared<destroyed_on>(thread)](const log_line&) {
    entered.set_value();
    go_on.get_future().wait();
  });
  auto writing = std::async(std::launch::async, [] { log::write(log_level::info, "a line"); });
  entered.get_future().wait();
  auto replacing = std::async(std::launch::async, [&] {
    set_log_sink({});
    return thread == std::this_thread::get_id();
  });
  go_on.set_value();
  EXPECT_TRUE(replacing.get());
}

TEST(log_sink, f187_that_still_runs_at_the_limit_keeps_what_it_owns_until_it_returns) {
  log::sink_slot slot;
  std::promise<void> entered, go_on;
  auto owned = std::make_shared<int>();
  const std::weak_ptr<int> kept = owned;
  std::atomic<int> lines = 0;
  slot.set(
      [&, owned](const log_line&) {
        ++lines;
        entered.set_value();
        go_on.get_future().wait();
      },
      1h);
  owned.reset();
  auto writing = std::async(std::launch::async, [&] { slot.write({log_level::info, "a line"}); });
  entered.get_future().wait();
  EXPECT_FALSE(slot.set([](const log_line&) {}, 20ms));
  EXPECT_TRUE(slot.write({log_level::info, "for the next one"}));
  EXPECT_FALSE(kept.expired());
  go_on.set_value();
  writing.get();
  EXPECT_EQ(lines, 1);
  EXPECT_TRUE(kept.expired());
}

TEST(log_sink, of_a_parent_that_is_in_it_does_not_stop_a_child_of_fork) {
  std::promise<void> entered, go_on;
  set_log_sink([&](const log_line&) {
    entered.set_value();
    go_on.get_future().wait();
  });
  auto writing = std::async(std::launch::async, [] { log::write(log_level::info, "a line"); });
  entered.get_future().wait();
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    set_log_sink({});
    int lines = 0;
    set_log_sink([&](const log_line&) { ++lines; });
    log::write(log_level::info, "in the child");
    _exit(lines);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  go_on.set_value();
  writing.get();
  set_log_sink({});
}

TEST(log_sink, hears_which_part_of_a_multi_lock_is_lost) {
  kept_lines kept;
  testing::fake_ensemble zookeeper;
  session here(zookeeper.clients());
  recursive_mutex a(here, "/locks/a"), b(here, "/locks/b");
  multi_lock both{a, b};
  const grant g = both.acquire();
  zookeeper.remove_node(g.node().substr(g.node().find('\n') + 1));
  ASSERT_TRUE(eventually([&] { return !kept.with("lost ").empty(); }));
  const log_line lost = kept.with("lost ").front();
  EXPECT_EQ(lost.lock, "/locks/b");
  EXPECT_EQ(lost.contender, "");
}

}  // namespace
}  // namespace zklock
