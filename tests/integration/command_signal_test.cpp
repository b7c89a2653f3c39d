// zklock run: signals, the terminal, and the loss of the lock.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <regex>
#include <string>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

class a_signal : public command_on_a_server, public ::testing::WithParamInterface<int> {};

INSTANTIATE_TEST_SUITE_P(to_the_command, a_signal,
                         ::testing::Values(SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2),
                         [](const auto& of) { return std::string(sigabbrev_np(of.param)); });

TEST_P(a_signal, f88_ends_the_wait_and_leaves_no_contender) {
  running_command holder(holding("echo held; sleep 60"), here());
  ASSERT_TRUE(says(holder, "held"));
  running_command waiting(holding("true"), here());
  ASSERT_TRUE(queue_grows_to(2));
  waiting.send(GetParam());
  EXPECT_EQ(waiting.status(), 128 + GetParam());
  EXPECT_TRUE(waiting.errors().empty() || waiting.errors().starts_with("zklock: waiting for /lock"))
      << waiting.errors();
  EXPECT_EQ(contenders().size(), 1U) << "the holder's";
  holder.send(SIGTERM);
  EXPECT_EQ(holder.status(), 128 + SIGTERM);
}

TEST_P(a_signal, f88_is_passed_on_and_the_lock_is_held_until_the_child_has_ended) {
  const std::string name(sigabbrev_np(GetParam()));
  running_command holder(holding("trap 'echo got it' " + name + "; trap 'exit 42' TERM; test " + name +
                                 " = TERM && trap 'echo got it; trap \"exit 42\" TERM' TERM; echo ready;"
                                 " while :; do sleep 0.02; done"),
                         here());
  ASSERT_TRUE(says(holder, "ready")) << holder.errors();
  holder.send(GetParam());
  ASSERT_TRUE(says(holder, "got it"));
  EXPECT_FALSE(holder.has_ended());
  EXPECT_EQ(contenders().size(), 1U);
  holder.send(SIGTERM);
  EXPECT_EQ(holder.status(), 42);
  EXPECT_TRUE(contenders().empty());
}

TEST_P(a_signal, f89_that_ends_the_child_is_told_in_the_exit_status) {
  running_command holder(holding("echo ready; exec sleep 60"), here());
  ASSERT_TRUE(says(holder, "ready"));
  holder.send(GetParam());
  EXPECT_EQ(holder.status(), 128 + GetParam());
}

class signals_of_the_command : public command_on_a_server {};

TEST_F(signals_of_the_command, end_the_wait_for_a_server_as_well) {
  proxy& way = new_proxy();
  way.set_mode(proxy_mode::hold);
  running_command waiting(zklock({"--connect", way.address(), "run", "/lock", "--", "true"}), here());
  ASSERT_TRUE(eventually([&] { return way.accepted() > 0; }));  // by then it takes note of signals
  waiting.send(SIGTERM);
  EXPECT_EQ(waiting.status(), 128 + SIGTERM);
}

TEST_F(signals_of_the_command, find_the_childs_mask_and_actions_as_they_were) {
  const words ask{"grep", "-E", "^Sig(Blk|Cgt)", "/proc/self/status"};
  running_command plain(ask, here());
  ASSERT_EQ(plain.status(), 0);
  words under_the_lock = zklock({"run", "/lock", "--"});
  under_the_lock.insert(under_the_lock.end(), ask.begin(), ask.end());
  running_command child(under_the_lock, here());
  EXPECT_EQ(child.status(), 0);
  EXPECT_EQ(child.output(), plain.output());
}

TEST_F(signals_of_the_command, that_were_ignored_stay_ignored) {
  running_command::surroundings under_nohup = here();
  under_nohup.ignored_signals = {SIGHUP};
  const std::string first_28 = "s/^SigIgn:.*\\(.......\\)$/ignored \\1/p";  // 32 and 33 are the C library's own
  running_command holder(holding("sed -n '" + first_28 + "' /proc/self/status; exec sleep 60"), under_nohup);
  running_command plain({"sed", "-n", first_28, "/proc/self/status"}, under_nohup);
  ASSERT_EQ(plain.status(), 0);
  ASSERT_TRUE(std::regex_match(plain.output(), std::regex("ignored [0-9a-f]{6}[13579bdf]\n"))) << plain.output();
  EXPECT_TRUE(says(holder, plain.output())) << holder.output() << "and not " << plain.output();

  running_command waiting(holding("true"), under_nohup);
  ASSERT_TRUE(queue_grows_to(2));
  waiting.send(SIGHUP);
  waiting.send(SIGTERM);
  EXPECT_EQ(waiting.status(), 128 + SIGTERM) << "SIGHUP came first, and was to do nothing";
  holder.send(SIGTERM);
  EXPECT_EQ(holder.status(), 128 + SIGTERM);
}

TEST_F(signals_of_the_command, show_the_childs_end_although_sigchld_was_ignored) {
  running_command::surroundings around = here();
  around.ignored_signals = {SIGCHLD};
  running_command holder(holding("exit 7"), around);
  EXPECT_EQ(holder.status(), 7);
}

TEST_F(signals_of_the_command, typed_at_the_terminal_reach_the_child_once) {
  running_command::surroundings around = here();
  around.with_terminal = true;
  running_command holder(holding("n=0; trap 'n=$((n+1)); echo interrupted' INT; trap 'exit $n' USR1; echo ready;"
                                 " while :; do sleep 0.02; done"),
                         around);
  ASSERT_TRUE(says(holder, "ready")) << holder.errors();
  holder.send(SIGSTOP);  // or the two, if they were two, could be taken for one
  holder.type("\x03");
  ASSERT_TRUE(says(holder, "interrupted"));
  holder.send(SIGUSR1);  // comes out after SIGINT
  holder.send(SIGCONT);
  EXPECT_EQ(holder.status(), 1) << "the terminal has told the child already";
  EXPECT_EQ(holder.output(), "ready\ninterrupted\n");
  EXPECT_TRUE(contenders().empty());
}

TEST_F(signals_of_the_command, leave_the_terminal_to_the_child) {
  running_command::surroundings around = here();
  around.with_terminal = true;
  running_command holder(holding("read line; echo \"<$line>\""), around);
  ASSERT_TRUE(queue_grows_to(1));
  holder.type("typed words\n");
  EXPECT_EQ(holder.status(), 0);
  EXPECT_EQ(holder.output(), "<typed words>\n");
}

bool has_ended(const std::string& pid) {
  std::string stat;
  std::getline(std::ifstream("/proc/" + pid + "/stat"), stat);
  return stat.empty() || stat.find(") Z ") != std::string::npos;
}

class the_loss_of_the_lock : public command_on_a_server {};

TEST_F(the_loss_of_the_lock, f86_ends_the_child_and_has_an_exit_status_of_its_own) {
  running_command holder(zklock({"run", "--kill-after", "60s", "/lock", "--", "sh", "-c",
                                 "trap 'echo told; exit 3' TERM; echo ready; while :; do sleep 0.02; done"}),
                         here());
  ASSERT_TRUE(says(holder, "ready"));
  const std::string node = full("/lock/" + contenders().front());
  ASSERT_TRUE(server_.remove(node));
  EXPECT_EQ(holder.status(), 79);
  EXPECT_EQ(holder.output(), "ready\ntold\n");
  EXPECT_TRUE(contains(holder.errors(),  // sh adds that its sleep was terminated
                       "zklock: lost the lock /lock (node removed): sending SIGTERM to the command\n"))
      << holder.errors();
}

TEST_F(the_loss_of_the_lock, f86_by_the_deadline_ends_a_stopped_child_too) {
  proxy& way = new_proxy();
  running_command holder(zklock({"--connect", way.address() + root_, "run", "--session-timeout", "2s", "/lock", "--",
                                 "sh", "-c", "echo ready; kill -STOP $$; exit 3"}),
                         here());
  ASSERT_TRUE(says(holder, "ready"));
  way.set_mode(proxy_mode::hold);
  EXPECT_EQ(holder.status(), 79);
  EXPECT_TRUE(contains(holder.errors(), "zklock: lost the lock /lock (")) << holder.errors();
  way.set_mode(proxy_mode::pass);
}

TEST_F(the_loss_of_the_lock, f86_that_the_child_has_not_lived_to_see_is_told_in_the_exit_status) {
  const std::string marker = testing::TempDir() + "zklock-end" + root_.substr(1);
  running_command holder(zklock({"run", "--session-timeout", "2s", "/lock", "--", "sh", "-c",
                                 "echo $$ runs; until test -e " + marker + "; do sleep 0.02; done"}),
                         here());
  ASSERT_TRUE(says(holder, "runs"));
  holder.send(SIGSTOP);
  std::ofstream(marker) << "";
  const std::string child = holder.output().substr(0, holder.output().find(' '));
  ASSERT_TRUE(eventually([&] { return contenders().empty(); })) << "the server has not given it up";
  ASSERT_TRUE(eventually([&] { return has_ended(child); }));
  holder.send(SIGCONT);
  EXPECT_EQ(holder.status(), 79);
  EXPECT_TRUE(contains(holder.errors(), "zklock: lost the lock /lock (")) << holder.errors();
  ::unlink(marker.c_str());
}

}  // namespace
}  // namespace zklock::test
