// What session::observe_locks() tells, and session_options::slow_wait.
#include <zklock/log.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

using happening = lock_event::happening;

/// What is told, in its order.
class told_events {
 public:
  explicit told_events(session& of) : observer_(of.observe_locks([this](const lock_event& one) { add(one); })) {}

  [[nodiscard]] std::vector<lock_event> all() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  /// As "granted /a", for those of the first lines of a test.
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const lock_event& one : all()) {
      lines.push_back(std::string(to_string(one.what)) + " " + one.path);
    }
    return lines;
  }
  [[nodiscard]] bool are(const std::vector<std::string>& expected) const {
    const bool same = eventually([&] { return lines() == expected; });
    EXPECT_EQ(lines(), expected);
    return same;
  }

 private:
  void add(const lock_event& one) {
    const std::lock_guard lock(mutex_);
    told_.push_back(one);
  }

  mutable std::mutex mutex_;
  std::vector<lock_event> told_;
  lock_observer observer_;
};

class lock_events : public on_a_fake {};

TEST_F(lock_events, tell_a_lock_from_its_grant_to_its_release) {
  told_events told(one_);
  recursive_mutex orders(one_, "/a", {.label = "job 7", .name = "orders"});
  const owner job;
  grant held = orders.as(job).acquire();
  grant again = orders.as(job).acquire();  // one count more: nothing is told
  again = {};
  const fencing_token token = held.token();
  held = {};
  ASSERT_TRUE(told.are({"granted /a", "released /a"}));
  const auto all = told.all();
  for (const lock_event& one : all) {
    EXPECT_EQ(one.name, "orders");
    EXPECT_EQ(one.label, "job 7");
    EXPECT_EQ(one.kind, lock_kind::mutex);
    EXPECT_EQ(one.owner, job.number());
    EXPECT_EQ(one.token, token);
    EXPECT_GE(one.after, 0ns);
    EXPECT_LE(one.after, patience);
    EXPECT_EQ(one.reason, loss_reason::none);
    EXPECT_EQ(one.dropped, 0U);
    EXPECT_LE(std::chrono::system_clock::now() - one.at, patience);
  }
}

TEST_F(lock_events, tell_a_waiter_how_many_stand_before_it) {
  recursive_mutex theirs(two_, "/a"), ours(one_, "/a");
  grant first = theirs.acquire();
  auto second = in_a_thread([&] { return theirs.acquire(); });
  ASSERT_TRUE(queue_is(2, "/a"));
  told_events told(one_);
  auto third = in_a_thread([&] { return ours.acquire(); });
  ASSERT_TRUE(told.are({"enqueued /a"}));
  EXPECT_EQ(told.all().front().ahead, 2U);
  first = {};
  second.get() = {};
  third.get() = {};
  EXPECT_TRUE(told.are({"enqueued /a", "granted /a", "released /a"}));
}

TEST_F(lock_events, tell_a_waiter_behind_one_of_its_own_session_once) {
  told_events told(one_);
  recursive_mutex one(one_, "/a"), other(one_, "/a");
  grant first = one.acquire();
  auto second = in_a_thread([&] { return other.acquire(); });
  ASSERT_TRUE(told.are({"granted /a", "enqueued /a"}));
  first = {};
  second.get() = {};
  EXPECT_TRUE(told.are({"granted /a", "enqueued /a", "released /a", "granted /a", "released /a"}));
}

TEST_F(lock_events, tell_a_loss_with_its_reason_and_no_release_behind_it) {
  told_events told(one_);
  recursive_mutex lock(one_, "/a", {.max_hold = 20ms});
  grant held = lock.acquire();
  ASSERT_TRUE(told.are({"granted /a", "lost /a"}));
  EXPECT_EQ(told.all().back().reason, loss_reason::held_too_long);
  EXPECT_GE(told.all().back().after, 20ms);
  held = {};
  ASSERT_TRUE(queue_is(0, "/a"));
  EXPECT_TRUE(told.are({"granted /a", "lost /a"}));
}

TEST_F(lock_events, tell_each_side_each_part_and_permits_of_both_layouts) {
  told_events told(one_);
  shared_mutex sides(one_, "/a");
  semaphore pool(one_, "/b", 3), leases(one_, "/c", 2, {.layout = layout::curator});
  sides.read().acquire().release();
  sides.write().acquire().release();
  pool.permits(2).acquire().release();
  leases.permits(2).acquire().release();
  ASSERT_TRUE(told.are({"granted /a", "released /a", "granted /a", "released /a", "granted /b", "released /b",
                        "granted /c", "released /c"}));
  const auto all = told.all();
  EXPECT_EQ(all[0].kind, lock_kind::read);
  EXPECT_EQ(all[2].kind, lock_kind::write);
  EXPECT_EQ(all[4].kind, lock_kind::permits);
  EXPECT_EQ(all[6].kind, lock_kind::permits);
}

TEST_F(lock_events, tell_the_parts_of_a_multi_lock_by_themselves) {
  told_events told(one_);
  recursive_mutex a(one_, "/a"), b(one_, "/b");
  multi_lock both({a, b});
  const owner job;
  grant held = both.as(job).acquire();
  ASSERT_TRUE(told.are({"granted /a", "granted /b"}));
  EXPECT_EQ(told.all().back().owner, job.number());
  zookeeper_.expire_sessions(0);
  ASSERT_TRUE(eventually([&] { return told.lines().size() == 4; }));
  EXPECT_EQ(told.all()[2].what, happening::lost);
  EXPECT_EQ(told.all()[3].what, happening::lost);
  EXPECT_NE(told.all()[2].path, told.all()[3].path);
}

TEST_F(lock_events, tell_each_turn_of_local_hand_over) {
  told_events told(one_);
  recursive_mutex turns(one_, "/a", {.hand_over = local_handover{.max_turns = 100, .max_time = 1h}});
  grant first = turns.acquire();
  auto second = in_a_thread([&] { return turns.acquire(); });
  ASSERT_TRUE(told.are({"granted /a", "enqueued /a"}));
  first = {};
  second.get() = {};
  ASSERT_TRUE(told.are({"granted /a", "enqueued /a", "released /a", "granted /a", "released /a"}));
  EXPECT_EQ(told.all()[2].token.turn, 0U);
  EXPECT_EQ(told.all()[3].token.turn, 1U);
}

TEST_F(lock_events, tell_each_call_that_waits_for_a_turn_with_its_owner) {
  told_events told(one_);
  recursive_mutex theirs(two_, "/a"),
      turns(one_, "/a", {.hand_over = local_handover{.max_turns = 100, .max_time = 1h}});
  grant held = theirs.acquire();
  const owner first, second;
  auto one = in_a_thread([&] { turns.as(first).acquire().release(); });
  ASSERT_TRUE(told.are({"enqueued /a"}));
  auto two = in_a_thread([&] { turns.as(second).acquire().release(); });
  ASSERT_TRUE(told.are({"enqueued /a", "enqueued /a"}));
  EXPECT_EQ(told.all()[0].owner, first.number());
  EXPECT_EQ(told.all()[1].owner, second.number());
  held = {};
  one.get();
  two.get();
  EXPECT_TRUE(eventually([&] { return told.lines().size() == 6; }));
}

TEST_F(lock_events, tell_each_semaphore_of_curators_in_a_multi_lock_from_its_grant_to_its_release) {
  told_events told(one_);
  semaphore a(one_, "/a", 2, {.layout = layout::curator}), b(one_, "/b", 2, {.layout = layout::curator});
  multi_lock both({a.permits(1), b.permits(2)});
  both.acquire().release();
  ASSERT_TRUE(eventually([&] { return told.lines().size() >= 4; }));
  auto lines = told.lines();
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (std::vector<std::string>{"granted /a", "granted /b", "released /a", "released /b"}));
}

TEST_F(lock_events, tell_one_end_of_each_grant_also_where_a_release_meets_a_loss) {
  told_events told(one_);
  recursive_mutex lock(one_, "/a");
  std::size_t grants = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<grant> held;
    std::vector<std::unique_ptr<recursive_mutex>> locks;
    for (int i = 0; i < 30; ++i) {
      locks.push_back(std::make_unique<recursive_mutex>(one_, "/many/" + std::to_string(i)));
      held.push_back(locks.back()->acquire());
      ++grants;
    }
    auto releases = in_a_thread([&] {
      for (grant& one : held) {
        std::error_code ignored;
        one.release(ignored);
      }
    });
    zookeeper_.expire_sessions(0);
    releases.get();
  }
  EXPECT_TRUE(eventually([&] { return told.lines().size() == 2 * grants; })) << told.lines().size();
}

TEST_F(lock_events, are_dropped_and_counted_behind_a_thousand_that_are_not_told) {
  std::promise<void> go_on;
  std::mutex mutex;
  std::vector<lock_event> told;
  recursive_mutex lock(one_, "/a");
  bool first = true;
  const lock_observer observer = one_.observe_locks([&](const lock_event& one) {
    if (std::exchange(first, false)) {
      go_on.get_future().wait();
    }
    const std::lock_guard held(mutex);
    told.push_back(one);
  });
  constexpr std::size_t cycles = 600;  // two events each
  for (std::size_t i = 0; i < cycles; ++i) {
    lock.acquire().release();
  }
  go_on.set_value();
  ASSERT_TRUE(eventually([&] {
    const std::lock_guard held(mutex);
    return told.size() == 1'024;
  }));
  lock.acquire().release();
  ASSERT_TRUE(eventually([&] {
    const std::lock_guard held(mutex);
    return told.size() == 1'026;
  }));
  const std::lock_guard held(mutex);
  EXPECT_EQ(told[1'023].dropped, 0U);
  EXPECT_EQ(told[1'024].dropped, 2 * cycles - 1'024);
  EXPECT_EQ(told[1'025].dropped, 0U);
}

TEST_F(lock_events, go_to_each_observer_until_it_is_destroyed_and_past_one_that_throws) {
  const lock_observer throws = one_.observe_locks([](const lock_event&) { throw std::runtime_error("no"); });
  auto told = std::make_unique<told_events>(one_);
  told_events other(one_);
  recursive_mutex lock(one_, "/a");
  lock.acquire().release();
  ASSERT_TRUE(told->are({"granted /a", "released /a"}));
  told.reset();
  lock.acquire().release();
  EXPECT_TRUE(other.are({"granted /a", "released /a", "granted /a", "released /a"}));
}

TEST_F(lock_events, tell_a_waiter_once_more_when_it_queues_again_in_a_new_session) {
  recursive_mutex theirs(two_, "/a"), ours(one_, "/a");
  grant first = theirs.acquire();
  told_events told(one_);
  auto second = in_a_thread([&] { return ours.acquire(); });
  ASSERT_TRUE(told.are({"enqueued /a"}));
  zookeeper_.expire_sessions(0);
  ASSERT_TRUE(told.are({"enqueued /a", "enqueued /a"}));
  EXPECT_EQ(told.all().back().ahead, 1U);
  first = {};
  second.get() = {};
  EXPECT_TRUE(told.are({"enqueued /a", "enqueued /a", "granted /a", "released /a"}));
}

TEST_F(lock_events, are_not_for_a_child_of_fork_where_an_observer_may_go) {
  auto told = std::make_unique<told_events>(one_);
  recursive_mutex lock(one_, "/a");
  const grant held = lock.acquire();
  ASSERT_TRUE(told->are({"granted /a"}));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool refused = thrown_by([&] { return one_.observe_locks([](const lock_event&) {}); }).ec == errc::forked;
    told.reset();
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(lock_events, ask_for_a_function) {
  expect_thrown(errc::invalid_option, "null function", [&] {
    static_cast<void>(one_.observe_locks(nullptr));
    return 0;
  });
}

// ---- slow waits ---------------------------------------------------------------------------------------------------------

/// The lines of the log that say something of a slow wait.
class slow_waits : public on_a_fake {
 protected:
  void SetUp() override {
    set_log_sink([this](const log_line& line) {
      if (line.text.find("has waited") != std::string::npos) {
        const std::lock_guard lock(mutex_);
        lines_.push_back(line);
      }
    });
  }
  void TearDown() override {
    on_a_fake::TearDown();
    set_log_sink({});
  }
  [[nodiscard]] std::vector<log_line> lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

  std::mutex mutex_;
  std::vector<log_line> lines_;
};

TEST_F(slow_waits, are_logged_once_with_who_is_first_in_the_queue) {
  session patient(zookeeper_.clients(2), {.timeout = 60s, .slow_wait = 30ms});
  recursive_mutex theirs(two_, "/a", {.label = "nightly é"}), ours(patient, "/a");
  grant held = theirs.acquire();
  auto waits = in_a_thread([&] { return ours.acquire(); });
  ASSERT_TRUE(eventually([&] { return !lines().empty(); }));
  held = {};
  waits.get() = {};
  ASSERT_EQ(lines().size(), 1U);
  const log_line line = lines().front();
  EXPECT_EQ(line.level, log_level::warning);
  EXPECT_EQ(line.lock, "/a");
  EXPECT_NE(line.text.find("for /a; first in its queue: "), std::string::npos) << line.text;
  EXPECT_NE(line.text.find("label nightly \\xc3\\xa9"), std::string::npos) << line.text;
  EXPECT_NE(line.text.find("pid " + std::to_string(::getpid())), std::string::npos) << line.text;
}

TEST_F(slow_waits, of_a_crowd_are_logged_once_in_that_time) {
  session patient(zookeeper_.clients(2), {.timeout = 60s, .slow_wait = 200ms});
  recursive_mutex theirs(two_, "/a"), ours(patient, "/a");
  grant held = theirs.acquire();
  std::vector<std::future<void>> crowd;
  for (std::size_t i = 0; i < 20; ++i) {
    crowd.push_back(in_a_thread([&] { ours.acquire().release(); }));
  }
  ASSERT_TRUE(queue_is(21, "/a"));
  const std::uint64_t before = zookeeper_.request_count(2);
  ASSERT_TRUE(eventually([&] { return !lines().empty(); }));
  EXPECT_LE(zookeeper_.request_count(2) - before, 20U) << "a list and a read each 200 ms, and heartbeats";
  held = {};
  for (auto& one : crowd) {
    one.get();
  }
}

TEST_F(slow_waits, of_a_try_with_hand_over_and_of_those_in_time_are_told_as_they_are) {
  session patient(zookeeper_.clients(2), {.timeout = 60s, .slow_wait = 500ms});
  recursive_mutex theirs(two_, "/a");
  recursive_mutex turns(patient, "/a", {.hand_over = local_handover{.max_turns = 100, .max_time = 1h}});
  grant held = theirs.acquire();
  EXPECT_FALSE(turns.try_acquire());
  EXPECT_FALSE(turns.try_acquire_for(100ms));
  EXPECT_TRUE(lines().empty());
  auto waits = in_a_thread([&] { return turns.acquire(); });
  ASSERT_TRUE(eventually([&] { return lines().size() == 1; }));
  held = {};
  waits.get() = {};
}

TEST_F(slow_waits, behind_a_turn_of_the_same_lock_object_are_logged) {
  session patient(zookeeper_.clients(2), {.timeout = 60s, .slow_wait = 30ms});
  recursive_mutex turns(patient, "/a", {.hand_over = local_handover{.max_turns = 100, .max_time = 1h}});
  grant held = turns.acquire();
  auto waits = in_a_thread([&] { turns.acquire().release(); });
  EXPECT_TRUE(eventually([&] { return lines().size() == 1; }));
  held = {};
  waits.get();
}

TEST_F(slow_waits, need_a_time_that_makes_sense) {
  for (const auto bad : {-1ms, std::chrono::milliseconds(24h * 31)}) {
    const thrown told = thrown_by([&] { return session(zookeeper_.clients(3), {.slow_wait = bad}).state(); });
    EXPECT_EQ(told.ec, errc::invalid_option);
    EXPECT_NE(told.path.find("slow_wait = " + std::to_string(bad.count()) + " ms"), std::string::npos) << told.path;
  }
}

}  // namespace
}  // namespace zklock::test
