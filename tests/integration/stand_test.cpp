// zklock elect PATH -- COMMAND: how it stands, leads, is asked to end, and what becomes of the lead when it dies.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <zklock/zklock.hpp>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

/// Longer than a test waits for anything: a session of that timeout that is over was ended by somebody.
constexpr const char* for_ever = "60s";

class a_candidate : public command_on_a_server {
 protected:
  /// zklock elect OPTIONS /lock -- sh -c SCRIPT
  [[nodiscard]] static words standing(words options, const std::string& script) {
    options.insert(options.begin(), "elect");
    for (const char* each : {"/lock", "--", "sh", "-c"}) options.emplace_back(each);
    options.push_back(script);
    return zklock(options);
  }
  [[nodiscard]] static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
    return found;
  }
  /// Minds SIGTERM.
  static constexpr const char* serving =
      "trap 'echo asked; exit 5' TERM; echo up $ZKLOCK_TOKEN; while :; do sleep 0.02; done";
};

TEST_F(a_candidate, runs_its_command_when_it_leads_and_exits_with_its_status) {
  const std::string file = new_file();
  running_command one(standing({"--data", "10.0.0.1:80"}, "while [ ! -e " + file + " ]; do sleep 0.02; done; exit 3"),
                      here());
  session& other = open();
  EXPECT_TRUE(eventually([&] { return leader(other, "/lock").data == "10.0.0.1:80"; }));
  write_file(file);
  EXPECT_EQ(one.status(), 3);
  EXPECT_TRUE(contains(one.errors(), "zklock: stands for /lock\nzklock: leads /lock, token z")) << one.errors();
  EXPECT_TRUE(contenders().empty());
}

TEST_F(a_candidate, tells_its_command_what_run_tells) {
  running_command one(
      standing({}, "echo $ZKLOCK_PATH; echo $ZKLOCK_NODE; echo $ZKLOCK_TOKEN; echo $ZKLOCK_TOKEN_NUMBER"), here());
  EXPECT_EQ(one.status(), 0);
  std::istringstream lines(one.output());
  std::string path, node, token, number;
  EXPECT_TRUE(std::getline(lines, path) && std::getline(lines, node) && std::getline(lines, token) &&
              std::getline(lines, number));
  EXPECT_EQ(path, "/lock");
  EXPECT_TRUE(node.starts_with("/lock/_c_")) << node;
  EXPECT_TRUE(contains(one.errors(), "token " + token)) << one.errors();
  EXPECT_FALSE(number.empty());
}

TEST_F(a_candidate, says_an_outage_once_and_that_a_server_is_in_reach_again) {
  election other(open(), "/lock");
  term leads = other.campaign();
  proxy& way = new_proxy();
  words line = standing({}, "echo up");
  line.insert(line.begin() + 1, {"--connect", way.address() + root_});
  running_command one(line, here());
  EXPECT_TRUE(eventually([&] { return contenders().size() == 2; }));
  way.set_mode(proxy_mode::cut);
  ASSERT_TRUE(eventually([&] { return contains(one.errors(), "zklock: no server is in reach ("); })) << one.errors();
  EXPECT_TRUE(eventually([&, before = way.accepted()] { return way.accepted() >= before + 3; }));
  way.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] { return contains(one.errors(), "zklock: a server is in reach again\n"); }));
  EXPECT_EQ(count(one.errors(), "no server is in reach"), 1U) << one.errors();
  leads.resign();
  EXPECT_EQ(one.status(), 0) << one.errors();
}

TEST_F(a_candidate, waits_for_its_turn_and_a_signal_ends_that_as_it_ends_a_program) {
  election other(open(), "/lock");
  const term leads = other.campaign();
  running_command one(standing({}, "echo up"), here());
  EXPECT_TRUE(eventually([&] { return contenders().size() == 2; }));
  one.send(SIGTERM);
  EXPECT_EQ(one.status(), 128 + SIGTERM);
  EXPECT_EQ(one.output(), "");
  EXPECT_EQ(contenders().size(), 1U);
}

TEST_F(a_candidate, asked_to_end_ends_its_command_first_also_with_again) {
  for (const words& options : {words{}, words{"--again"}}) {
    running_command one(standing(options, serving), here());
    ASSERT_TRUE(says(one, "up"));
    one.send(SIGTERM);
    EXPECT_EQ(one.status(), 5) << one.errors();
    EXPECT_TRUE(contains(one.output(), "asked\n"));
    EXPECT_TRUE(contenders().empty());
  }
}

TEST_F(a_candidate, stands_again_in_the_same_process_when_its_lead_is_lost) {
  running_command one(standing({}, serving), here());
  ASSERT_TRUE(says(one, "up"));
  ASSERT_TRUE(server_.remove(full("/lock/" + contenders().front())));
  EXPECT_TRUE(eventually([&] { return count(one.output(), "up ") == 2; })) << one.errors();
  EXPECT_TRUE(contains(one.errors(), "lost the lead of /lock (node removed): sending SIGTERM to the command"))
      << one.errors();
  EXPECT_TRUE(contains(one.errors(), "zklock: stands again for /lock\n")) << one.errors();
  EXPECT_TRUE(contains(one.output(), "asked\n"));
  one.send(SIGTERM);
  EXPECT_EQ(one.status(), 5);
}

TEST_F(a_candidate, f213_does_not_stand_again_while_something_of_its_command_is_left) {
  // All of it keeps a file locked, so that the next one sees whether something is left.
  const std::string tree = new_file();
  running_command one(standing({"--kill-after", "3s"},
                               "exec 9>>" + tree +
                                   "; flock -n 9 || echo beside; echo up; setsid sh -c 'trap \"\" TERM; echo child; "
                                   "while :; do sleep 0.02; done' & wait"),
                      here());
  ASSERT_TRUE(says(one, "child"));
  const std::vector<std::string> first = contenders();
  ASSERT_EQ(first.size(), 1U);
  ASSERT_TRUE(server_.remove(full("/lock/" + first.front())));
  EXPECT_TRUE(eventually([&] { return count(one.output(), "up") == 2; })) << one.errors();
  EXPECT_EQ(count(one.output(), "beside"), 0U);
  EXPECT_TRUE(contains(one.errors(), "stands again for /lock") ||  // on a machine that is too busy for the guardian:
              contains(one.errors(), "begins anew"))
      << one.errors();
  one.send(SIGKILL);
  EXPECT_TRUE(nothing_runs_under_the_lock());
  EXPECT_TRUE(eventually([&] { return contenders().empty(); }));
}

TEST_F(a_candidate, stands_through_an_outage_of_three_session_timeouts) {
  proxy& way = new_proxy();
  running_command one(zklock({"--connect", way.address() + root_, "elect", "--session-timeout", "1s", "/lock", "--",
                              "sh", "-c", serving}),
                      here());
  ASSERT_TRUE(says(one, "up"));
  way.set_mode(proxy_mode::hold);
  EXPECT_TRUE(says(one, "asked")) << "its lead is over";
  EXPECT_TRUE(eventually([&] { return contenders().empty(); })) << "its session is over";
  std::this_thread::sleep_for(2s);
  EXPECT_FALSE(one.has_ended()) << one.errors();
  way.cut_now();
  way.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] { return count(one.output(), "up ") == 2; })) << one.errors();
  one.send(SIGTERM);
  EXPECT_EQ(one.status(), 5);
}

TEST_F(a_candidate, with_again_stands_behind_the_others_when_its_command_has_ended) {
  election other(open(), "/lock");
  running_command one(standing({"--again"}, "echo up; exit 7"), here());
  ASSERT_TRUE(says(one, "up\n"));
  EXPECT_TRUE(eventually([&] {
    return contains(one.errors(), "zklock: the command has ended with status 7; stands again for /lock\n");
  })) << one.errors();
  term leads = other.campaign();
  const std::size_t so_far = count(one.output(), "up");
  EXPECT_TRUE(eventually([&] { return contenders().size() == 2; }));
  EXPECT_EQ(count(one.output(), "up"), so_far);
  leads.resign();
  EXPECT_TRUE(eventually([&] { return count(one.output(), "up") > so_far; }));
  one.send(SIGTERM);
  EXPECT_NE(one.status(), 0);
}

TEST_F(a_candidate, whose_command_cannot_be_started_exits_also_with_again) {
  running_command missing(zklock({"elect", "--again", "/lock", "--", "no-such-program"}), here());
  EXPECT_EQ(missing.status(), 127);
  running_command not_one(zklock({"elect", "--again", "/lock", "--", "/etc/passwd"}), here());
  EXPECT_EQ(not_one.status(), 126);
  EXPECT_TRUE(contenders().empty());
}

TEST_F(a_candidate, whose_command_leads_for_too_long_is_ended_with_79) {
  running_command one(standing({"--max-hold", "2s"}, serving), here());
  EXPECT_EQ(one.status(), 79);
  EXPECT_TRUE(contains(one.errors(), "lost the lead of /lock (held too long): sending SIGTERM to the command"))
      << one.errors();
  EXPECT_TRUE(contains(one.output(), "asked\n"));
  EXPECT_TRUE(contenders().empty());
  running_command again(standing({"--max-hold", "300ms", "--again"}, serving), here());
  EXPECT_TRUE(eventually([&] { return count(again.output(), "up ") == 3; })) << again.errors();
  again.send(SIGTERM);
  EXPECT_TRUE(again.status() == 5 || again.status() == 79 || again.status() == 128 + SIGTERM) << again.errors();
}

TEST_F(a_candidate, stands_beside_leader_latches_when_that_is_wanted) {
  election other(open(), "/lock", {.names = election_names::latch});
  term leads = other.campaign();
  running_command one(standing({"--latch"}, "echo up"), here());
  EXPECT_TRUE(eventually([&] { return contenders().size() == 2; }));
  running_command selector(standing({}, "echo up"), here());
  EXPECT_EQ(selector.status(), 69);
  EXPECT_TRUE(contains(selector.errors(), "/lock")) << selector.errors();
  EXPECT_EQ(one.output(), "");
  leads.resign();
  EXPECT_EQ(one.status(), 0);
}

TEST_F(a_candidate, says_at_its_start_that_no_server_is_in_reach) {
  running_command nowhere(zklock({"--connect", "127.0.0.1:1", "elect", "/lock", "--", "true"}), here());
  EXPECT_EQ(nowhere.status(), 69);
  EXPECT_TRUE(contains(nowhere.errors(), "127.0.0.1:1: Connection refused")) << nowhere.errors();
  running_command relative(zklock({"elect", "lock", "--", "true"}), here());
  EXPECT_EQ(relative.status(), 64);
  EXPECT_TRUE(contains(relative.errors(), "\"lock\"")) << relative.errors();
}

TEST_F(a_candidate, whose_guardian_was_killed_ends_its_command_and_stands_anew_in_its_process) {
  running_command one(standing({}, serving), here());
  ASSERT_TRUE(says(one, "up"));
  ASSERT_TRUE(send_to_guardian(SIGKILL));
  EXPECT_TRUE(eventually([&] { return count(one.output(), "up ") == 2; })) << one.errors();
  EXPECT_TRUE(contains(one.errors(), "the guardian was killed: ending the command")) << one.errors();
  EXPECT_TRUE(contains(one.errors(), "begins anew")) << one.errors();
  EXPECT_TRUE(find_guardian()) << "another one";
  one.send(SIGTERM);
  EXPECT_EQ(one.status(), 5) << one.errors();
  EXPECT_TRUE(contenders().empty());
}

TEST_F(a_candidate, that_stands_anew_has_its_name_and_its_command_finds_its_signals_as_the_first_one) {
  running_command one(zklock({"elect", "/lock", "--", "sleep", "600"}),
                      here());  // a shell would see to its signals itself
  const auto command = [this](const std::vector<pid_t>& but) -> pid_t {
    pid_t found = 0;
    EXPECT_TRUE(eventually([&] {
      const auto all = under_the_lock();
      found = all.size() == 1 && std::ranges::find(but, all.front()) == but.end() ? all.front() : 0;
      return found != 0 && name_of_process(found) == "sleep";
    }));
    return found;
  };
  const pid_t first = command({});
  const std::string found_by_first = blocked_by_process(first), name = name_of_process(one.pid());
  EXPECT_NE(found_by_first, "gone");
  ASSERT_TRUE(send_to_guardian(SIGKILL));
  const pid_t second = command({first});
  EXPECT_EQ(blocked_by_process(second), found_by_first);
  EXPECT_EQ(name_of_process(one.pid()), name);
  one.send(SIGTERM);
  EXPECT_EQ(one.status(), 128 + SIGTERM) << one.errors();
}

TEST_F(a_candidate, whose_command_has_ended_does_not_run_it_again_for_a_killed_guardian) {
  running_command one(standing({"--kill-after", "300ms"}, "echo up; sleep 600 & exit 7"), here());
  ASSERT_TRUE(eventually([&] { return contains(one.errors(), "the lock is held until then"); })) << one.errors();
  ASSERT_TRUE(send_to_guardian(SIGKILL));
  EXPECT_EQ(one.status(), 70) << "what it has started was ended; " << one.errors();
  EXPECT_EQ(count(one.output(), "up"), 1U);
  EXPECT_TRUE(nothing_runs_under_the_lock());
}

TEST_F(a_candidate, whose_command_has_ended_unheard_of_does_not_run_it_again_for_a_killed_guardian) {
  const std::string file = new_file();
  running_command one(standing({}, "echo up; while [ ! -e " + file + " ]; do sleep 0.02; done; exit 3"), here());
  ASSERT_TRUE(says(one, "up"));
  const pid_t its_guardian = guardian(), command = under_the_lock().at(0);
  one.send(SIGSTOP);
  ::kill(its_guardian, SIGSTOP);
  write_file(file);
  ASSERT_TRUE(eventually([command] { return state_of_process(command) == 'Z'; }));
  ::kill(its_guardian, SIGKILL);
  one.send(SIGCONT);
  EXPECT_EQ(one.status(), 3) << one.errors();
  EXPECT_EQ(count(one.output(), "up"), 1U);
}

TEST_F(a_candidate, that_stands_again_without_a_guardian_has_another_one_before_it_leads) {
  election other(open(), "/lock");
  running_command one(standing({"--again", "--kill-after", "300ms"}, "echo up; sleep 600 & exit 0"), here());
  ASSERT_TRUE(eventually([&] { return contains(one.errors(), "the lock is held until then"); })) << one.errors();
  auto leads = in_a_thread([&] { return other.campaign(); });
  ASSERT_TRUE(eventually([&] { return contenders().size() == 2; }));
  ASSERT_TRUE(send_to_guardian(SIGKILL));
  const term now = leads.get();
  EXPECT_TRUE(eventually([&] { return contains(one.errors(), "begins anew") && find_guardian().has_value(); }))
      << one.errors();
  EXPECT_EQ(count(one.output(), "up"), 1U);
  one.send(SIGTERM);
  EXPECT_EQ(one.status(), 128 + SIGTERM) << one.errors();
}

/// Its child, that has not become COMMAND yet, ends as well: nobody shall take that for COMMAND's end.
TEST_F(a_candidate, and_a_run_whose_guardian_is_killed_at_the_start_never_say_that_all_is_well) {
  for (int i = 0; i < 20; ++i) {
    running_command one(zklock({"run", "/lock", "--", "/no/such/program"}), here());
    if (const auto found = find_guardian()) {
      for (int wait = 0; wait < 200 && children_of_process(*found).empty() && !one.has_ended(); ++wait) {}
      ::kill(*found, SIGKILL);
    }
    EXPECT_NE(one.status(), 0) << one.errors();
  }
}

TEST_F(a_candidate, whose_guardian_is_killed_in_an_outage_stands_anew_behind_it) {
  proxy& way = new_proxy();
  election other(open(), "/lock");
  term leads = other.campaign();
  running_command one(zklock({"--connect", way.address() + root_, "elect", "--session-timeout", "2s", "/lock", "--",
                              "sh", "-c", serving}),
                      here());
  ASSERT_TRUE(eventually([&] { return contenders().size() == 2; }));
  way.set_mode(proxy_mode::cut);
  ASSERT_TRUE(send_to_guardian(SIGKILL));
  ASSERT_TRUE(eventually([&] { return contains(one.errors(), "begins anew"); })) << one.errors();
  // A first connection is given up after a second; T/60 is between two attempts.
  const std::size_t attempts = way.accepted();
  EXPECT_TRUE(eventually([&] { return way.accepted() >= attempts + 60 || one.has_ended(); }));
  EXPECT_FALSE(one.has_ended()) << one.errors();
  way.set_mode(proxy_mode::pass);
  leads.resign();
  EXPECT_TRUE(says(one, "up")) << one.errors();
  one.send(SIGTERM);
  EXPECT_EQ(one.status(), 5) << one.errors();
}

TEST_F(a_candidate, whose_terminal_goes_while_a_killed_guardians_command_is_ended_goes_with_it) {
  running_command::surroundings around = here();
  around.with_terminal = true;
  running_command one(standing({"--kill-after", "1s"}, "trap '' TERM HUP; echo up; while :; do sleep 0.02; done"),
                      around);
  ASSERT_TRUE(says(one, "up"));
  ASSERT_TRUE(send_to_guardian(SIGKILL));
  ASSERT_TRUE(eventually([&] { return contains(one.errors(), "the guardian was killed"); })) << one.errors();
  one.send(SIGHUP);
  const int status = one.status();  // of COMMAND, or on a slow machine of the wait behind it
  EXPECT_TRUE(status == 128 + SIGKILL || status == 128 + SIGHUP) << status << one.errors();
  EXPECT_EQ(count(one.output(), "up"), 1U);
}

TEST_F(a_candidate, whose_guardian_is_killed_while_it_waits_stands_anew_at_once) {
  election other(open(), "/lock");
  term leads = other.campaign();
  running_command one(standing({}, serving), here());
  ASSERT_TRUE(eventually([&] { return contenders().size() == 2; }));
  ASSERT_TRUE(send_to_guardian(SIGKILL));
  EXPECT_TRUE(eventually([&] { return count(one.errors(), "stands for /lock\n") == 2; })) << one.errors();
  EXPECT_TRUE(find_guardian());
  leads.resign();
  EXPECT_TRUE(says(one, "up")) << one.errors();
  EXPECT_EQ(count(one.output(), "up "), 1U);
  one.send(SIGTERM);
  EXPECT_EQ(one.status(), 5) << one.errors();
}

TEST_F(a_candidate, that_stands_anew_is_not_ended_by_the_signals_that_are_for_its_command) {
  election other(open(), "/lock");
  term leads = other.campaign();
  running_command one(standing({}, serving), here());
  ASSERT_TRUE(eventually([&] { return contenders().size() == 2; }));
  ASSERT_TRUE(send_to_guardian(SIGKILL));
  EXPECT_TRUE(eventually([&] {
    for (const int number : {SIGUSR1, SIGUSR2, SIGHUP}) one.send(number);
    return count(one.errors(), "stands for /lock\n") == 2;
  })) << one.errors();
  leads.resign();
  EXPECT_TRUE(says(one, "up")) << one.errors();
  one.send(SIGTERM);
  EXPECT_EQ(one.status(), 5) << one.errors();
}

TEST_F(a_candidate, f215_that_is_stopped_with_its_guardian_while_its_command_is_ended_goes_on) {
  running_command one(standing({"--max-hold", "500ms", "--kill-after", "500ms", "--again"},
                               "trap '' TERM; echo up; while :; do sleep 0.02; done"),
                      here());
  ASSERT_TRUE(eventually([&] { return contains(one.errors(), "held too long"); }));
  const pid_t its_guardian = guardian();
  one.send(SIGSTOP);
  ::kill(its_guardian, SIGSTOP);
  std::this_thread::sleep_for(1s);
  ::kill(its_guardian, SIGCONT);
  one.send(SIGCONT);
  EXPECT_TRUE(eventually([&] { return count(one.output(), "up") >= 2; })) << one.errors();
  EXPECT_FALSE(one.has_ended()) << one.errors();
  one.send(SIGKILL);
  EXPECT_TRUE(nothing_runs_under_the_lock());
}

/// zklock of run, or of elect.
class a_killed : public a_candidate, public ::testing::WithParamInterface<const char*> {
 protected:
  /// With a session that nobody sees expire.
  [[nodiscard]] words of(const std::string& script, const std::string& connect = "", const words& more = {}) const {
    words all;
    if (!connect.empty()) all = {"--connect", connect};
    for (const char* each : {GetParam(), "--session-timeout", for_ever}) all.emplace_back(each);
    all.insert(all.end(), more.begin(), more.end());
    for (const char* each : {"/lock", "--", "sh", "-c"}) all.emplace_back(each);
    all.push_back(script);
    return zklock(all);
  }
};
INSTANTIATE_TEST_SUITE_P(zklock, a_killed, ::testing::Values("run", "elect"),
                         [](const auto& of) { return std::string(of.param); });

TEST_P(a_killed, zklock_has_its_session_ended_when_nothing_of_its_command_is_left) {
  running_command one(of(serving), here());
  ASSERT_TRUE(says(one, "up"));
  running_command next(of("echo next"), here());
  ASSERT_TRUE(eventually([&] { return contenders().size() == 2; }));
  one.send(SIGKILL);
  EXPECT_EQ(next.status(), 0) << "long before the session could expire";
  EXPECT_EQ(next.output(), "next\n");
  EXPECT_TRUE(nothing_runs_under_the_lock());
  EXPECT_TRUE(contenders().empty());
  EXPECT_TRUE(contains(one.output(), "asked\n"));
}

TEST_P(a_killed, f211_zklock_keeps_its_session_while_something_of_its_command_is_left) {
  running_command one(
      of("setsid sh -c 'trap \"\" TERM; echo up; while :; do sleep 0.02; done' & wait", "", {"--kill-after", "1s"}),
      here());
  ASSERT_TRUE(says(one, "up"));
  one.send(SIGKILL);
  bool gone_too_soon = false;
  EXPECT_TRUE(eventually([&] {
    const bool gone = contenders().empty();
    gone_too_soon = gone_too_soon || (gone && !under_the_lock().empty());
    return gone;
  }));
  EXPECT_FALSE(gone_too_soon);
  EXPECT_TRUE(under_the_lock().empty());
}

TEST_P(a_killed, zklock_that_waits_leaves_the_queue) {
  election other(open(), "/lock");
  const term leads = other.campaign();
  for (int i = 0; i < 8; ++i) {  // as soon as it stands there: its guardian knows its session
    running_command one(of("echo up"), here());
    ASSERT_TRUE(eventually([&] { return contenders().size() == 2; }));
    one.send(SIGKILL);
    EXPECT_TRUE(eventually([&] { return contenders().size() == 1; })) << one.errors();
  }
}

TEST_P(a_killed, zklock_has_its_session_ended_by_a_guardian_that_was_sent_signals) {
  running_command one(of(serving), here());
  ASSERT_TRUE(says(one, "up"));
  for (const int number : {SIGTERM, SIGHUP, SIGUSR1}) ASSERT_TRUE(send_to_guardian(number));
  one.send(SIGKILL);
  EXPECT_TRUE(eventually([&] { return contenders().empty(); })) << "long before the session could expire";
}

TEST_P(a_killed, zklock_asked_to_end_ends_what_its_command_has_left_behind_stopped) {
  running_command one(of("setsid sleep 60 & sleep 0.05"), here());
  pid_t left = 0;
  ASSERT_TRUE(eventually([&] {
    const auto all = under_the_lock();
    left = all.size() == 1 && name_of_process(all.front()) == "sleep" ? all.front() : 0;
    return left != 0 && contains(one.errors(), "the lock is held until then");
  }));
  ::kill(left, SIGSTOP);
  one.send(SIGTERM);
  EXPECT_EQ(one.status(), 0) << one.errors();
  EXPECT_TRUE(contenders().empty());
}

/// zklock of run, or of elect, whose stderr takes nothing.
class a_mute : public a_killed {
 protected:
  a_mute() { around_.errors = pipe_.end_to_write(); }
  void SetUp() override {
    a_killed::SetUp();
    const running_command::surroundings here_now = here();
    around_.environment = here_now.environment;
  }
  full_pipe pipe_;
  running_command::surroundings around_;
};
INSTANTIATE_TEST_SUITE_P(zklock, a_mute, ::testing::Values("run", "elect"),
                         [](const auto& of) { return std::string(of.param); });

// It acts before it says so, and what it says waits for nothing but its own thread.
TEST_P(a_mute, f216_zklock_that_is_killed_has_its_command_and_its_session_ended) {
  running_command one(of("trap '' TERM; echo up; while :; do sleep 0.02; done", "", {"--kill-after", "300ms"}),
                      around_);
  ASSERT_TRUE(says(one, "up"));
  running_command next(of("echo next"), here());
  ASSERT_TRUE(eventually([&] { return contenders().size() == 2; }));
  one.send(SIGKILL);
  EXPECT_TRUE(says(next, "next"));
  EXPECT_EQ(next.status(), 0);
  EXPECT_TRUE(nothing_runs_under_the_lock());
}

TEST_P(a_mute, f216_zklock_that_is_stopped_has_its_command_ended) {
  running_command one(zklock({GetParam(), "--session-timeout", "2s", "--kill-after", "300ms", "/lock", "--", "sh", "-c",
                              "trap '' TERM; echo up; while :; do sleep 0.02; done"}),
                      around_);
  ASSERT_TRUE(says(one, "up"));
  one.send(SIGSTOP);
  EXPECT_TRUE(nothing_runs_under_the_lock());
  std::string said;
  EXPECT_TRUE(eventually([&] { return contains(said = pipe_.read_on(), "stopped beyond the lock's deadline"); }))
      << said;
}

TEST_P(a_mute, f216_zklock_ends_its_command_when_the_lock_is_lost) {
  running_command one(of("exec 2>&-; " + std::string(serving)), around_);  // a shell says on stderr what was killed
  ASSERT_TRUE(says(one, "up"));
  ASSERT_TRUE(server_.remove(full("/lock/" + contenders().front())));
  EXPECT_TRUE(says(one, "asked"));
  std::string said;
  EXPECT_TRUE(eventually([&] { return contains(said = pipe_.read_on(), "(node removed): sending SIGTERM"); })) << said;
  EXPECT_TRUE(eventually([&] {
    said = pipe_.read_on();  // to its end it waits for whoever reads
    return GetParam() == std::string("elect") ? contains(said, "stands again for /lock") : one.has_ended();
  })) << said;
}

TEST_P(a_mute, zklock_that_waits_for_its_stderr_at_its_end_hears_a_signal) {
  running_command one(of("echo up"), around_);
  ASSERT_TRUE(says(one, "up"));
  if (GetParam() == std::string("run")) {  // it has nothing to say
    EXPECT_EQ(one.status(), 0);
    return;
  }
  EXPECT_TRUE(eventually([&] { return contenders().empty(); }));
  EXPECT_FALSE(one.has_ended());
  one.send(SIGTERM);
  EXPECT_EQ(one.status(), 0);
}

TEST_F(a_candidate, that_stands_is_not_ended_by_what_is_meant_for_a_command) {
  election other(open(), "/lock");
  term leads = other.campaign();
  running_command one(standing({}, "trap 'echo heard' HUP; echo up; while :; do sleep 0.02; done"), here());
  ASSERT_TRUE(eventually([&] { return contenders().size() == 2; }));
  for (const int number : {SIGHUP, SIGUSR1, SIGUSR2}) one.send(number);
  leads.resign();
  ASSERT_TRUE(says(one, "up")) << one.errors();
  EXPECT_FALSE(contains(one.output(), "heard"));
  one.send(SIGHUP);
  EXPECT_TRUE(says(one, "heard"));
  one.send(SIGTERM);
  EXPECT_EQ(one.status(), 128 + SIGTERM);
}

TEST_F(a_candidate, at_a_terminal_that_goes_is_ended) {
  election other(open(), "/lock");
  const term leads = other.campaign();
  running_command::surroundings around = here();
  around.with_terminal = true;
  running_command one(standing({}, "echo up"), around);
  ASSERT_TRUE(eventually([&] { return contenders().size() == 2; }));
  one.send(SIGHUP);
  EXPECT_EQ(one.status(), 128 + SIGHUP);
}

TEST_P(a_killed, zklock_asked_to_end_ends_a_command_that_has_stopped_itself) {
  running_command one(of("echo up; kill -STOP $$; echo went on"), here());
  ASSERT_TRUE(says(one, "up"));
  EXPECT_TRUE(eventually([this] {
    const auto all = under_the_lock();
    return all.size() == 1 && state_of_process(all.front()) == 'T';
  }));
  one.send(SIGTERM);
  EXPECT_EQ(one.status(), 128 + SIGTERM) << one.errors();
  EXPECT_TRUE(contenders().empty());
}

TEST_F(a_candidate, that_is_killed_has_its_session_ended_at_whichever_server_answers) {
  proxy& silent = new_proxy();
  const std::string both = silent.address() + ",127.0.0.1:" + std::to_string(port_) + root_;
  for (int i = 0; i < 2; ++i) {  // the C client takes them in an order of its own
    running_command one(zklock({"--connect", both, "elect", "--session-timeout", for_ever, "/lock", "--", "sh", "-c",
                                "echo up; sleep 60"}),
                        here());
    ASSERT_TRUE(says(one, "up")) << one.errors();
    silent.set_mode(proxy_mode::hold);
    one.send(SIGKILL);
    EXPECT_TRUE(eventually([&] { return contenders().empty(); }));
    silent.cut_now();
    silent.set_mode(proxy_mode::pass);
  }
  EXPECT_TRUE(nothing_runs_under_the_lock());
}

TEST_P(a_killed, zklock_that_no_server_hears_is_said_once_to_have_left_its_session) {
  proxy& way = new_proxy();
  running_command one(zklock({"--connect", way.address() + root_, GetParam(), "--session-timeout", "1s", "/lock", "--",
                              "sh", "-c", serving}),
                      here());
  ASSERT_TRUE(says(one, "up"));
  way.set_mode(proxy_mode::refuse);
  way.set_mode(proxy_mode::cut);
  one.send(SIGKILL);
  EXPECT_TRUE(eventually([&] { return contains(one.errors(), "its session could not be ended"); })) << one.errors();
  EXPECT_TRUE(eventually([&] { return !find_guardian(); }));
  EXPECT_EQ(count(one.errors(), "could not be ended"), 1U) << one.errors();
  EXPECT_TRUE(contains(one.errors(), way.address())) << one.errors();
}

TEST_P(a_killed, f212_zklock_is_none_that_is_stopped) {
  // Three quarters of the margin, 125 ms, are too short for a shell to say something on a busy machine.
  running_command one(
      zklock({GetParam(), "--session-timeout", "2s", "--kill-after", "5s", "/lock", "--", "sh", "-c", serving}),
      here());
  ASSERT_TRUE(says(one, "up"));
  const auto session = server_.look(full("/lock/" + contenders().front()))->ephemeral_owner;
  one.send(SIGSTOP);
  EXPECT_TRUE(says(one, "asked"));
  EXPECT_TRUE(nothing_runs_under_the_lock());
  EXPECT_TRUE(find_guardian()) << "it waits for what zklock says next";
  EXPECT_NE(session, 0);
  one.send(SIGCONT);
  if (GetParam() == std::string("run")) {
    EXPECT_EQ(one.status(), 79);
    return;
  }
  EXPECT_TRUE(eventually([&] { return count(one.output(), "up ") == 2; })) << one.errors();
  one.send(SIGTERM);
  EXPECT_EQ(one.status(), 5);
}

TEST_P(a_killed, zklock_has_given_no_secret_away) {
  const std::string secrets = new_file();
  std::ofstream(secrets) << "somebody:his-password\n";
  chmod(secrets.c_str(), 0600);
  running_command one(of("echo up; sleep 60", "", {"--auth-file", secrets}), here());
  ASSERT_TRUE(says(one, "up"));
  const pid_t its_guardian = guardian();
  one.send(SIGKILL);
  EXPECT_TRUE(eventually([&] { return contenders().empty(); }));
  for (const char* what : {"cmdline", "environ"}) {
    std::ifstream told("/proc/" + std::to_string(its_guardian) + "/" + what, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(told), {}};
    EXPECT_FALSE(contains(text, "his-password")) << what;
  }
  EXPECT_FALSE(contains(one.errors(), "his-password"));
}

}  // namespace
}  // namespace zklock::test
