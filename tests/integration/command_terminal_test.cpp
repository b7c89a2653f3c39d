// zklock run at a terminal, under a shell with job control: as env or nohup there.
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

// The commands that are stopped here do not fork meanwhile: a shell whose vfork()ed child is stopped is not, by any key.
class at_the_terminal : public command_on_a_server {
 protected:
  running_command::surroundings at_a_terminal() const {
    running_command::surroundings around = here();
    around.with_terminal = true;
    around.environment.insert(around.environment.end(), {std::string("Z=") + ZKLOCK_COMMAND, "PS1=", "HISTFILE="});
    return around;
  }
  /// Its prompt is empty; what it says of its jobs comes on stderr.
  static words interactive_shell() { return {"bash", "--norc", "--noprofile", "--noediting", "-i"}; }
  /// Ends it, and what it has running.
  void leave(running_command& shell) {
    shell.type("\x03\nkill -KILL $(jobs -p) 2>/dev/null; exit\nexit\n");
    EXPECT_NE(shell.status(), -1) << shell.output() << shell.errors();
  }
  static int times_said(const running_command& one, const std::string& text) {
    int found = 0;
    const std::string said = one.output();
    for (std::size_t at = 0; (at = said.find(text, at)) != said.npos; at += text.size()) {
      ++found;
    }
    return found;
  }
  bool prints_error(const running_command& one, const std::string& text) {
    return eventually([&] { return contains(one.errors(), text); });
  }
};

TEST_F(at_the_terminal, f88_the_command_can_be_suspended_and_brought_back) {
  running_command shell(interactive_shell(), at_a_terminal());
  shell.type("$Z run /lock -- sh -c 'echo up; read line; echo \"<$line>\"'; echo status $?\n");
  ASSERT_TRUE(says(shell, "up")) << shell.errors();
  shell.type("\x1a");
  ASSERT_TRUE(prints_error(shell, "Stopped")) << shell.errors();
  shell.type("echo the shell again\n");
  ASSERT_TRUE(says(shell, "the shell again"));
  EXPECT_EQ(contenders().size(), 1U);
  shell.type("fg\n");
  ASSERT_TRUE(eventually([&] { return contains(shell.errors() + shell.output(), "$Z run"); })) << shell.errors();
  shell.type("typed words\n");
  ASSERT_TRUE(says(shell, "<typed words>")) << shell.output() << shell.errors();
  ASSERT_TRUE(eventually([&] { return contenders().empty(); }));
  leave(shell);
}

TEST_F(at_the_terminal, f88_the_command_gets_sigint_once_and_its_end_is_told_to_the_shell) {
  running_command shell(interactive_shell(), at_a_terminal());
  shell.type("$Z run /lock -- sh -c 'trap \"echo interrupted\" INT; echo up; read line; echo \"<$line>\"; exit 5'\n");
  ASSERT_TRUE(says(shell, "up"));
  shell.type("\x03");
  ASSERT_TRUE(says(shell, "interrupted"));
  shell.type("\n");
  shell.type("echo status $?\n");
  ASSERT_TRUE(says(shell, "status 5\n")) << shell.output();
  leave(shell);
  EXPECT_EQ(times_said(shell, "interrupted"), 1) << shell.output();
}

TEST_F(at_the_terminal, f88_a_script_ends_when_its_command_is_interrupted) {
  running_command shell(interactive_shell(), at_a_terminal());
  shell.type(
      "bash -c 'for i in 1 2 3; do $Z run /lock -- sh -c \"echo round \\$0; exec sleep 60\" $i; done';"
      " echo status $?\n");
  ASSERT_TRUE(says(shell, "round 1")) << shell.output() << shell.errors();
  shell.type("\x03");
  ASSERT_TRUE(eventually([&] { return contenders().empty(); }));
  shell.type("echo the shell again\n");
  ASSERT_TRUE(says(shell, "the shell again")) << shell.errors();
  EXPECT_FALSE(contains(shell.output(), "round 2"));
  leave(shell);
}

TEST_F(at_the_terminal, f88_a_script_that_waits_for_the_lock_ends_when_it_is_interrupted) {
  running_command holder(holding("echo up; sleep 60"), here());
  ASSERT_TRUE(says(holder, "up"));
  running_command shell(interactive_shell(), at_a_terminal());
  shell.type("bash -c 'for i in 1 2 3; do echo round $i; $Z run /lock -- true; done'\n");
  ASSERT_TRUE(queue_grows_to(2));
  shell.type("\x03");
  ASSERT_TRUE(queue_grows_to(1));
  shell.type("echo the shell again\n");
  ASSERT_TRUE(says(shell, "the shell again")) << shell.errors();
  EXPECT_FALSE(contains(shell.output(), "round 2"));
  leave(shell);
  holder.send(SIGTERM);
  EXPECT_EQ(holder.status(), 128 + SIGTERM);
}

TEST_F(at_the_terminal, a_script_goes_on_reading_after_a_command_that_could_not_be_started) {
  running_command shell(interactive_shell(), at_a_terminal());
  shell.type("bash -c '$Z run /lock -- ./no_such_program; echo status $?; read line; echo \"<$line>\"'\n");
  ASSERT_TRUE(says(shell, "status 127")) << shell.errors();
  shell.type("typed words\n");
  EXPECT_TRUE(says(shell, "<typed words>")) << shell.output() << shell.errors();
  leave(shell);
}

TEST_F(at_the_terminal, f88_a_background_job_that_reads_stops_until_it_is_brought_to_the_foreground) {
  running_command shell(interactive_shell(), at_a_terminal());
  // of what is typed while the shell makes room, the shell may have had a part
  shell.type("$Z run /lock -- sh -c 'echo up; while read line; do echo \"<$line>\"; done' &\n");
  ASSERT_TRUE(says(shell, "up"));
  ASSERT_TRUE(eventually([&] {
    shell.type("jobs\n");
    return contains(shell.output() + shell.errors(), "Stopped");
  })) << shell.output()
      << shell.errors();
  shell.type("fg\n");
  ASSERT_TRUE(eventually([&] {
    shell.type("typed words\n");
    return contains(shell.output(), "<typed words>");
  })) << shell.output()
      << shell.errors();
  leave(shell);
}

TEST_F(at_the_terminal, what_runs_on_after_the_command_can_be_suspended_and_brought_back) {
  running_command shell(interactive_shell(), at_a_terminal());
  shell.type("$Z run /lock -- sh -c 'sleep 600 &'\n");
  ASSERT_TRUE(eventually([&] { return contains(shell.errors(), "runs on"); })) << shell.errors();
  shell.type("\x1a");
  ASSERT_TRUE(eventually([&] {
    shell.type("jobs\n");
    return contains(shell.output() + shell.errors(), "Stopped");
  })) << shell.output()
      << shell.errors();
  shell.type("bg\n");
  EXPECT_TRUE(eventually([&] {
    shell.type("jobs\n");
    return contains(shell.output(), "Running");
  })) << shell.output()
      << shell.errors();
  EXPECT_EQ(contenders().size(), 1U);
  leave(shell);
}

TEST_F(at_the_terminal, f88_the_next_program_of_a_pipeline_keeps_the_terminal_and_ctrl_c_ends_both) {
  running_command shell(interactive_shell(), at_a_terminal());
  shell.type("$Z run /lock -- sh -c 'echo up; exec sleep 60' | sh -c 'cat; read line </dev/tty; echo \"<$line>\"'\n");
  ASSERT_TRUE(says(shell, "up")) << shell.errors();
  ASSERT_EQ(contenders().size(), 1U);
  shell.type("\x03");
  ASSERT_TRUE(eventually([&] { return contenders().empty(); })) << shell.errors();
  shell.type("echo the shell again\n");
  ASSERT_TRUE(says(shell, "the shell again")) << shell.errors();
  leave(shell);
}

TEST_F(at_the_terminal, f88_suspended_beyond_the_deadline_costs_the_lock_and_ends_the_command) {
  running_command shell(interactive_shell(), at_a_terminal());
  shell.type("$Z run --session-timeout 2s /lock -- sh -c 'echo up; read line'; echo status $?\n");
  ASSERT_TRUE(says(shell, "up"));
  shell.type("\x1a");
  ASSERT_TRUE(prints_error(shell, "Stopped")) << shell.errors();
  EXPECT_TRUE(nothing_runs_under_the_lock());
  shell.type("fg; echo status is $?\n");
  EXPECT_TRUE(says(shell, "status is 79")) << shell.output() << shell.errors();
  leave(shell);
}

// It reads without a fork, so that it stops at once.
TEST_F(at_the_terminal, f160_ctrl_z_does_not_take_the_time_to_end_from_a_command_whose_lock_is_lost) {
  running_command shell(interactive_shell(), at_a_terminal());
  shell.type(
      "$Z run --kill-after 60s /lock -- "
      "sh -c 'trap \"echo told; read line; echo \\\"<\\$line>\\\"; exit 3\" TERM; echo up; read line'; echo status "
      "$?\n");
  ASSERT_TRUE(says(shell, "up")) << shell.errors();
  ASSERT_TRUE(server_.remove(full("/lock/" + contenders().front())));
  ASSERT_TRUE(says(shell, "told")) << shell.errors();
  shell.type("\x1a");
  EXPECT_TRUE(eventually([&] {
    shell.type("typed words\n");
    return contains(shell.output(), "<typed words>");
  })) << shell.output()
      << shell.errors();
  EXPECT_TRUE(says(shell, "status 79")) << shell.output() << shell.errors();
  leave(shell);
}

TEST_F(at_the_terminal, f88_a_stop_that_no_shell_would_end_does_not_stop_the_command) {
  running_command holder(holding("trap 'echo went on' CONT; sleep 60 & echo up; while :; do wait; done"),
                         at_a_terminal());
  ASSERT_TRUE(says(holder, "up"));
  holder.type("\x1a");
  EXPECT_TRUE(says(holder, "went on")) << "zklock leads the session: no shell is there to say fg";
  holder.send(SIGTERM);
  EXPECT_EQ(holder.status(), 128 + SIGTERM);
}

}  // namespace
}  // namespace zklock::test
