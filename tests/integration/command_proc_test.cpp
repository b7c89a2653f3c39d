// zklock run where /proc is empty, is another one, vanishes, or hides what the command has started. As root: it mounts.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <csignal>
#include <string>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

class command_and_proc : public command_on_a_server {
 protected:
  void SetUp() override {
    command_on_a_server::SetUp();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer needs /proc itself";
#endif
    running_command probe({"unshare", "-m", "-p", "-f", "mount", "-t", "tmpfs", "none", "/proc"});
    ASSERT_EQ(probe.status(), 0) << "this test has to be root, and may mount: " << probe.errors();
  }
  /// In a mount namespace of its own, after `preparation`.
  static words with(const std::string& preparation, const words& command) {
    words all{"unshare", "-m", "sh", "-c", preparation + R"( && exec "$@")", "sh"};
    all.insert(all.end(), command.begin(), command.end());
    return all;
  }
  void expect_not_started(running_command& refused) {
    EXPECT_EQ(refused.status(), 70);
    EXPECT_TRUE(contains(refused.errors(), "/proc does not show this process")) << refused.errors();
    EXPECT_EQ(refused.output(), "");
    expect_untouched();
  }
  /// Once COMMAND has ended, and something of it runs on.
  static bool holds_for_the_rest(const running_command& holder) {
    return eventually([&] { return contains(holder.errors(), "that it has started"); });
  }

  static constexpr const char* empty_proc = "mount -t tmpfs none /proc";
  static constexpr const char* script_that_leaves_a_daemon = "setsid sleep 600 & echo up";
};

TEST_F(command_and_proc, f189_that_is_empty_refuse_the_start) {
  running_command refused(with(empty_proc, holding(script_that_leaves_a_daemon)), here());
  expect_not_started(refused);
}

TEST_F(command_and_proc, f189_of_another_pid_namespace_refuse_the_start) {
  words command{"unshare", "-p", "-f"};
  const words run = holding(script_that_leaves_a_daemon);
  command.insert(command.end(), run.begin(), run.end());
  running_command refused(command, here());
  expect_not_started(refused);
}

TEST_F(command_and_proc, f189_that_vanishes_end_together_at_sigterm) {
  running_command holder(with("true", holding(std::string(empty_proc) + "; " + script_that_leaves_a_daemon)), here());
  ASSERT_TRUE(says(holder, "up"));
  ASSERT_TRUE(holds_for_the_rest(holder)) << holder.errors();
  holder.send(SIGTERM);
  EXPECT_EQ(holder.status(), 0) << "the status of COMMAND, which had ended before; " << holder.errors();
  EXPECT_TRUE(nothing_runs_under_the_lock());
}

TEST_F(command_and_proc, f189_that_vanishes_let_nothing_outlive_the_lock) {
  running_command holder(with("true", holding(std::string(empty_proc) + "; " + script_that_leaves_a_daemon)), here());
  ASSERT_TRUE(says(holder, "up"));
  ASSERT_TRUE(holds_for_the_rest(holder)) << holder.errors();
  ASSERT_TRUE(server_.remove(full("/lock/" + contenders().front())));
  EXPECT_EQ(holder.status(), 79) << holder.errors();
  EXPECT_TRUE(nothing_runs_under_the_lock());
}

/// zklock is root without the rights of root; COMMAND leaves a process of another user, which it may not signal.
class command_that_leaves_another_users_process : public command_and_proc {
 protected:
  /// The process is hidden from zklock, or not.
  static words run_it(bool hidden) {
    words command{"setpriv", "--bounding-set=-all,+setuid,+setgid"};
    const words run = holding("setsid setpriv --reuid=65534 --clear-groups sleep 600 & echo up");
    command.insert(command.end(), run.begin(), run.end());
    return with(hidden ? "mount -t proc -o hidepid=2,gid=65533 none /proc" : "true", command);
  }
  /// Up to then it holds the lock, as flock(1) does.
  void wait_until_only_that_is_left(const running_command& holder) {
    ASSERT_TRUE(says(holder, "up")) << holder.errors();
    ASSERT_TRUE(eventually([&] {
      const auto left = under_the_lock();
      return left.size() == 1 && name_of_process(left.front()) == "sleep";
    }));
  }
  void expect_given_up(running_command& holder, int status, const std::string& line) {
    EXPECT_EQ(holder.status(), status) << holder.errors();
    EXPECT_TRUE(contains(holder.errors(), line)) << holder.errors();
    EXPECT_TRUE(contains(holder.errors(), "goes on without the lock")) << holder.errors();
    for (const pid_t left : under_the_lock()) {
      ::kill(left, SIGKILL);
    }
  }

  static constexpr const char* refused_line = "may not be signalled";
};

TEST_F(command_that_leaves_another_users_process, f189_ends_at_sigterm) {
  running_command holder(run_it(false), here());
  wait_until_only_that_is_left(holder);
  holder.send(SIGTERM);
  expect_given_up(holder, 128 + SIGTERM, refused_line);
}

TEST_F(command_that_leaves_another_users_process, f189_that_is_hidden_ends_at_sigterm) {
  running_command holder(run_it(true), here());
  wait_until_only_that_is_left(holder);
  holder.send(SIGTERM);
  expect_given_up(holder, 128 + SIGTERM, refused_line);
}

TEST_F(command_that_leaves_another_users_process, f189_that_is_hidden_ends_at_a_loss) {
  running_command holder(run_it(true), here());
  wait_until_only_that_is_left(holder);
  ASSERT_TRUE(server_.remove(full("/lock/" + contenders().front())));
  expect_given_up(holder, 79, refused_line);
}

/// Of zklock's own user, in a session of its own, and hidden: the kernel's list of children has it all the same.
TEST_F(command_and_proc, f227_that_hides_what_may_not_be_dumped_do_not_keep_it_from_its_end) {
  const std::string not_to_be_dumped = "setsid perl -e 'syscall(" + std::to_string(SYS_prctl) + ", " +
                                       std::to_string(PR_SET_DUMPABLE) +
                                       R"(, 0); $SIG{TERM} = "IGNORE"; $| = 1; print "up\n"; sleep 600' & wait)";
  words command{"setpriv", "--bounding-set=-all"};
  const words run = holding(not_to_be_dumped);
  command.insert(command.end(), run.begin(), run.end());
  running_command holder(with("mount -t proc -o hidepid=2,gid=65533 none /proc", command), here());
  ASSERT_TRUE(says(holder, "up")) << holder.errors();
  ASSERT_TRUE(server_.remove(full("/lock/" + contenders().front())));
  EXPECT_EQ(holder.status(), 79) << holder.errors();
  EXPECT_FALSE(contains(holder.errors(), "goes on without the lock")) << holder.errors();
  EXPECT_TRUE(nothing_runs_under_the_lock());
}

}  // namespace
}  // namespace zklock::test
