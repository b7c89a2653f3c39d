// The guardian of zklock run, and what it and zklock say to each other.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "src/cli/guardian.hpp"
#include "src/cli/guardian_process.hpp"
#include "src/cli/guardian_protocol.hpp"
#include "src/cli/inherited_signals.hpp"

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;

TEST(a_message_socket, brings_what_was_said_by_an_end_that_is_gone_and_has_not_listened) {
  auto [ours, its] = message_socket::pair();
  ASSERT_TRUE(ours.send("unread"));
  ASSERT_TRUE(its.send("first"));
  ASSERT_TRUE(its.send("second"));
  its.close();
  EXPECT_EQ(ours.receive(), "first");
  EXPECT_EQ(ours.receive(), "second");
  EXPECT_TRUE(ours.connected());
  EXPECT_EQ(ours.receive(), std::nullopt);
  EXPECT_FALSE(ours.connected());
}

TEST(a_message_socket, is_connected_while_nothing_is_said) {
  auto [ours, its] = message_socket::pair();
  EXPECT_EQ(ours.receive(), std::nullopt);
  EXPECT_TRUE(ours.connected());
  its.close();
  EXPECT_EQ(ours.receive(), std::nullopt);
  EXPECT_FALSE(ours.connected());
}

/// A guardian within the test's process. It reads its orders only when all have been given: as one that was stopped. Zklock is gone
/// when it has told what has become of COMMAND.
class a_guardian_that_hears_late : public testing::Test {
 protected:
  a_guardian_that_hears_late() {
    auto [ours, its] = message_socket::pair();
    zklock_ = std::move(ours);
    guardians_ = std::move(its);
  }
  ~a_guardian_that_hears_late() override { inherited_.restore(); }

  template <class Order>
  void order(const Order& one) {
    ASSERT_TRUE(zklock_.send(protocol::to_bytes(any_order(one))));
  }
  /// Returns when the guardian has nothing left to guard.
  std::vector<any_report> reports_on(const std::vector<std::string>& command) {
    std::vector<any_report> all;
    std::thread zklock([&] {
      for (bool over = false; !over;) {
        pollfd ready{zklock_.descriptor(), POLLIN, 0};
        over = poll(&ready, 1, 10'000) != 1;
        while (const auto bytes = zklock_.receive()) {
          all.push_back(protocol::from_bytes<any_report>(*bytes).value());
          over = over || std::holds_alternative<report::ended>(all.back()) ||
                 std::holds_alternative<report::too_late>(all.back()) ||
                 std::holds_alternative<report::not_started>(all.back());
        }
      }
      zklock_.close();
    });
    to_end_ = guardian(std::move(guardians_), getppid(), command, inherited_).run();
    zklock.join();
    return all;
  }
  static boot_clock::time_point in(boot_clock::duration time) { return boot_clock::now() + time; }

  const inherited_signals inherited_;
  message_socket zklock_;
  message_socket guardians_;
  std::string to_end_;  ///< of the sessions, what the guardian gives back
};

TEST_F(a_guardian_that_hears_late, starts_the_command_when_there_is_still_time) {
  order(order::start{in(-1s), 1s, false});
  order(order::believe{in(1h)});
  const auto told = reports_on({"sh", "-c", "exit 3"});
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(std::holds_alternative<report::started>(told.front()));
  ASSERT_TRUE(std::holds_alternative<report::ended>(told.back()));
  EXPECT_EQ(std::get<report::ended>(told.back()).how.number, 3);
}

TEST_F(a_guardian_that_hears_late, does_not_start_the_command_after_the_deadline) {
  order(order::start{in(-1ms), 1s, false});
  const auto told = reports_on({"sh", "-c", "exit 3"});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<report::too_late>(told.front()));
}

TEST_F(a_guardian_that_hears_late, does_not_start_the_command_when_the_lock_is_lost) {
  order(order::start{in(1h), 1s, false});
  order(order::end{});
  const auto told = reports_on({"sh", "-c", "exit 3"});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<report::too_late>(told.front()));
}

TEST_F(a_guardian_that_hears_late, does_not_start_the_command_when_zklock_is_gone) {
  order(order::start{in(1h), 1s, false});
  zklock_.close();
  const std::string sign = testing::TempDir() + "zklock-guardian-" + std::to_string(getpid());
  EXPECT_EQ(guardian(std::move(guardians_), getppid(), std::vector<std::string>{"touch", sign}, inherited_).run(), "");
  EXPECT_NE(unlink(sign.c_str()), 0) << "the command has run";
}

TEST_F(a_guardian_that_hears_late, passes_on_the_signals_that_came_between_the_order_and_the_start) {
  order(order::start{in(1h), 1s, false});
  order(order::pass_on{SIGUSR1});
  const auto told = reports_on({"sleep", "60"});
  ASSERT_TRUE(!told.empty() && std::holds_alternative<report::ended>(told.back()));
  const auto how = std::get<report::ended>(told.back()).how;
  EXPECT_TRUE(how.by_signal);
  EXPECT_EQ(how.number, SIGUSR1);
}

TEST_F(a_guardian_that_hears_late, forgets_what_was_ordered_for_a_command_that_has_ended_before) {
  order(order::pass_on{SIGTERM});  // it has come too late for that one
  order(order::end{});
  order(order::start{in(1h), 1s, false});
  const auto told = reports_on({"sh", "-c", "exit 3"});
  ASSERT_TRUE(!told.empty() && std::holds_alternative<report::ended>(told.back()));
  EXPECT_FALSE(std::get<report::ended>(told.back()).how.by_signal);
}

TEST_F(a_guardian_that_hears_late, f212_does_not_end_the_session_of_a_zklock_that_lives) {
  order(order::session{"words"});
  order(order::start{in(1h), 1s, false});
  EXPECT_FALSE(reports_on({"true"}).empty());
  EXPECT_EQ(to_end_, "") << "our parent is no other one than before";
}

/// A guardian in a process of its own, as zklock has it.
class a_guardian_process : public testing::Test {
 protected:
  ~a_guardian_process() override { inherited_.restore(); }

  /// `early`: is to be passed on at once.
  void start(const std::vector<std::string>& command, int early = 0, boot_clock::duration kill_after = 1s) {
    guardian_.emplace(command, inherited_, std::span<char>(), nullptr);
    ASSERT_TRUE(guardian_->send(order::start{boot_clock::now() + 1h, kill_after, false}));
    if (early != 0) {
      pass_on(early);
    }
  }
  void start_again() { ASSERT_TRUE(guardian_->send(order::start{boot_clock::now() + 1h, 1s, false})); }
  void set(const std::string& variable) { ASSERT_TRUE(guardian_->send(order::set{variable})); }
  void pass_on(int signal_number) { ASSERT_TRUE(guardian_->send(order::pass_on{signal_number})); }
  void go_on() { pass_on(SIGCONT); }
  void end() { ASSERT_TRUE(guardian_->send(order::end{})); }
  void release() { guardian_.reset(); }
  /// This process's only child.
  [[nodiscard]] static pid_t its_pid() {
    pid_t child = 0;
    std::ifstream("/proc/self/task/" + std::to_string(getpid()) + "/children") >> child;
    return child;
  }
  /// Whether it has told something that has not been heard.
  [[nodiscard]] bool has_told() {
    pollfd ready{guardian_->descriptor(), POLLIN, 0};
    return poll(&ready, 1, 10'000) == 1 && (ready.revents & POLLIN) != 0;
  }
  template <class Report>
  [[nodiscard]] std::optional<Report> hear() {
    while (!guardian_->gone() && has_told()) {
      const auto told = guardian_->hear();
      if (told &&
          !std::holds_alternative<report::leader_ended>(*told)) {  // that comes if the rest takes its time to end
        const Report* const expected = std::get_if<Report>(&*told);
        return expected != nullptr ? std::optional(*expected) : std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  const inherited_signals inherited_;
  std::optional<guardian_process> guardian_;
};

TEST_F(a_guardian_process, tells_of_a_stop_unless_the_command_was_made_to_go_on_since) {
  start({"sh", "-c", "for i in 1 2 3; do kill -STOP $$; done; exit 3"});
  ASSERT_TRUE(hear<report::started>());
  const auto first = hear<report::stopped>();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->signal_number, SIGSTOP);
  go_on();
  ASSERT_TRUE(hear<report::stopped>()) << "the second";
  go_on();
  ASSERT_TRUE(has_told()) << "of the third";
  go_on();
  const auto end = hear<report::ended>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how.number, 3);
}

TEST_F(a_guardian_process, tells_of_a_stop_that_comes_after_a_sigcont_that_was_there_before_the_command) {
  start({"sh", "-c", "sleep 0.2; kill -STOP $$; exit 3"}, SIGCONT);  // it is sent right behind the start
  ASSERT_TRUE(hear<report::started>());
  ASSERT_TRUE(hear<report::stopped>());
  go_on();
  EXPECT_TRUE(hear<report::ended>());
}

/// It is stopped again and again while zklock, whose work is done, waits for it to end.
TEST_F(a_guardian_process, f177_that_is_stopped_on_its_way_out_is_made_to_go_on) {
  start({"sh", "-c", "trap '' TERM; kill -STOP $$; while :; do sleep 0.01; done"}, 0, 200ms);
  ASSERT_TRUE(hear<report::started>());
  ASSERT_TRUE(hear<report::stopped>()) << "it minds no SIGTERM from here on, and so takes 200 ms to end";
  go_on();
  const pid_t pid = its_pid();
  ASSERT_GT(pid, 0);
  std::jthread stops([pid](const std::stop_token& ended) {
    while (!ended.stop_requested() && ::kill(pid, SIGSTOP) == 0) {
      std::this_thread::sleep_for(10ms);  // in which it gets on
    }
  });
  release();  // returns when it has ended
  stops.request_stop();
}

/// A $PATH in which a program is looked up for a while.
class a_long_path {
 public:
  a_long_path() : former_(getenv("PATH")) {
    std::string much;
    for (int directory = 0; directory < 20'000; ++directory) {
      much += "/no:";
    }
    setenv("PATH", (much + former_).c_str(), 1);
  }
  ~a_long_path() { setenv("PATH", former_.c_str(), 1); }
  a_long_path(const a_long_path&) = delete;
  a_long_path& operator=(const a_long_path&) = delete;

 private:
  const std::string former_;
};

TEST_F(a_guardian_process, f160_tells_of_a_stop_that_comes_before_the_program_runs) {
  {
    const a_long_path slow;
    start({"sh", "-c", "exit 3"}, SIGTSTP);  // sent right behind the fork
  }
  ASSERT_TRUE(hear<report::started>());
  const auto stopped = hear<report::stopped>();
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->signal_number, SIGTSTP);
  go_on();
  const auto end = hear<report::ended>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how.number, 3);
}

TEST_F(a_guardian_process, f160_passes_on_no_stop_to_a_command_that_is_being_ended) {
  start({"sh", "-c", "trap 'sleep 0.3; exit 7' TERM; kill -STOP $$; while :; do sleep 0.02; done"}, 0, 5s);
  ASSERT_TRUE(hear<report::started>());
  ASSERT_TRUE(hear<report::stopped>()) << "by now it has its trap";
  end();
  pass_on(SIGTSTP);
  const auto end = hear<report::ended>();
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->how.by_signal) << "it has lost its time to end";
  EXPECT_EQ(end->how.number, 7);
}

TEST_F(a_guardian_process, f160_makes_a_command_go_on_that_stops_while_it_is_being_ended) {
  start({"sh", "-c", "trap 'kill -STOP $$; exit 7' TERM; kill -STOP $$; while :; do sleep 0.02; done"}, 0, 5s);
  ASSERT_TRUE(hear<report::started>());
  ASSERT_TRUE(hear<report::stopped>());
  end();
  const auto end = hear<report::ended>();
  ASSERT_TRUE(end) << "the stop is not reported: it is none of zklock's any more";
  EXPECT_FALSE(end->how.by_signal) << "it has lost its time to end";
  EXPECT_EQ(end->how.number, 7);
}

TEST_F(a_guardian_process, starts_one_command_after_the_other_each_with_what_was_set_for_it) {
  start({"sh", "-c", "exit ${STATUS:-9}"});
  ASSERT_TRUE(hear<report::started>());
  const auto first = hear<report::ended>();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->how.number, 9);
  EXPECT_TRUE(first->all_gone);
  pass_on(SIGTERM);  // too late
  set("STATUS=4");
  start_again();
  ASSERT_TRUE(hear<report::started>());
  const auto second = hear<report::ended>();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->how.number, 4);
  EXPECT_FALSE(second->how.by_signal);
  start_again();
  ASSERT_TRUE(hear<report::started>());
  const auto third = hear<report::ended>();
  ASSERT_TRUE(third);
  EXPECT_EQ(third->how.number, 9) << "what was set for the one before";
}

TEST_F(a_guardian_process, starts_the_next_command_when_nothing_of_the_one_before_is_left) {
  const std::string sign = testing::TempDir() + "zklock-tree-" + std::to_string(getpid());
  start({"sh", "-c", "s=" + sign + "; [ ! -e $s ] || exit 5; : >$s; setsid sh -c \"sleep 0.3; rm $s\" & exit 3"});
  ASSERT_TRUE(hear<report::started>());
  ASSERT_TRUE(hear<report::left_behind>());
  ASSERT_TRUE(hear<report::ended>());
  EXPECT_NE(access(sign.c_str(), F_OK), 0) << "its child runs on";
  start_again();
  ASSERT_TRUE(hear<report::started>());
  ASSERT_TRUE(hear<report::left_behind>());
  const auto end = hear<report::ended>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how.number, 3);
}

/// A zklock that starts COMMAND under a guardian, and is killed. What the guardian ends is written into a file, with whether anything
/// of COMMAND was left then: all of it keeps another file locked.
class a_killed_zklock : public testing::Test {
 protected:
  ~a_killed_zklock() override {
    unlink(file_.c_str());
    unlink(tree_.c_str());
    inherited_.restore();
  }

  /// Returns when zklock is dead, or stopped. `script` says when it has come so far, by "up".
  void begin(const std::string& script, int signal_number, const std::string& words) {
    ended_in = file_.c_str();
    tree = tree_.c_str();
    zklock_ = fork();
    ASSERT_GE(zklock_, 0);
    if (zklock_ == 0) {
      const std::vector<std::string> command{"sh", "-c", "exec 9>>\"$TREE\"; flock 9; " + script};
      guardian_process guardian(command, inherited_, std::span<char>(), &note_end);
      guardian.send(order::session{"of a session before"});
      guardian.send(order::session{words});
      guardian.send(order::set{"TREE=" + tree_});
      guardian.send(order::start{boot_clock::now() + 1h, 300ms, false});
      while (std::ifstream(tree_).peek() != 'u') usleep(1'000);
      kill(getpid(), signal_number);
      pause();
    }
    int status = 0;
    ASSERT_EQ(waitpid(zklock_, &status, WUNTRACED), zklock_);
  }
  /// What was ended; empty: nothing, in that time.
  [[nodiscard]] std::string ended(boot_clock::duration limit = 10s) const {
    for (const auto until = boot_clock::now() + limit; boot_clock::now() < until; std::this_thread::sleep_for(5ms)) {
      std::ifstream told(file_);
      if (std::string line; std::getline(told, line)) return line;
    }
    return "";
  }

  static constexpr const char* obedient = "echo up >&9; sleep 30";
  /// It has left a process that minds no SIGTERM.
  static constexpr const char* stubborn =
      "setsid sh -c 'trap : TERM; echo up >&9; while :; do sleep 0.01; done' & wait";
  pid_t zklock_ = -1;

 private:
  /// In the guardian.
  static void note_end(const std::string& words) {
    const bool left = flock(open(tree, O_RDWR), LOCK_EX | LOCK_NB) != 0;
    const std::string whole = std::string(ended_in) + ".new";
    std::ofstream(whole) << words << (left ? ", before its tree was empty" : "");
    rename(whole.c_str(), ended_in);
  }

  static const char* ended_in;
  static const char* tree;
  const inherited_signals inherited_;
  const std::string file_ = testing::TempDir() + "zklock-ended-" + std::to_string(getpid());
  const std::string tree_ = file_ + ".tree";
};
const char* a_killed_zklock::ended_in = nullptr;
const char* a_killed_zklock::tree = nullptr;

TEST_F(a_killed_zklock, has_its_latest_session_ended_by_its_guardian) {
  begin(obedient, SIGKILL, "words");
  EXPECT_EQ(ended(), "words");
}

TEST_F(a_killed_zklock, f211_has_its_session_ended_when_nothing_of_its_command_is_left) {
  begin(stubborn, SIGKILL, "words");
  EXPECT_EQ(ended(), "words");
}

TEST_F(a_killed_zklock, has_no_session_ended_that_it_has_said_needs_no_end) {
  begin(obedient, SIGKILL, "");
  EXPECT_EQ(ended(1s), "");
}

TEST_F(a_killed_zklock, f212_that_is_stopped_is_not_dead) {
  begin(obedient, SIGSTOP, "words");
  EXPECT_EQ(ended(500ms), "");
  kill(zklock_, SIGKILL);
  waitpid(zklock_, nullptr, 0);
  EXPECT_EQ(ended(), "words") << "now it is";
}

}  // namespace
}  // namespace zklock::cli
