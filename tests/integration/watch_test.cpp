// zklock watch: what it shows on a terminal and in lines, what it asks for, and how it ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

using json = nlohmann::json;
using client::create_mode;

/// What is asked about a lock through a proxy.
struct asked_about_a_lock {
  std::atomic<std::size_t> lists = 0;
  std::atomic<std::size_t> others = 0;

  void note(const request_frame& asked, const std::string& below) {
    if (asked.path.starts_with(below)) {
      ++(asked.opcode == opcode::get_children || asked.opcode == opcode::get_children2 ? lists : others);
    }
  }
  [[nodiscard]] std::size_t all() const { return lists + others; }
};

class watching : public command_on_a_server {
 protected:
  [[nodiscard]] std::string queue_node(int number) const {
    char digits[16];
    std::snprintf(digits, sizeof digits, "%010d", number);
    return full(std::string("/lock/0fd3a1b87e5c4429a6d0c2f81b93e7a1-lock-") + digits);
  }
  /// Nodes of clients that are not there, with these numbers.
  void put_queue(int first, int last) {
    if (!server_.look(full("/lock"))) {
      (void)server_.create(full("/lock"));
    }
    change_queue(first, last, [this](int number) {
      return client::request::create{queue_node(number),
                                     "mode=write\nhost=h" + std::to_string(number) + "\n",
                                     create_mode::persistent,
                                     {client::acl_entry{}}};
    });
  }
  void take_queue(int first, int last) {
    change_queue(first, last, [this](int number) { return client::request::remove{queue_node(number), -1}; });
  }
  template <class Change>
  void change_queue(int first, int last, Change&& change) {
    for (constexpr int at_once = 500; first <= last; first += at_once) {
      client::request::multi some;
      for (int number = first; number <= std::min(last, first + at_once - 1); ++number) {
        some.operations.emplace_back(change(number));
      }
      ASSERT_EQ(server_.ask(std::move(some)).code, client::code::ok);
    }
  }
  static std::vector<json> objects_of(const running_command& one) {
    std::vector<json> all;
    const std::string text = one.output();
    std::istringstream lines(text.substr(0, text.rfind('\n') + 1));
    for (std::string line; std::getline(lines, line);) {
      all.push_back(json::parse(line));
    }
    return all;
  }
};

TEST_F(watching, without_a_terminal_prints_a_line_for_each_change) {
  running_command lines(zklock({"watch", "/lock"}), here());
  ASSERT_TRUE(says(lines, "Z no client holds it, no client waits; 0 grants in the last minute\n")) << lines.errors();
  running_command holder(zklock({"run", "--label", "the first", "/lock", "--", "sh", "-c", "echo in; exec sleep 60"}),
                         here());
  ASSERT_TRUE(says(holder, "in"));
  EXPECT_TRUE(says(lines, "Z 1 holds it, no client waits; 1 grant in the last minute; first: \"the first\" (host "))
      << lines.output();
  EXPECT_TRUE(says(lines, ", node /lock/" + contenders().front() + "\n")) << lines.output();
  running_command waiter(zklock({"run", "--label", "the second", "/lock", "--", "sh", "-c", "exec sleep 60"}), here());
  EXPECT_TRUE(says(lines, "Z 1 holds it, 1 waits; 1 grant in the last minute; first: \"the first\" (host "));
  holder.send(SIGTERM);
  EXPECT_TRUE(says(lines, "Z 1 holds it, no client waits; 2 grants in the last minute; first: \"the second\" (host "))
      << lines.output();
  waiter.send(SIGTERM);
  EXPECT_TRUE(says(lines, "Z no client holds it, no client waits; 2 grants in the last minute\n")) << lines.output();
  lines.send(SIGINT);
  EXPECT_EQ(lines.status(), 128 + SIGINT);
  EXPECT_EQ(lines.errors(), "");
}

TEST_F(watching, prints_an_object_a_line_with_json) {
  put_queue(1, 5);
  running_command lines(zklock({"watch", "--json", "/lock"}), here());
  ASSERT_TRUE(says(lines, "\n")) << lines.errors();
  running_command listed(zklock({"ls", "--json", "/lock"}), here());
  EXPECT_EQ(listed.status(), 0);
  json first_three = json::parse(listed.output());
  first_three.erase(3);
  first_three.erase(3);
  const json begin = objects_of(lines).at(0);
  EXPECT_EQ(begin["path"], "/lock");
  EXPECT_EQ(begin["in_reach"], true);
  EXPECT_EQ(begin["holders"], 1);
  EXPECT_EQ(begin["waiters"], 4);
  EXPECT_EQ(begin["grants_in_the_last_minute"], 0);
  EXPECT_EQ(begin["first"], first_three) << "as ls has them";
  take_queue(1, 2);
  ASSERT_TRUE(eventually([&] { return objects_of(lines).size() == 2; })) << lines.output();
  const json then = objects_of(lines).at(1);
  EXPECT_EQ(then["waiters"], 2);
  EXPECT_EQ(then["grants_in_the_last_minute"], 2) << "one of them between two lists";
  EXPECT_EQ(then["first"][0]["host"], "h3");
  lines.send(SIGTERM);
  EXPECT_EQ(lines.status(), 128 + SIGTERM);
}

TEST_F(watching, says_when_no_server_is_in_reach_and_when_one_is_again) {
  put_queue(1, 2);
  proxy& way = new_proxy();
  running_command lines(zklock({"--connect", way.address() + root_, "watch", "/lock"}), here());
  running_command objects(zklock({"--connect", way.address() + root_, "watch", "--json", "/lock"}), here());
  ASSERT_TRUE(says(lines, "1 holds it, 1 waits")) << lines.errors();
  ASSERT_TRUE(says(objects, "\n")) << objects.errors();
  way.set_mode(proxy_mode::cut);
  ASSERT_TRUE(says(lines, "Z no server in reach\n")) << lines.output();
  ASSERT_TRUE(says(objects, "\"in_reach\":false")) << objects.output();
  take_queue(1, 1);
  way.set_mode(proxy_mode::pass);
  EXPECT_TRUE(says(lines, "Z a server is in reach again\n")) << lines.output();
  EXPECT_TRUE(says(lines, "Z 1 holds it, no client waits; 0 grants in the last minute")) << lines.output();
  ASSERT_TRUE(eventually([&] { return objects_of(objects).back()["in_reach"] == true; })) << objects.output();
  EXPECT_EQ(objects_of(objects).back()["waiters"], 0);
  EXPECT_FALSE(lines.has_ended());
  for (running_command* one : {&lines, &objects}) {
    one->send(SIGINT);
    EXPECT_EQ(one->status(), 128 + SIGINT);
  }
}

TEST_F(watching, goes_on_in_a_new_session_when_its_own_has_expired) {
  put_queue(1, 2);
  proxy& way = new_proxy();
  running_command lines(zklock({"--connect", way.address() + root_, "watch", "/lock"}), here());
  ASSERT_TRUE(says(lines, "1 holds it, 1 waits")) << lines.errors();
  expire_behind(way);
  way.set_mode(proxy_mode::pass);
  take_queue(1, 1);
  EXPECT_TRUE(says(lines, "1 holds it, no client waits")) << lines.output() << lines.errors();
  put_queue(3, 3);
  EXPECT_TRUE(says(lines, "1 holds it, 1 waits; ")) << lines.output();
  lines.send(SIGINT);
  EXPECT_EQ(lines.status(), 128 + SIGINT);
}

TEST_F(watching, asks_for_one_list_a_change_and_reads_what_it_shows_once) {
  put_queue(1, 200);
  proxy& way = new_proxy();
  asked_about_a_lock asked;
  const hooks counting(way, [&](const request_frame& frame) {
    asked.note(frame, full("/lock"));
    return verdict::pass;
  });
  running_command lines(zklock({"--connect", way.address() + root_, "watch", "/lock"}), here());
  ASSERT_TRUE(says(lines, "1 holds it, 199 wait")) << lines.errors();
  EXPECT_EQ(asked.lists, 1U);
  EXPECT_EQ(asked.others, 3U);
  take_queue(1, 1);
  ASSERT_TRUE(says(lines, "1 holds it, 198 wait"));
  EXPECT_EQ(asked.lists, 2U);
  EXPECT_EQ(asked.others, 4U);

  const auto begin = std::chrono::steady_clock::now();
  const std::size_t before = asked.all();
  const std::size_t lists_before = asked.lists;
  for (int number = 2; number <= 100; ++number) {
    take_queue(number, number);
  }
  ASSERT_TRUE(says(lines, "1 holds it, 99 wait")) << lines.output();
  const std::size_t lists = asked.lists - lists_before;
  const std::size_t all = asked.all() - before;
  const auto seconds = static_cast<std::size_t>(
      std::chrono::ceil<std::chrono::seconds>(std::chrono::steady_clock::now() - begin).count());
  EXPECT_LE(lists, seconds + 1) << "in " << seconds << " s";
  EXPECT_LE(all, 4 * (seconds + 1)) << "in " << seconds << " s";
  EXPECT_TRUE(says(lines, "; 100 grants in the last minute")) << lines.output();
  lines.send(SIGINT);
  EXPECT_EQ(lines.status(), 128 + SIGINT);
}

// ---- ends -----------------------------------------------------------------------------------------------------------

TEST_F(watching, exits_with_69_when_no_server_is_there_or_the_queue_is_hidden) {
  running_command alone(zklock({"--connect", "127.0.0.1:1", "watch", "/lock"}), here());
  EXPECT_EQ(alone.status(), 69);
  EXPECT_EQ(alone.errors(),
            "zklock: connect to 127.0.0.1:1 (127.0.0.1:1: Connection refused): no server answered in time\n");
  EXPECT_EQ(alone.output(), "");
  (void)server_.create(full("/lock"), create_mode::persistent, {{31, "auth", ""}});
  running_command refused(zklock({"watch", "/lock"}), here());
  EXPECT_EQ(refused.status(), 69);
  EXPECT_EQ(refused.errors(), "zklock: watch the queue of /lock: an access list forbids it\n");
}

TEST_F(watching, exits_with_64_on_bad_usage_before_a_server_is_asked) {
  for (const words& line :
       {words{"watch"}, {"watch", "lock"}, {"watch", "/"}, {"watch", "/a//b"}, {"watch", "/l", "--", "true"}}) {
    running_command refused(zklock(line), here());
    EXPECT_EQ(refused.status(), 64) << ::testing::PrintToString(line) << refused.errors();
    EXPECT_EQ(refused.output(), "");
  }
}

TEST_F(watching, ends_as_other_tools_do_when_its_output_cannot_be_written) {
  running_command full_disk({"sh", "-c", "\"$0\" watch /lock >/dev/full", ZKLOCK_COMMAND}, here());
  EXPECT_EQ(full_disk.status(), 70);
  EXPECT_EQ(full_disk.errors(), "zklock: stdout: No space left on device\n");
  const std::string fifo = testing::TempDir() + "zklock-fifo" + root_.substr(1);
  const std::string unread = "mkfifo $1; exec 4<>$1 5>$1 4<&-; rm $1; \"$0\" watch /lock >&5; echo status $?";
  running_command piped({"sh", "-c", unread, ZKLOCK_COMMAND, fifo}, here());
  EXPECT_EQ(piped.status(), 0);
  EXPECT_EQ(piped.output(), "status " + std::to_string(128 + SIGPIPE) + "\n");
}

// ---- on a terminal --------------------------------------------------------------------------------------------------

/// tmux's window of 80 columns and 24 lines, with a shell's script in it.
class watching_in_tmux : public watching {
 protected:
  void SetUp() override {
    if (running_command({"tmux", "-V"}).status() != 0) {
      GTEST_SKIP() << "tmux is not installed: nothing shows what is drawn on a terminal";
    }
  }
  void TearDown() override {
    if (!socket_.empty()) {
      EXPECT_EQ(tmux({"kill-server"}).status, 0);
    }
    watching::TearDown();
  }
  struct answer {
    int status;
    std::string output;
  };
  answer tmux(words what, std::vector<std::string> environment = {}) {
    running_command::surroundings around = here();
    around.environment.insert(around.environment.end(), {"LC_ALL=C.UTF-8", "TMUX"});
    around.environment.insert(around.environment.end(), environment.begin(), environment.end());
    words line{"tmux", "-S", socket_, "-f", "/dev/null"};
    line.insert(line.end(), what.begin(), what.end());
    running_command one(line, around);
    const int status = one.status();
    return {status, one.output() + one.errors()};
  }
  /// `script` finds the command as $Z.
  void open_window(const std::string& script) {
    socket_ = new_file();
    const answer made = tmux({"new-session", "-d", "-x", "80", "-y", "24", script},
                             {std::string("Z=") + zklock({}).front(), "PS1=$ ", "HISTFILE="});
    ASSERT_EQ(made.status, 0) << made.output;
  }
  /// Bash outlives what is typed while the command runs.
  static std::string script_of(const std::string& command) {
    return "bash --norc -c 'trap : INT; echo before; " + command +
           "; echo \"status $?, $(stty -a | grep -o \" -*echo \")\"; exec sleep 600'";
  }
  std::string screen() { return tmux({"capture-pane", "-p"}).output; }
  std::vector<std::string> lines_of_screen() {
    std::vector<std::string> all;
    std::istringstream lines(screen());
    for (std::string line; std::getline(lines, line);) {
      all.push_back(line);
    }
    return all;
  }
  bool shows(const std::string& text) {
    return eventually([&] { return contains(screen(), text); });
  }
  /// Whether it is the other screen, and whether there is a cursor: "1 0".
  std::string kind_of_screen() { return tmux({"display-message", "-p", "#{alternate_on} #{cursor_flag}"}).output; }

  void send_to_command(int signal_number) {
    for (const pid_t one : processes_with({root_})) {
      if (name_of_process(one) == "zklock") {
        ::kill(one, signal_number);
      }
    }
  }

  std::string socket_;
};

TEST_F(watching_in_tmux, f51_draws_ten_thousand_waiters_of_which_one_has_a_hostile_label) {
  put_queue(1, 10'000);
  ASSERT_EQ(
      server_
          .ask(client::request::set{
              queue_node(2), "mode=write\nlabel=\x1b[2J\x1b]0;owned\a\x1b[31m\xff " + std::string(900, 'x') + "\n", -1})
          .code,
      client::code::ok);
  open_window(script_of("$Z watch /lock"));
  ASSERT_TRUE(shows("1 holds it, 9,999 wait; 0 grants in the last minute")) << screen();
  ASSERT_TRUE(shows("  h19  ")) << screen();  // the last node that fits is read
  const auto lines = lines_of_screen();
  ASSERT_EQ(lines.size(), 24U) << screen();
  EXPECT_TRUE(lines[0].ends_with("Z  /lock")) << lines[0];
  EXPECT_TRUE(lines[3].starts_with("STATE    KIND   AGE  HOST")) << lines[3];
  EXPECT_TRUE(lines[4].starts_with("held     mutex    -  h1 ")) << lines[4];
  EXPECT_TRUE(contains(lines[5], "\"\\x1b[2J\\x1b]0;owned")) << lines[5];
  EXPECT_EQ(lines[23], "and 9,981 more");
  EXPECT_EQ(kind_of_screen(), "1 0\n");
  take_queue(1, 1);
  EXPECT_TRUE(shows("1 holds it, 9,998 wait; 1 grant in the last minute")) << screen();

  for (const auto& [columns, rows, last] :
       {std::tuple("100", "30", "and 9,974 more"), std::tuple("40", "10", "and 9,994 more")}) {
    ASSERT_EQ(tmux({"resize-window", "-x", columns, "-y", rows}).status, 0);
    EXPECT_TRUE(eventually([&, end = std::string(last)] {
      const auto now = lines_of_screen();
      return now.size() == std::stoul(rows) && now.back() == end;
    })) << screen();
    EXPECT_TRUE(contains(screen(), "held     mutex")) << screen();
  }
  ASSERT_EQ(tmux({"send-keys", "C-c"}).status, 0);
  ASSERT_TRUE(shows("status 130,  echo")) << screen();
  EXPECT_TRUE(screen().starts_with("before\n")) << "what was there before is there again:\n" << screen();
  EXPECT_EQ(kind_of_screen(), "0 1\n");
  take_queue(2, 10'000);
}

TEST_F(watching_in_tmux, restores_the_terminal_whatever_signal_ends_it_and_while_it_is_suspended) {
  put_queue(1, 2);
  open_window("bash --norc --noprofile -i");
  for (const int number : {SIGTERM, SIGHUP, SIGQUIT}) {
    ASSERT_EQ(tmux({"send-keys", "$Z watch /lock; echo status $?", "Enter"}).status, 0);
    ASSERT_TRUE(shows("1 holds it, 1 waits")) << screen();
    ASSERT_TRUE(eventually([this] { return kind_of_screen() == "1 0\n"; }));
    ASSERT_EQ(tmux({"send-keys", "typed in vain"}).status, 0);
    ASSERT_EQ(kind_of_screen(), "1 0\n");  // what tmux is asked next it answers behind the keys: they are there
    send_to_command(number);
    EXPECT_TRUE(shows("status " + std::to_string(128 + number))) << screen();
    EXPECT_EQ(kind_of_screen(), "0 1\n");
    EXPECT_FALSE(contains(screen(), "vain")) << screen();
    ASSERT_EQ(tmux({"send-keys", "clear", "Enter"}).status, 0);
  }
  ASSERT_EQ(tmux({"send-keys", "$Z watch /lock", "Enter"}).status, 0);
  ASSERT_TRUE(shows("1 holds it, 1 waits")) << screen();
  ASSERT_EQ(tmux({"send-keys", "C-z"}).status, 0);
  ASSERT_TRUE(shows("Stopped")) << screen();
  EXPECT_EQ(kind_of_screen(), "0 1\n");
  take_queue(1, 1);
  ASSERT_EQ(tmux({"send-keys", "fg", "Enter"}).status, 0);
  EXPECT_TRUE(shows("1 holds it, no client waits")) << screen();
  EXPECT_EQ(kind_of_screen(), "1 0\n");
  ASSERT_EQ(tmux({"send-keys", "C-c"}).status, 0);
  EXPECT_TRUE(eventually([this] { return kind_of_screen() == "0 1\n"; }));
}

TEST_F(watching_in_tmux, goes_on_showing_what_was_so_while_no_server_is_in_reach) {
  put_queue(1, 2);
  proxy& way = new_proxy();
  open_window(script_of("$Z --connect " + way.address() + root_ + " watch /lock"));
  ASSERT_TRUE(shows("1 holds it, 1 waits")) << screen();
  way.set_mode(proxy_mode::cut);
  ASSERT_TRUE(shows("no server in reach for ")) << screen();
  EXPECT_TRUE(contains(screen(), "1 holds it, 1 waits")) << screen();
  take_queue(1, 1);
  way.set_mode(proxy_mode::pass);
  EXPECT_TRUE(shows("1 holds it, no client waits")) << screen();
  EXPECT_TRUE(eventually([this] { return !contains(screen(), "no server in reach"); })) << screen();
}

TEST_F(watching_in_tmux, prints_lines_where_the_terminal_cannot_be_drawn_on_and_with_json) {
  put_queue(1, 1);
  open_window(script_of("TERM=dumb $Z watch /lock; $Z watch --json /lock"));
  EXPECT_TRUE(shows("Z 1 holds it, no client waits; 0 grants")) << screen();
  EXPECT_EQ(kind_of_screen(), "0 1\n");
  ASSERT_EQ(tmux({"send-keys", "C-c"}).status, 0);
  EXPECT_TRUE(shows("\"in_reach\":true")) << screen();
  EXPECT_EQ(kind_of_screen(), "0 1\n");
}

}  // namespace
}  // namespace zklock::test
