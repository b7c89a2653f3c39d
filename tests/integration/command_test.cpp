// zklock run: what it runs, what it gives it, and how it exits.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

using clock = std::chrono::steady_clock;

using the_command = command_on_a_server;

// ---- what it runs ---------------------------------------------------------------------------------------------------

TEST_F(the_command, f89_exits_with_the_status_of_what_it_has_run) {
  running_command well(holding("exit 0"), here());
  EXPECT_EQ(well.status(), 0);
  EXPECT_EQ(well.errors(), "");
  running_command ill(holding("exit 7"), here());
  EXPECT_EQ(ill.status(), 7);
  EXPECT_EQ(ill.errors(), "");
  EXPECT_TRUE(contenders().empty()) << "the release is confirmed before the command returns";
}

TEST_F(the_command, f89_exits_with_128_plus_n_when_signal_n_has_ended_what_it_has_run) {
  running_command killed(holding("kill -KILL $$"), here());
  EXPECT_EQ(killed.status(), 128 + SIGKILL);
  EXPECT_TRUE(contenders().empty());
}

TEST_F(the_command, f89_exits_with_127_when_there_is_no_such_program) {
  for (const std::string program : {"no-such-program-anywhere", "/no/such/program", "/dev/null/program", ""}) {
    running_command missing(zklock({"run", "/lock", "--", program}), here());
    EXPECT_EQ(missing.status(), 127);
    EXPECT_TRUE(missing.errors().starts_with("zklock: " + program + ": ")) << missing.errors();
    EXPECT_TRUE(contenders().empty());
  }
}

TEST_F(the_command, f89_exits_with_126_when_the_program_cannot_be_executed) {
  for (const std::string program : {"/etc/passwd", "/etc"}) {
    running_command refused(zklock({"run", "/lock", "--", program}), here());
    EXPECT_EQ(refused.status(), 126);
    EXPECT_TRUE(refused.errors().starts_with("zklock: " + program + ": ")) << refused.errors();
    EXPECT_TRUE(contenders().empty());
  }
}

TEST_F(the_command, passes_stdin_stdout_and_stderr_through) {
  running_command::surroundings around = here();
  around.input = "one\ntwo\n";
  running_command passing(holding("cat; echo three >&2"), around);
  EXPECT_EQ(passing.status(), 0);
  EXPECT_EQ(passing.output(), "one\ntwo\n");
  EXPECT_EQ(passing.errors(), "three\n");
}

TEST_F(the_command, passes_arguments_on_to_the_letter) {
  running_command printing(
      zklock({"run", "/lock", "--", "printf", "<%s>", "a b", "", "--timeout", "5", "--", "-h", "*", "$HOME", "\"'\n"}),
      here());
  EXPECT_EQ(printing.status(), 0);
  EXPECT_EQ(printing.output(), "<a b><><--timeout><5><--><-h><*><$HOME><\"'\n>");
}

TEST_F(the_command, gives_the_child_no_file_but_those_that_it_was_given) {
  const std::string list = "ls /proc/self/fd | wc -l";  // both in one shell: what this test has open changes
  running_command both({"sh", "-c", list + "; \"$0\" run /lock -- sh -c '" + list + "'", ZKLOCK_COMMAND}, here());
  EXPECT_EQ(both.status(), 0) << both.errors();
  const std::string counts = both.output();
  const std::string plain = counts.substr(0, counts.find('\n') + 1);
  EXPECT_EQ(counts, plain + plain);

  running_command keeping({"sh", "-c", "exec 9</dev/null; \"$0\" run /lock -- test -e /proc/self/fd/9", ZKLOCK_COMMAND},
                          here());
  EXPECT_EQ(keeping.status(), 0) << "what a script has opened for it is its to keep";
}

// ---- what it tells --------------------------------------------------------------------------------------------------

TEST_F(the_command, tells_path_node_and_token_in_the_environment) {
  running_command telling(holding("echo $ZKLOCK_PATH; echo $ZKLOCK_NODE; echo $ZKLOCK_TOKEN $ZKLOCK_TOKEN_NUMBER;"
                                  "echo end; sleep 60"),
                          here());
  ASSERT_TRUE(says(telling, "end\n")) << telling.errors();
  std::istringstream told(telling.output());
  std::string path;
  std::string node;
  std::string token;
  std::int64_t number = 0;
  told >> path >> node >> token >> number;
  EXPECT_EQ(path, "/lock");
  ASSERT_EQ(contenders().size(), 1U);
  EXPECT_EQ(node, "/lock/" + contenders().front());
  const auto stat = server_.look(full(node));
  ASSERT_TRUE(stat) << node;
  EXPECT_EQ(token, to_string(fencing_token{stat->czxid}));
  EXPECT_EQ(number, fencing_token{stat->czxid}.number());
  telling.send(SIGTERM);
  EXPECT_EQ(telling.status(), 128 + SIGTERM);
}

TEST_F(the_command, replaces_what_an_outer_one_has_told_and_keeps_the_rest) {
  running_command::surroundings around = here();
  around.environment.insert(around.environment.end(),
                            {"ZKLOCK_PATH=/outer", "ZKLOCK_TOKEN=1", "ZKLOCK_TOKEN_NUMBER=1", "KEPT=a b"});
  running_command inner(holding("env | grep -cE '^ZKLOCK_(PATH|NODE|TOKEN|TOKEN_NUMBER)='; echo $ZKLOCK_PATH $KEPT"),
                        around);
  EXPECT_EQ(inner.status(), 0);
  EXPECT_EQ(inner.output(), "4\n/lock a b\n");
}

TEST_F(the_command, f200_gives_each_holder_a_greater_token_that_is_no_number) {
  std::string last;
  for (int round = 0; round < 3; ++round) {
    running_command telling(holding("echo $ZKLOCK_TOKEN; echo $ZKLOCK_TOKEN | awk '{ print $1 + 0 }'"), here());
    ASSERT_EQ(telling.status(), 0);
    std::istringstream told(telling.output());
    std::string token;
    std::string number;
    told >> token >> number;
    EXPECT_GT(token, last);
    EXPECT_EQ(number, "0") << token;
    last = token;
  }
}

TEST_F(the_command, labels_its_contender) {
  running_command labelled(zklock({"run", "--label", "the nightly one", "/lock", "--", "sleep", "60"}), here());
  ASSERT_TRUE(queue_grows_to(1));
  EXPECT_TRUE(contains(server_.data(full("/lock/" + contenders().front())), "\nlabel=the nightly one\n"));
  labelled.send(SIGTERM);
  EXPECT_EQ(labelled.status(), 128 + SIGTERM);
}

TEST_F(the_command, takes_its_servers_from_the_option_before_the_environment) {
  running_command::surroundings misled;
  misled.environment = {"ZKLOCK_CONNECT=127.0.0.1:1"};
  running_command told(zklock({"--connect", connect_here(), "run", "/lock", "--", "true"}), misled);
  EXPECT_EQ(told.status(), 0) << told.errors();
}

TEST_F(the_command, is_quiet_unless_it_is_asked_to_be_verbose) {
  running_command verbose(zklock({"--verbose", "run", "/lock", "--", "true"}), here());
  EXPECT_EQ(verbose.status(), 0);
  EXPECT_TRUE(contains(verbose.errors(), "[zklock] [info]")) << verbose.errors();
}

TEST_F(the_command, explains_itself_on_stdout) {
  for (const words& question : {words{"--help"}, {"run", "--help"}, {"--version"}}) {
    running_command asked(zklock(question), here());
    EXPECT_EQ(asked.status(), 0);
    EXPECT_TRUE(contains(asked.output(), "zklock"));
    EXPECT_EQ(asked.errors(), "");
  }
  expect_untouched();
}

// ---- the lock is another client's -----------------------------------------------------------------------------------

TEST_F(the_command, f89_exits_with_75_after_its_time_beside_a_holder_and_leaves_nothing) {
  running_command holder(zklock({"run", "/lock", "--", "sleep", "5"}), here());
  ASSERT_TRUE(queue_grows_to(1));
  const auto start = clock::now();
  running_command late(zklock({"run", "--timeout", "1s", "/lock", "--", "true"}), here());
  EXPECT_EQ(late.status(), 75);
  EXPECT_GE(clock::now() - start, 1s);
  EXPECT_TRUE(late.errors().ends_with("zklock: /lock: not granted within 1s; others are first\n")) << late.errors();
  EXPECT_EQ(contenders().size(), 1U) << "the holder's";
  EXPECT_FALSE(holder.has_ended());
  EXPECT_EQ(holder.status(), 0);
}

TEST_F(the_command, f89_tries_once_with_a_timeout_of_zero) {
  running_command first(zklock({"run", "--timeout", "0", "/lock", "--", "sleep", "60"}), here());
  ASSERT_TRUE(queue_grows_to(1));
  running_command second(zklock({"run", "--timeout", "0", "/lock", "--", "true"}), here());
  EXPECT_EQ(second.status(), 75);
  EXPECT_EQ(second.errors(), "zklock: /lock: not granted at once; others are first\n");
  EXPECT_EQ(contenders().size(), 1U) << "the first one's";
  first.send(SIGTERM);
  EXPECT_EQ(first.status(), 128 + SIGTERM);
}

TEST_F(the_command, waits_for_its_turn_without_a_timeout) {
  running_command first(holding("echo held; sleep 60"), here());
  ASSERT_TRUE(says(first, "held"));
  running_command second(holding("echo mine"), here());
  ASSERT_TRUE(queue_grows_to(2));
  EXPECT_EQ(second.output(), "");
  first.send(SIGTERM);
  EXPECT_EQ(first.status(), 128 + SIGTERM);
  EXPECT_EQ(second.status(), 0);
  EXPECT_EQ(second.output(), "mine\n");
}

TEST_F(the_command, f89_says_once_which_holder_it_waits_for) {
  running_command first(zklock({"run", "--label", "the first", "/lock", "--", "sleep", "60"}), here());
  ASSERT_TRUE(queue_grows_to(1));
  running_command second(zklock({"run", "--label", "the second", "/lock", "--", "sleep", "60"}), here());
  ASSERT_TRUE(queue_grows_to(2));
  running_command third(holding("echo mine"), here());
  const std::string of_first = "zklock: waiting for /lock, held by \"the first\" (host \"";
  ASSERT_TRUE(eventually([&] { return contains(third.errors(), "before us"); })) << third.errors();
  EXPECT_TRUE(third.errors().starts_with(of_first)) << third.errors();
  EXPECT_TRUE(contains(third.errors(), ", process " + std::to_string(first.pid()) + ", since ")) << third.errors();
  EXPECT_TRUE(third.errors().ends_with("Z); 1 other is before us\n")) << third.errors();
  ASSERT_TRUE(eventually([&] { return !second.errors().empty(); }));
  EXPECT_TRUE(second.errors().starts_with(of_first) && second.errors().ends_with("Z)\n")) << second.errors();
  first.send(SIGTERM);
  second.send(SIGTERM);
  EXPECT_EQ(third.status(), 0);
  EXPECT_EQ(third.output(), "mine\n");
  EXPECT_TRUE(third.errors().ends_with("Z); 1 other is before us\n")) << "once: " << third.errors();
  EXPECT_EQ(first.status(), 128 + SIGTERM);
  EXPECT_EQ(second.status(), 128 + SIGTERM);
}

TEST_F(the_command, never_runs_two_at_once) {
  const std::string file = testing::TempDir() + "zklock-count" + root_.substr(1);
  std::ofstream(file) << "0\n";
  const std::string increment = "n=$(cat " + file + "); sleep 0.01; echo $((n+1)) >" + file;
  std::vector<std::unique_ptr<running_command>> all;
  constexpr int commands = 12;
  for (int started = 0; started < commands; ++started) {
    all.push_back(std::make_unique<running_command>(holding(increment), here()));
  }
  for (const auto& one : all) {
    EXPECT_EQ(one->status(), 0) << one->errors();
  }
  int count = 0;
  std::ifstream(file) >> count;
  EXPECT_EQ(count, commands);
  ::unlink(file.c_str());
}

// ---- bad usage ------------------------------------------------------------------------------------------------------

TEST_F(the_command, exits_with_64_on_bad_usage_naming_the_value_and_leaves_nothing) {
  struct bad_usage {
    words line;
    std::string named;
  };
  const std::vector<bad_usage> cases{
      {{}, "subcommand"},
      {{"run", "/lock", "true"}, "\"true\""},
      {{"run", "lock", "--", "true"}, "\"lock\""},
      {{"run", "/", "--", "true"}, "\"/\""},
      {{"run", "", "--", "true"}, "\"\""},
      {{"run", "/a//b", "--", "true"}, "\"/a//b\""},
      {{"run", "/a/", "--", "true"}, "\"/a/\""},
      {{"run", "/a/../b", "--", "true"}, "\"/a/../b\""},
      {{"run", "/a/\x1b[31m", "--", "true"}, "\\x1b"},
      {{"run", "/a/\U0001F512", "--", "true"}, "U+1F512, which ZooKeeper does not allow, at byte 3 of 7"},
      {{"run", "--timeout", "5", "/lock", "--", "true"}, "\"5\""},
      {{"run", "--timeout", "-1s", "/lock", "--", "true"}, "\"-1s\""},
      {{"run", "--session-timeout", "-1s", "/lock", "--", "true"}, "\"-1s\""},
      {{"run", "--session-timeout", "2h", "/lock", "--", "true"}, "\"2h\""},
      {{"run", "--label", "a\nmode=read", "/lock", "--", "true"}, "label"},
      {{"run", "--label", std::string(257, 'x'), "/lock", "--", "true"}, "257 bytes"},
      {{"--connect", "", "run", "/lock", "--", "true"}, "\"\""},
      {{"--connect", "localhost:", "run", "/lock", "--", "true"}, "\"localhost:\""},
      {{"--connect", "localhost:0", "run", "/lock", "--", "true"}, "\"localhost:0\""},
      {{"--connect", "localhost:1,,", "run", "/lock", "--", "true"}, "\"localhost:1,,\""},
      {{"--connect", "localhost:1/a,localhost:2/a", "run", "/lock", "--", "true"}, "once, behind the last host"},
      {{"--connect", "localhost:1/a/", "run", "/lock", "--", "true"}, "\"localhost:1/a/\""},
  };
  for (const bad_usage& one : cases) {
    running_command refused(zklock(one.line), here());
    EXPECT_EQ(refused.status(), 64) << ::testing::PrintToString(one.line);
    EXPECT_TRUE(refused.errors().starts_with("zklock: ")) << refused.errors();
    EXPECT_TRUE(contains(refused.errors(), one.named)) << refused.errors();
    EXPECT_FALSE(contains(refused.errors(), "\x1b"));
    EXPECT_EQ(refused.output(), "");
  }
  expect_untouched();
}

TEST_F(the_command, exits_with_64_when_the_environment_has_a_bad_server_list) {
  running_command::surroundings around;
  around.environment = {"ZKLOCK_CONNECT=no:sense"};
  running_command refused(holding("true"), around);
  EXPECT_EQ(refused.status(), 64);
  EXPECT_TRUE(contains(refused.errors(), "\"no:sense\"")) << refused.errors();
}

TEST_F(the_command, takes_the_session_timeouts_that_the_library_takes) {
  for (const char* bound : {"100ms", "1h"}) {  // the command names the bounds itself: they have to agree
    running_command taken(zklock({"run", "--session-timeout", bound, "/lock", "--", "true"}), here());
    EXPECT_EQ(taken.status(), 0) << taken.errors();
  }
}

TEST_F(the_command, writes_figures_of_its_lock_to_a_file_while_it_runs_and_at_its_end) {
  const std::string file = new_file();
  const auto content = [&file] {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  };
  for (const char* subcommand : {"run", "elect"}) {
    running_command one(zklock({subcommand, "--metrics", file, "/lock", "--", "test", "-s", file}), here());
    EXPECT_EQ(one.status(), 0) << "it is there before COMMAND is: " << one.errors();
    const std::string text = content();
    EXPECT_TRUE(contains(text, "# TYPE zklock_session_state gauge\n")) << text;
    EXPECT_TRUE(contains(text, "session=\"/lock\"")) << text;
    EXPECT_TRUE(contains(text, "zklock_hold_seconds_count{") && contains(text, "} 1\n")) << text;
    const std::string kind = subcommand == std::string_view("run") ? "mutex" : "election";
    for (const char* none : {"zklock_holds", "zklock_removals_pending"}) {  // the file stays: no alert stands on it
      EXPECT_TRUE(contains(text, none + ("{session=\"/lock\",lock=\"/lock\",kind=\"" + kind + "\"} 0\n"))) << text;
    }
    EXPECT_TRUE(contains(text, "zklock_session_state{session=\"/lock\",state=\"closed\"} 1\n")) << text;
    EXPECT_FALSE(contains(text, "zklock_deadline_left_ratio_min{")) << text;
  }
  for (const char* bad : {"/no/such/folder/f.prom", "/", "/dev/null"}) {
    running_command refused(zklock({"run", "--metrics", bad, "/lock", "--", "true"}), here());
    EXPECT_EQ(refused.status(), 64) << refused.errors();
    EXPECT_TRUE(contains(refused.errors(), "--metrics \"" + std::string(bad) + "\" cannot be written: "))
        << refused.errors();
  }
}

TEST_F(the_command, exits_with_the_status_that_was_named_when_it_is_not_granted_in_time) {
  recursive_mutex lock(open(), "/lock");
  const grant held = lock.acquire();
  for (const char* status : {"0", "9"}) {
    running_command late(zklock({"run", "--timeout", "0", "--exit-status", status, "/lock", "--", "echo", "in"}),
                         here());
    EXPECT_EQ(std::to_string(late.status()), status) << late.errors();
    EXPECT_EQ(late.output(), "");
    EXPECT_EQ(late.errors(),
              status == std::string("0") ? "" : "zklock: /lock: not granted at once; others are first\n");
  }
}

}  // namespace
}  // namespace zklock::test
