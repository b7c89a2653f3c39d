// zklock run: nothing of the command outlives its lock, whatever the command does and whatever becomes of zklock.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <ostream>
#include <string>
#include <tuple>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

/// The start of a script that keeps the file locked, itself and by all that it starts: it is free when all have ended. (A
/// list of processes can miss one that forks meanwhile.)
std::string locking(const std::string& file) { return "exec 9>>" + file + "; flock 9; "; }

bool is_free(const std::string& file) {
  const int number = open(file.c_str(), O_RDWR | O_CLOEXEC);
  const bool locked = number >= 0 && flock(number, LOCK_EX | LOCK_NB) == 0;
  close(number);
  return locked;
}

/// What does not want to end. Each says "up" when it has come so far.
struct stubborn_command {
  const char* name;
  const char* script;
  friend std::ostream& operator<<(std::ostream& out, const stubborn_command& one) { return out << one.name; }
};

constexpr stubborn_command stubborn_commands[] = {
    {"ignoring_sigterm", "trap '' TERM; echo up; while :; do sleep 0.02; done"},
    {"stopped", "echo up; kill -STOP $$; sleep 60"},
    {"with_a_grandchild_in_a_session_of_its_own",
     R"(setsid sh -c 'trap "" TERM; echo up; while :; do sleep 0.02; done' & wait; sleep 60)"},
    {"with_a_daemon", R"(sh -c 'setsid sh -c "trap : TERM HUP; echo up; while :; do sleep 0.02; done" &'; sleep 60)"},
    {"that_has_left_a_daemon_and_ended",
     R"(setsid sh -c 'trap "" TERM; sleep 0.1; echo up; while :; do sleep 0.02; done' & exit 0)"},
    {"with_a_stopped_grandchild", "setsid sh -c 'echo up; kill -STOP $$; sleep 60' & sleep 60"},
    {"forking_at_sigterm",
     R"(trap 'setsid sh -c "trap \"\" TERM; sleep 60" & sleep 60 & sleep 60' TERM
        echo up; while :; do sleep 0.02; done)"},
    // While the test's file is there: else, behind a test that has failed, they would take the machine for good.
    {"always_forking", R"(s='trap "" TERM; [ -e "$FORKING_WHILE" ] || exit 0; sh -c "$1" f "$1" & exit 0'; echo up
        exec sh -c "$s" f "$s")"},
    {"always_forking_into_a_new_session",
     R"(s='trap "" TERM; [ -e "$FORKING_WHILE" ] || exit 0; setsid sh -c "$1" f "$1" & exit 0'; echo up
        exec sh -c "$s" f "$s")"},
};

/// How the command comes to be without its lock, or without a guardian.
struct end_of_lock {
  const char* name;
  int status;
  friend std::ostream& operator<<(std::ostream& out, const end_of_lock& one) { return out << one.name; }
};

constexpr end_of_lock node_removed{"its_node_is_removed", 79};
constexpr end_of_lock server_silent{"no_server_answers", 79};
constexpr end_of_lock zklock_killed{"zklock_is_killed", 128 + SIGKILL};
constexpr end_of_lock zklock_stopped{"zklock_is_stopped", 79};
constexpr end_of_lock guardian_killed{"the_guardian_is_killed", 128 + SIGKILL};
constexpr end_of_lock guardian_held_up{"the_guardian_is_stopped_over_and_over", 79};

/// Only one that was stopped: one that is about to exit has its threads stopped by the leak checker, and a SIGCONT takes such a
/// stop away before it has come, for which the leak checker waits for ever.
void make_go_on(const running_command& zklock, const end_of_lock& end) {
  if (end.name == zklock_stopped.name) {
    zklock.send(SIGCONT);
  }
}

class a_command_under_a_bound : public command_on_a_server {};

TEST_F(a_command_under_a_bound, is_ended_then_and_the_next_one_runs) {
  running_command one(zklock({"run", "--max-hold", "300ms", "/a", "/b", "--", "sh", "-c",
                              "trap 'echo asked; exit 0' TERM; echo up; while :; do sleep 0.02; done"}),
                      here());
  running_command next(zklock({"run", "--timeout", "60s", "/b", "--", "true"}), here());
  EXPECT_EQ(one.status(), 79);
  EXPECT_TRUE(contains(one.errors(), "(held too long): sending SIGTERM to the command")) << one.errors();
  EXPECT_EQ(one.output(), "up\nasked\n");
  EXPECT_EQ(next.status(), 0) << next.errors();
}

TEST_F(a_command_under_a_bound, that_ends_in_time_has_its_own_status) {
  running_command one(zklock({"run", "--max-hold", "1h", "--semaphore", "2", "/lock", "--", "sh", "-c", "exit 3"}),
                      here());
  EXPECT_EQ(one.status(), 3);
  running_command too_long(zklock({"run", "--max-hold", "721h", "/lock2", "--", "true"}), here());
  EXPECT_EQ(too_long.status(), 64);
  EXPECT_TRUE(contains(too_long.errors(), "max_hold")) << too_long.errors();
}

class nothing_of_a_command : public command_on_a_server,
                             public ::testing::WithParamInterface<std::tuple<stubborn_command, end_of_lock>> {
 protected:
  void TearDown() override {
    ::unlink(file_.c_str());
    command_on_a_server::TearDown();
  }

  const std::string file_ = new_file();

  void bring_about(const std::string& what, running_command& holder, proxy& way) {
    if (what == node_removed.name) {
      ASSERT_TRUE(server_.remove(full("/lock/" + contenders().front())));
    } else if (what == server_silent.name) {
      way.set_mode(proxy_mode::hold);
    } else if (what == zklock_killed.name) {
      holder.send(SIGKILL);
    } else if (what == zklock_stopped.name) {
      holder.send(SIGSTOP);
    } else if (what == guardian_killed.name) {
      ASSERT_TRUE(send_to_guardian(SIGKILL));
    } else {
      const pid_t its_guardian = guardian();
      ASSERT_TRUE(server_.remove(full("/lock/" + contenders().front())));
      EXPECT_TRUE(eventually([&] {
        if (name_of_process(its_guardian) == "lock-guardian") ::kill(its_guardian, SIGSTOP);
        return holder.has_ended();
      }));
    }
  }
};

INSTANTIATE_TEST_SUITE_P(on_a_server, nothing_of_a_command,
                         ::testing::Combine(::testing::ValuesIn(stubborn_commands),
                                            ::testing::Values(node_removed, server_silent, zklock_killed,
                                                              zklock_stopped, guardian_killed, guardian_held_up)),
                         [](const auto& of) {
                           return std::string(std::get<0>(of.param).name) + "_when_" + std::get<1>(of.param).name;
                         });

TEST_P(nothing_of_a_command, f86_f87_f88_f224_is_left) {
  const auto& [stubborn, end] = GetParam();
  proxy& way = new_proxy();
  const std::string& file = file_;
  running_command::surroundings around = here();
  around.environment.push_back("FORKING_WHILE=" + file);
  // Where the lock is not to be lost, it shall not be by a machine that is too busy, either.
  const std::string timeout = end.name == guardian_killed.name ? "20s" : "2s";
  running_command holder(zklock({"--connect", way.address() + root_, "run", "--session-timeout", timeout,
                                 "--kill-after", "200ms", "/lock", "--", "sh", "-c", locking(file) + stubborn.script}),
                         around);
  ASSERT_TRUE(says(holder, "up")) << holder.errors();
  bring_about(end.name, holder, way);
  EXPECT_TRUE(eventually([&] { return is_free(file); })) << ::testing::PrintToString(under_the_lock());
  make_go_on(holder, end);
  const int status = holder.status();
  EXPECT_TRUE(eventually([&] { return !find_guardian(); }));
  const bool may_have_ended_before = std::string(stubborn.script).find("exit 0") != std::string::npos;
  const bool ended_by_itself = status == 0 || status == 70;  // as zklock found it, or before that
  if (!(end.name == guardian_killed.name && may_have_ended_before && ended_by_itself)) {
    EXPECT_EQ(status, end.status) << holder.errors();
  }
  way.set_mode(proxy_mode::pass);
}

class the_next_holder : public command_on_a_server {
 protected:
  static std::string staying(const std::string& file) {
    return locking(file) + R"(trap '' TERM; setsid sh -c 'trap "" TERM; while :; do sleep 0.02; done' &
                              echo up; while :; do sleep 0.02; done)";
  }
  static std::string looking_at(const std::string& file) {
    return "flock -n " + file + " echo alone || echo beside another";
  }
  static words timed(const std::string& script, const std::string& connect) {
    // What is left of the margin for the kill is a 24th of it: on a machine that is busy with other tests that takes time, too.
    return zklock({"--connect", connect, "run", "--session-timeout", "6s", "/lock", "--", "sh", "-c", script});
  }
  static void bring_about(const end_of_lock& end, const running_command& first, proxy& way) {
    if (end.name == server_silent.name) {
      way.set_mode(proxy_mode::hold);
    } else {
      first.send(end.name == zklock_killed.name ? SIGKILL : SIGSTOP);
    }
  }
};

// Whatever the instant at which it is stopped, also behind its last report: zklock waits for its end.
TEST_F(the_next_holder, f177_is_let_in_though_the_guardian_is_stopped_again_and_again) {
  running_command first(zklock({"run", "/lock", "--", "sh", "-c", "echo up; sleep 0.3"}), here());
  ASSERT_TRUE(says(first, "up")) << first.errors();
  const pid_t its_guardian = guardian();
  EXPECT_TRUE(eventually([&] {
    if (name_of_process(its_guardian) == "lock-guardian") ::kill(its_guardian, SIGSTOP);
    return first.has_ended();
  }));
  EXPECT_EQ(first.status(), 0) << first.errors();
  running_command next(zklock({"run", "/lock", "--", "true"}), here());
  EXPECT_EQ(next.status(), 0) << next.errors();
}

class an_end_of_the_first_one : public the_next_holder, public ::testing::WithParamInterface<end_of_lock> {};
INSTANTIATE_TEST_SUITE_P(when, an_end_of_the_first_one, ::testing::Values(server_silent, zklock_killed, zklock_stopped),
                         [](const auto& of) { return std::string(of.param.name); });

// With the default --kill-after. And the one that wakes up late does the next one no harm.
TEST_P(an_end_of_the_first_one, f16_f86_f88_f93_f95_lets_the_next_one_in_only_when_the_command_is_gone) {
  const end_of_lock end = GetParam();
  proxy& way = new_proxy();
  const std::string file = new_file();
  running_command first(timed(staying(file), way.address() + root_), here());
  ASSERT_TRUE(says(first, "up"));
  const std::string more = new_file();
  running_command second(timed(looking_at(file) + "; until test -e " + more + "; do sleep 0.02; done", connect_here()),
                         here());
  ASSERT_TRUE(queue_grows_to(2));
  bring_about(end, first, way);
  ASSERT_TRUE(says(second, "alone")) << second.output();
  const auto held = contenders();
  ASSERT_EQ(held.size(), 1U);
  make_go_on(first, end);
  way.set_mode(proxy_mode::pass);
  EXPECT_EQ(first.status(), end.status) << first.errors();
  EXPECT_EQ(contenders(), held) << "no other command touches the second one's node";
  write_file(more);
  EXPECT_EQ(second.status(), 0);
  EXPECT_EQ(second.output(), "alone\n");
}

class a_lock : public command_on_a_server {};

TEST_F(a_lock, f87_is_held_until_all_that_the_command_has_started_has_ended) {
  const std::string enough = new_file();
  running_command holder(holding("setsid sh -c 'until test -e " + enough + "; do sleep 0.02; done' & exit 3"), here());
  ASSERT_TRUE(eventually([&] { return contains(holder.errors(), "the command has ended, but "); }));
  EXPECT_TRUE(contains(holder.errors(), ": the lock is held until then\n")) << holder.errors();
  running_command other(zklock({"run", "--timeout", "0", "/lock", "--", "true"}), here());
  EXPECT_EQ(other.status(), 75);
  EXPECT_FALSE(holder.has_ended());
  write_file(enough);
  EXPECT_EQ(holder.status(), 3);
}

TEST_F(a_lock, f88_is_given_back_when_a_signal_has_ended_what_the_command_has_left_behind) {
  running_command holder(holding("setsid sleep 60 & exit 3"), here());
  ASSERT_TRUE(eventually([&] { return contains(holder.errors(), "the command has ended, but 1 "); }));
  holder.send(SIGTERM);
  EXPECT_EQ(holder.status(), 3);
}

TEST_F(a_lock, f88_is_not_kept_by_a_guardian_that_was_stopped) {
  const std::string enough = new_file();
  running_command holder(holding("echo up; until test -e " + enough + "; do sleep 0.02; done; exit 3"), here());
  ASSERT_TRUE(says(holder, "up"));
  ASSERT_TRUE(send_to_guardian(SIGSTOP));
  write_file(enough);
  EXPECT_EQ(holder.status(), 3) << "zklock wakes its guardian";
}

TEST_F(a_lock, granted_while_the_guardian_is_stopped_wakes_it) {
  running_command holder(holding("echo up; sleep 60"), here());
  ASSERT_TRUE(says(holder, "up"));
  running_command::surroundings marked = here();
  marked.environment.emplace_back("ROLE=the one that waits");
  running_command waiting(holding("exit 3"), marked);
  ASSERT_TRUE(queue_grows_to(2));
  ASSERT_TRUE(send_to_guardian(SIGSTOP, "ROLE=the one that waits"));
  holder.send(SIGTERM);
  EXPECT_EQ(holder.status(), 128 + SIGTERM);
  EXPECT_EQ(waiting.status(), 3) << "it has the lock, and no command runs";
}

TEST_F(a_lock, f88_has_a_guardian_that_is_not_called_zklock) {
  running_command holder(holding("echo up; sleep 60"), here());
  ASSERT_TRUE(says(holder, "up"));
  const std::string guardians = "/proc/" + std::to_string(guardian());
  running_command shown({"cat", guardians + "/comm", guardians + "/cmdline"}, here());
  EXPECT_EQ(shown.status(), 0);
  EXPECT_TRUE(contains(shown.output(), "lock-guardian\nlock-guardian of " + std::to_string(holder.pid())))
      << shown.output();
  EXPECT_FALSE(contains(shown.output(), "zklock")) << shown.output();
  holder.send(SIGTERM);
  EXPECT_EQ(holder.status(), 128 + SIGTERM);
}

TEST_F(a_lock, f88_is_not_outlived_by_the_command_when_zklock_and_its_guardian_are_killed) {
  running_command holder(holding("echo up; exec sleep 60"), here());
  ASSERT_TRUE(says(holder, "up"));
  holder.send(SIGSTOP);  // or it would do the guardian's work
  ASSERT_TRUE(send_to_guardian(SIGKILL));
  EXPECT_TRUE(nothing_runs_under_the_lock());
  holder.send(SIGKILL);
  EXPECT_EQ(holder.status(), 128 + SIGKILL);
}

TEST_F(a_lock, f86_may_be_outlived_with_a_longer_kill_after_by_as_much) {
  running_command holder(zklock({"run", "--timeout", "60s", "--kill-after", "1h", "/lock", "--", "sh", "-c",
                                 "trap 'echo told' TERM; echo up; while :; do sleep 0.02; done"}),
                         here());
  ASSERT_TRUE(says(holder, "up"));
  ASSERT_TRUE(server_.remove(full("/lock/" + contenders().front())));
  ASSERT_TRUE(says(holder, "told"));
  running_command next(holding("true"), here());
  EXPECT_EQ(next.status(), 0);
  EXPECT_FALSE(holder.has_ended());
  holder.send(SIGKILL);
  ASSERT_EQ(holder.status(), 128 + SIGKILL);
  for (const pid_t one : under_the_lock()) {
    ::kill(one, SIGKILL);  // the guardian would take its hour
  }
}

struct has_a_server {
  test_support::private_zookeeper zookeeper{};
};

class a_frozen_server : protected has_a_server, public command_on_a_server {
 protected:
  a_frozen_server() : command_on_a_server(zookeeper.address()) {}
};

TEST_F(a_frozen_server, f86_f87_ends_the_command_and_its_daemon_within_the_session_timeout_and_a_bit) {
  running_command holder(zklock({"run", "--session-timeout", "4s", "--kill-after", "1s", "/l", "--", "sh", "-c",
                                 "setsid sleep 60 & exec sleep 60"}),
                         here());
  ASSERT_TRUE(eventually([&] { return under_the_lock().size() == 2; }));
  const auto since = std::chrono::steady_clock::now();
  zookeeper.stop();
  EXPECT_TRUE(nothing_runs_under_the_lock());
  const auto took = std::chrono::steady_clock::now() - since;
  EXPECT_LT(took, 5s) << "the deadline is at most 3.3 s ahead, and --kill-after is 1 s more";
  EXPECT_EQ(holder.status(), 79);
  zookeeper.cont();
}

}  // namespace
}  // namespace zklock::test
