// Processes that hold a lock and are stopped, killed or started again.
#include <gtest/gtest.h>
#include <signal.h>

#include <zklock/zklock.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/on_a_server.hpp"
#include "tests/integration/talking_process.hpp"

namespace zklock::test {
namespace {

constexpr auto session_timeout = 2s;

/// A process that holds locks, see holder.cpp.
class holder_process : public talking_process {
 public:
  struct granted {
    std::int64_t token = 0;
    std::string node;  ///< as its session calls it
  };

  explicit holder_process(const std::string& servers)
      : talking_process({ZKLOCK_HOLDER, servers, std::to_string(std::chrono::milliseconds(session_timeout).count())}) {}

  /// The answer to "acquire".
  [[nodiscard]] granted granted_answer() {
    const std::string text = answer().value_or("no answer");
    std::istringstream words(text);
    granted told;
    EXPECT_TRUE(words >> told.token >> told.node) << text;
    return told;
  }
};

class a_process : public on_a_server {
 protected:
  [[nodiscard]] std::unique_ptr<holder_process> start(const std::string& address) {
    return std::make_unique<holder_process>(address + root_);
  }
  [[nodiscard]] std::unique_ptr<holder_process> start() { return start("127.0.0.1:" + std::to_string(port_)); }

  /// What was granted to `next` while `holder`, which has stopped, holds.
  [[nodiscard]] static grant overtaken_by(recursive_mutex& next, holder_process& holder) {
    EXPECT_TRUE(holder.stops());
    return acquire_patiently(next);
  }
};

/// Takes whatever comes with a token that is not smaller than the last.
class store {
 public:
  bool write(std::int64_t token) { return token >= mark_ && (mark_ = token, true); }

 private:
  std::int64_t mark_ = 0;
};

TEST_F(a_process, f16_stopped_past_its_session_says_not_held_at_once_and_its_late_write_is_refused) {
  recursive_mutex waiter(open(), "/lock");
  const auto process = start();
  process->order("acquire /lock");
  const auto first = process->granted_answer();
  store written;
  EXPECT_TRUE(written.write(first.token));

  process->order("stop-and-ask");
  const grant next = overtaken_by(waiter, *process);
  ASSERT_TRUE(next.held());
  EXPECT_TRUE(written.write(next.token().czxid));
  process->cont();
  EXPECT_EQ(process->answer(), "not held");
  EXPECT_FALSE(written.write(first.token)) << "what it had under way when it was stopped";
  EXPECT_TRUE(written.write(next.token().czxid));
  EXPECT_TRUE(next.held());

  process->order("release");
  EXPECT_EQ(process->answer(), make_error_code(errc::lost).message());
  process->order("acquire /elsewhere");
  EXPECT_GT(process->granted_answer().token, next.token().czxid) << "it takes part again, in a new session";
  process->order("release");
  EXPECT_EQ(process->answer(), "released");
}

TEST_F(a_process, f95_stopped_between_its_check_and_its_release_leaves_the_next_holders_node_alone) {
  proxy& way = new_proxy();
  recursive_mutex waiter(open(), "/lock");
  const auto process = start(way.address());
  process->order("acquire /lock");
  const auto first = process->granted_answer();

  process->order("check-stop-and-release");
  const grant next = overtaken_by(waiter, *process);
  ASSERT_TRUE(next.held());
  const auto before = server_.look(root_ + next.node());
  ASSERT_TRUE(before);
  std::atomic<bool> removed_anothers = false;
  const hooks watching(way, [&](const request_frame& asked) {
    const bool own = asked.path == root_ + first.node;
    removed_anothers = removed_anothers || (asked.opcode == opcode::remove && !own);
    return verdict::pass;
  });
  process->cont();
  EXPECT_EQ(process->answer(), "held, then " + make_error_code(errc::lost).message());
  process->order("acquire /elsewhere");  // whatever it sends late comes before this
  EXPECT_GT(process->granted_answer().token, next.token().czxid);
  EXPECT_FALSE(removed_anothers);
  const auto after = server_.look(root_ + next.node());
  ASSERT_TRUE(after);
  EXPECT_EQ(after->czxid, before->czxid);
  EXPECT_EQ(after->mzxid, before->mzxid);
  EXPECT_TRUE(next.held());
  process->order("release");
  EXPECT_EQ(process->answer(), "released");
}

TEST_F(a_process, f43_killed_and_started_at_once_waits_for_its_old_node_to_go_and_never_adopts_it) {
  auto process = start();
  process->order("acquire /lock");
  const auto old = process->granted_answer();
  const auto old_stat = server_.look(root_ + old.node);
  ASSERT_TRUE(old_stat);
  process->kill();
  process = start();
  process->order("acquire /lock");
  ASSERT_TRUE(queue_grows_to(2)) << "the old node, and a new one behind it";
  EXPECT_TRUE(server_.look(root_ + old.node));
  const auto granted = process->granted_answer();
  EXPECT_FALSE(server_.look(root_ + old.node)) << "granted when the servers had ended the old session";
  EXPECT_NE(granted.node, old.node);
  EXPECT_GT(granted.token, old.token);
  const auto stat = server_.look(root_ + granted.node);
  ASSERT_TRUE(stat);
  EXPECT_NE(stat->ephemeral_owner, old_stat->ephemeral_owner);
  EXPECT_EQ(contenders().size(), 1U);
  process->order("release");
  EXPECT_EQ(process->answer(), "released");
}

/// Kills a process with the frame of a given number that it sends or is sent, heartbeats not counted, before that frame
/// goes on.
class killer {
 public:
  killer(proxy& way, int at, pid_t victim) : left_(at), victim_(victim), watched_(way, on_request(), on_reply()) {}

  [[nodiscard]] bool has_struck() const { return left_ <= 0; }

 private:
  std::function<verdict(const request_frame&)> on_request() {
    return [this](const request_frame& asked) { return count(asked.opcode); };
  }
  std::function<verdict(const reply_frame&)> on_reply() {
    return [this](const reply_frame& answer) { return count(answer.opcode); };
  }
  verdict count(std::int32_t what) {
    if (what != opcode::ping && what != opcode::sync && --left_ == 0) {
      ::kill(victim_, SIGKILL);
    }
    return verdict::pass;
  }

  std::atomic<int> left_;
  const pid_t victim_;
  const hooks watched_;
};

/// A process that acquires and releases a lock, and is killed on the way, or at its end when it gets so far.
class short_life {
 public:
  short_life(std::uint16_t port, const std::string& root, const std::string& path, int killed_at)
      : way_(port), process_((way_.set_mode(proxy_mode::hold), way_.address()) + root) {
    killer_.emplace(way_, killed_at, process_.pid());  // before anything has gone on
    process_.order("acquire " + path);
    process_.order("release");
    way_.set_mode(proxy_mode::pass);
  }

  [[nodiscard]] bool was_killed() const { return killer_->has_struck(); }
  /// Waits for it, if it was not killed.
  void end() {
    for (int answers = 0; answers < 2 && process_.answer();) {
      ++answers;
    }
    process_.kill();
  }

 private:
  proxy way_;
  holder_process process_;
  std::optional<killer> killer_;
};

class a_process_killed_at_each_step : public a_process {
 protected:
  // More than an acquire and a release take: asked and answered are handshake, create and list, the lock node, create and
  // list, in a queue the watches, and the removal.
  static constexpr int steps = 24;

  [[nodiscard]] static std::string path_of(int step) { return "/lock-" + std::to_string(step); }

  void kill_at_each_step() {
    for (int step = 1; step <= steps; ++step) {
      lives_.push_back(std::make_unique<short_life>(port_, root_, path_of(step), step));
    }
  }
  [[nodiscard]] int killed() const {
    return static_cast<int>(std::ranges::count_if(lives_, [](const auto& life) { return life->was_killed(); }));
  }
  /// Each lock is to be had again, at the latest when the dead one's session has ended.
  void expect_the_next_ones_granted() {
    const auto begun = boot_clock::now();
    session& one = open();
    for (int step = 1; step <= steps; ++step) {
      recursive_mutex next(one, path_of(step));
      EXPECT_TRUE(acquire_patiently(next).held()) << "killed at step " << step;
    }
    constexpr auto tick = 500ms;
    constexpr auto loaded_machine = 5s;
    EXPECT_LT(boot_clock::now() - begun, session_timeout + tick + loaded_machine);
  }

  std::vector<std::unique_ptr<short_life>> lives_;
};

TEST_F(a_process_killed_at_each_step, f93_of_an_acquire_and_release_leaves_nothing_that_outlives_its_session) {
  kill_at_each_step();
  for (const auto& life : lives_) {
    life->end();
  }
  EXPECT_GE(killed(), 10);
  EXPECT_LT(killed(), steps) << "the last ones got to their end: so no step is left out";
  expect_the_next_ones_granted();
}

TEST_F(a_process_killed_at_each_step, f93_of_a_wait_leaves_nothing_that_outlives_its_session) {
  session& one = open();
  std::vector<std::unique_ptr<recursive_mutex>> locks;
  std::vector<grant> in_front;
  for (int step = 1; step <= steps; ++step) {
    locks.push_back(std::make_unique<recursive_mutex>(one, path_of(step)));
    in_front.push_back(locks.back()->acquire());
  }
  kill_at_each_step();
  ASSERT_TRUE(eventually([&] {  // those that live wait
    int waiting = 0;
    for (int step = 1; step <= steps; ++step) {
      waiting += lives_[static_cast<std::size_t>(step) - 1]->was_killed() || contenders(path_of(step)).size() == 2;
    }
    return killed() >= 10 && waiting == steps;
  })) << killed();
  EXPECT_LT(killed(), steps);
  lives_.clear();  // kills the waiters
  in_front.clear();
  expect_the_next_ones_granted();
}

}  // namespace
}  // namespace zklock::test
