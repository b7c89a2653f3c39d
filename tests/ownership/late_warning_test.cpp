#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "tests/ownership/owners.hpp"

namespace zklock::test {
namespace {

class recording_sink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  [[nodiscard]] int count_of(const std::string& text) {
    const std::lock_guard guard(mutex_);
    int count = 0;
    for (const std::string& line : lines_) {
      count += line.find(text) != std::string::npos ? 1 : 0;
    }
    return count;
  }

 private:
  void sink_it_(const spdlog::details::log_msg& line) override {
    lines_.emplace_back(line.payload.begin(), line.payload.end());
  }
  void flush_() override {}
  std::vector<std::string> lines_;
};

/// A thread that waits behind what it has taken itself is warned of, once, after a twelfth of the session timeout.
class late_warnings : public owners {
 protected:
  void SetUp() override {
    owners::SetUp();
    former_ = spdlog::get("zklock");
    spdlog::drop("zklock");
    spdlog::register_logger(std::make_shared<spdlog::logger>("zklock", sink_));
  }
  void TearDown() override {
    owners::TearDown();
    session_.reset();
    spdlog::drop("zklock");
    if (former_) {
      spdlog::register_logger(former_);
    }
  }

  [[nodiscard]] int warnings(const std::string& path) { return sink_->count_of(line_of(path)); }
  /// T's call waits, and is warned of once; then `free` lets it in.
  void expect_warning(const std::string& path, const std::function<grant()>& call, const std::function<void()>& free,
                      const call_site& where = call_site::current()) {
    const ::testing::ScopedTrace trace(where.file, where.line, "called here");
    const int before = warnings(path);
    auto waits = t_.begins(call);
    EXPECT_TRUE(eventually([&] { return warnings(path) > before; }));
    EXPECT_EQ(waits.wait_for(0s), std::future_status::timeout);
    free();
    EXPECT_TRUE(waits.get());
    EXPECT_EQ(warnings(path), before + 1);
  }

 private:
  [[nodiscard]] std::string line_of(const std::string& path) const {
    return "thread " + std::to_string(thread_) + " waits for " + path + ", of which it has itself taken";
  }

  const std::shared_ptr<recording_sink> sink_ = std::make_shared<recording_sink>();
  std::shared_ptr<spdlog::logger> former_;
  const int thread_ = t_.does([] { return gettid(); });
};
INSTANTIATE_TEST_SUITE_P(, late_warnings, both_servers, name_of);

TEST_P(late_warnings, of_each_lock_name_the_path_and_the_thread_that_has_taken_the_grant) {
  recursive_mutex mutex(*session_, "/lock");
  grant held = t_.does([&] { return mutex.acquire(); });
  expect_warning(
      "/lock", [&] { return mutex.acquire(); }, [&] { held.release(); });
  semaphore_mutex plain(*session_, "/other");
  held = t_.does([&] { return plain.acquire(); });
  expect_warning(
      "/other", [&] { return plain.acquire(); }, [&] { held.release(); });
  multi_lock both{mutex, plain};
  held = t_.does([&] { return plain.acquire(); });
  expect_warning(
      "/other", [&] { return both.acquire(); }, [&] { held.release(); });
}

TEST_P(late_warnings, of_a_shared_mutex_come_to_a_read_behind_the_own_write_grant) {
  shared_mutex lock(*session_, "/lock");
  grant wrote = t_.does([&] { return lock.acquire(); });
  expect_warning(
      "/lock", [&] { return lock.read().acquire(); }, [&] { wrote.release(); });
}

/// X waits as `job` behind T's grant; T's own call as `job` waits for its turn behind X's, and so for itself.
TEST_P(late_warnings, come_to_a_call_that_waits_for_its_turn_behind_its_own_threads_grant) {
  recursive_mutex lock(*session_, "/lock");
  grant held = t_.does([&] { return lock.acquire(); });
  actor x;
  auto of_x = x.begins([&] { return lock.as(job_).acquire(); });
  ASSERT_TRUE(eventually([this] { return contenders() == 2; }));
  expect_warning(
      "/lock", [&] { return lock.as(job_).acquire(); }, [&] { held.release(); });
  EXPECT_TRUE(of_x.get());
}

/// What a multi-lock's call waits for may change while it waits: the warning is of what stands before it then.
TEST_P(late_warnings, of_a_multi_lock_are_of_a_part_that_is_taken_still) {
  recursive_mutex first(*session_, "/lock");
  recursive_mutex second(*session_, "/other");
  multi_lock both{first, second};
  auto held = t_.does([&] { return std::pair(first.acquire(), second.acquire()); });
  actor stranger;
  auto others = stranger.begins([&] { return first.acquire(); });
  ASSERT_TRUE(eventually([this] { return contenders() == 2; }));
  auto waits = t_.begins([&] { return both.acquire(); });
  ASSERT_TRUE(eventually([this] { return contenders() == 3; }));
  held.first.release();
  grant strangers = others.get();
  EXPECT_TRUE(eventually([&] { return warnings("/other") == 1; }));
  strangers.release();
  held.second.release();
  EXPECT_TRUE(waits.get());
}

}  // namespace
}  // namespace zklock::test
