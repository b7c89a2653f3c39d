// zklock ls: what it prints, and how it exits.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

using json = nlohmann::json;
using client::create_mode;

class the_listing : public command_on_a_server {
 protected:
  /// What `zklock ls ARGUMENTS` prints.
  [[nodiscard]] std::string list(words arguments) {
    arguments.insert(arguments.begin(), "ls");
    running_command one(zklock(std::move(arguments)), here());
    EXPECT_EQ(one.status(), 0) << one.errors();
    errors_ = one.errors();
    return one.output();
  }
  void put(const std::string& prefix, const std::string& data) {
    if (!server_.look(full("/lock"))) {
      (void)server_.create(full("/lock"));
    }
    const auto made = server_.ask(client::request::create{
        full("/lock/" + prefix), data, create_mode::persistent_sequential, {client::acl_entry{}}});
    EXPECT_EQ(made.code, client::code::ok);
  }
  static void expect_harmless(const std::string& text) {
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char one) {
      return one == '\n' || (one >= 0x20 && one < 0x7F);
    })) << text;
  }
  std::string errors_;
};

TEST_F(the_listing, f51_shows_the_holder_and_the_waiter) {
  running_command holder(zklock({"run", "--label", "the first", "/lock", "--", "sh", "-c", "echo in; exec sleep 60"}),
                         here());
  ASSERT_TRUE(says(holder, "in"));
  running_command waiter(zklock({"run", "--label", "the second", "/lock", "--", "true"}), here());
  ASSERT_TRUE(queue_grows_to(2));

  const std::string table = list({"/lock"});
  EXPECT_EQ(errors_, "");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3) << table;
  EXPECT_TRUE(table.starts_with("STATE    SINCE                 HOST")) << table;
  EXPECT_TRUE(contains(table, "\nheld     2")) << table;
  EXPECT_TRUE(contains(table, "\nwaiting  2")) << table;
  EXPECT_TRUE(contains(table, std::to_string(holder.pid()) + "  \"the first\"\n")) << table;
  EXPECT_TRUE(contains(table, std::to_string(waiter.pid()) + "  \"the second\"\n")) << table;
  for (std::size_t start = 0, end = 0; (end = table.find('\n', start)) != table.npos; start = end + 1) {
    EXPECT_LE(end - start, 80U) << table;
  }
  EXPECT_FALSE(contains(table, "/lock/")) << table;
  const std::string whole = list({"-l", "/lock"});
  EXPECT_TRUE(whole.substr(0, whole.find('\n')).ends_with("  KIND   TOKEN                  NODE")) << whole;
  EXPECT_TRUE(contains(whole, "\"  mutex  z")) << whole;
  EXPECT_TRUE(contains(whole, "  /lock/")) << whole;

  const json all = json::parse(list({"--json", "/lock"}));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["state"], "held");
  EXPECT_EQ(all[0]["pid"], holder.pid());
  EXPECT_EQ(all[1]["pid"], waiter.pid());
  EXPECT_EQ(all[1]["label"], "the second");
  EXPECT_LT(all[0]["token"], all[1]["token"]);
  EXPECT_EQ(to_string(fencing_token{server_.look(full(all[0]["node"].get<std::string>()))->czxid}), all[0]["token"]);
  holder.send(SIGTERM);
  EXPECT_EQ(waiter.status(), 0) << waiter.errors();
  EXPECT_EQ(holder.status(), 128 + SIGTERM);
}

TEST_F(the_listing, shows_each_with_its_kind_and_permits_with_their_limit) {
  for (const char* prefix : {"x-lock-", "read-x-", "write-x-", "permit-x-3-", "permit-y-1000000-"}) {
    put(prefix, "");
  }
  ASSERT_EQ(server_.ask(client::request::set{full("/lock"), "limit=8\n", -1}).code, client::code::ok);
  const std::string table = list({"/lock"});
  EXPECT_EQ(table,
            "STATE    SINCE  HOST  PID  LABEL  KIND       PERMITS\n"
            "held     -      -       -  -      mutex            -\n"
            "held     -      -       -  -      read             -\n"
            "waiting  -      -       -  -      write            -\n"
            "held     -      -       -  -      permits        3/8\n"
            "waiting  -      -       -  -      permits  1000000/8\n");
  EXPECT_TRUE(contains(list({"--long", "/lock"}), "  /lock/permit-y-1000000-"));
  const json all = json::parse(list({"--json", "/lock"}));
  EXPECT_EQ(all[3]["permits"], 3);
  EXPECT_EQ(all[3]["limit"], 8);
  EXPECT_TRUE(all[2]["limit"].is_null());
}

TEST_F(the_listing, f51_is_not_garbled_by_a_limit_that_is_none) {
  put("permit-x-3-", "mode=granted\nhost=\x1b[2J\n");
  for (const std::string& data :
       {std::string("\x1b[2J\n"), std::string("limit=99999999999\n"), std::string(900'000, '\xff')}) {
    ASSERT_EQ(server_.ask(client::request::set{full("/lock"), data, -1}).code, client::code::ok);
    const std::string table = list({"/lock"});
    expect_harmless(table);
    EXPECT_TRUE(contains(table, "\nheld ")) << table;
    EXPECT_TRUE(table.ends_with("  3\n")) << table;
    EXPECT_TRUE(json::parse(list({"--json", "/lock"}))[0]["limit"].is_null());
  }
}

TEST_F(the_listing, of_an_unused_semaphore_says_how_many_permits_there_are) {
  (void)server_.create(full("/lock"));
  ASSERT_EQ(server_.ask(client::request::set{full("/lock"), "limit=8\n", -1}).code, client::code::ok);
  EXPECT_EQ(list({"/lock"}), "");
  EXPECT_EQ(errors_, "zklock: /lock: no client holds it, no client waits (limit 8)\n");
}

TEST_F(the_listing, of_an_unused_path_says_so_beside_its_output_and_makes_nothing) {
  EXPECT_EQ(list({"/lock"}), "");
  EXPECT_EQ(errors_, "zklock: /lock: no client holds it, no client waits\n");
  EXPECT_EQ(list({"--json", "/lock"}), "[]\n");
  EXPECT_EQ(errors_, "");
  EXPECT_FALSE(server_.look(root_)) << root_ << " was made";
}

TEST_F(the_listing, f51_is_not_garbled_by_hostile_data_nor_by_hostile_names) {
  put("x-lock-", "");
  put("x-lock-",
      "\x1b[2J\x1b]0;owned\a\x9b"
      "31m\xc2\x9b"
      "31m\r\n0  held\xff\xe2\x80\xae");
  put("x-lock-", std::string("\0\0", 2) + std::string(900'000, '\x1b'));
  put("x-lock-", "mode=write\nhost=h\x1b[1m x\npid=1\nlabel=\"  2001-01-01T00:00:00Z\r\xe2\x80\xaex\nmode=read\n");
  put("\xe2\x80\xae name-lock-", "");
  running_command::surroundings around = here();
  around.environment.emplace_back("LC_ALL=C");
  running_command plain(zklock({"ls", "-l", "/lock"}), around);
  EXPECT_EQ(plain.status(), 0) << plain.errors();
  const std::string table = plain.output();
  expect_harmless(table);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 6) << table;
  EXPECT_TRUE(contains(table, "\"\\x1b[2J\\x1b]0;owned\\x07\\x9b31m")) << table;
  EXPECT_TRUE(contains(table, "...\"")) << table;
  EXPECT_TRUE(contains(table, "\"\\\"  2001-01-01T00:00:00Z\\x0d")) << table;

  around.environment.back() = "LC_ALL=C.UTF-8";
  running_command rich(zklock({"ls", "-l", "/lock"}), around);
  EXPECT_EQ(rich.status(), 0);
  expect_harmless(rich.output());  // there was nothing in it that may be shown as it is

  const std::string text = list({"--json", "/lock"});
  expect_harmless(text);
  const json all = json::parse(text);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[3]["host"], "h\x1b[1m x");
  EXPECT_TRUE(all[4]["node"].get<std::string>().starts_with("/lock/\u202e name-lock-"));
}

TEST_F(the_listing, shows_what_a_utf8_terminal_can_show) {
  put("x-lock-", "mode=write\nlabel=N\u00e4chtlich \u4e2d\u6587\n");
  running_command::surroundings around = here();
  around.environment.emplace_back("LC_ALL=C.UTF-8");
  running_command rich(zklock({"ls", "-l", "/lock"}), around);
  EXPECT_EQ(rich.status(), 0);
  EXPECT_TRUE(contains(rich.output(), "\"N\u00e4chtlich \u4e2d\u6587\"")) << rich.output();
}

// ---- all locks below a path -----------------------------------------------------------------------------------------

TEST_F(the_listing, of_all_locks_below_a_path_shows_each_path_and_its_participants) {
  for (const char* path : {"/app/b", "/app/a", "/app/empty"}) {
    (void)server_.create(full(path));
  }
  for (const char* node : {"/app/b/x-lock-", "/app/a/permit-x-3-", "/app/a/permit-y-6-"}) {
    ASSERT_EQ(server_.ask(client::request::create{full(node), "", create_mode::persistent_sequential}).code,
              client::code::ok);
  }
  ASSERT_EQ(server_.ask(client::request::set{full("/app/a"), "limit=8\n", -1}).code, client::code::ok);
  const std::string text = list({"--recursive", "/app"});
  EXPECT_EQ(errors_, "");
  EXPECT_EQ(text, "/app/a\n" + list({"/app/a"}) + "\n/app/b\n" + list({"/app/b"}));
  EXPECT_EQ(list({"--recursive", "/"}), text);
  EXPECT_EQ(list({"--recursive", "/app/b"}), "/app/b\n" + list({"/app/b"}));

  const json all = json::parse(list({"--recursive", "--json", "/"}));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["path"], "/app/a");
  EXPECT_TRUE(all[0]["error"].is_null());
  EXPECT_EQ(all[0]["participants"], json::parse(list({"--json", "/app/a"})));
  EXPECT_EQ(all[0]["participants"][0]["limit"], 8);
  EXPECT_EQ(all[1]["participants"], json::parse(list({"--json", "/app/b"})));
}

TEST_F(the_listing, of_all_locks_where_there_is_none_says_so_beside_its_output) {
  EXPECT_EQ(list({"--recursive", "/app"}), "");
  EXPECT_EQ(errors_, "zklock: /app: no lock is held or waited for here or below\n");
  EXPECT_EQ(list({"--recursive", "--json", "/"}), "[]\n");
  EXPECT_EQ(errors_, "");
  EXPECT_FALSE(server_.look(root_)) << root_ << " was made";
}

TEST_F(the_listing, of_all_locks_names_what_is_hidden_and_exits_with_69_behind_the_rest) {
  put("x-lock-", "");
  (void)server_.create(full("/secret"), create_mode::persistent, {{31, "auth", ""}});
  running_command table(zklock({"ls", "--recursive", "/"}), here());
  EXPECT_EQ(table.status(), 69);
  EXPECT_EQ(table.errors(), "zklock: /secret: an access list forbids it\n");
  EXPECT_EQ(table.output(), "/lock\n" + list({"/lock"}));
  running_command array(zklock({"ls", "--recursive", "--json", "/"}), here());
  EXPECT_EQ(array.status(), 69);
  EXPECT_EQ(array.errors(), table.errors());
  const json all = json::parse(array.output());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1],
            (json{{"path", "/secret"}, {"error", "an access list forbids it"}, {"participants", json::array()}}));
}

TEST_F(the_listing, of_all_locks_is_not_garbled_by_hostile_paths) {
  (void)server_.create(full("/a \xe2\x80\xae b"));
  ASSERT_EQ(
      server_.ask(client::request::create{full("/a \xe2\x80\xae b/x-lock-"), "", create_mode::persistent_sequential})
          .code,
      client::code::ok);
  (void)server_.create(full("/z \xe2\x80\xae"), create_mode::persistent, {{31, "auth", ""}});
  running_command table(zklock({"ls", "--recursive", "/"}), here());
  EXPECT_EQ(table.status(), 69);
  expect_harmless(table.output());
  EXPECT_TRUE(table.output().starts_with("/a\\x20\\xe2\\x80\\xae\\x20b\n")) << table.output();
  EXPECT_EQ(table.errors(), "zklock: /z\\x20\\xe2\\x80\\xae: an access list forbids it\n");
}

// ---- ends -----------------------------------------------------------------------------------------------------------

TEST_F(the_listing, exits_with_69_when_no_server_is_there_or_answers) {
  running_command alone(zklock({"--connect", "127.0.0.1:1", "ls", "/lock"}), here());
  EXPECT_EQ(alone.status(), 69);
  EXPECT_EQ(alone.errors(),
            "zklock: connect to 127.0.0.1:1 (127.0.0.1:1: Connection refused): no server answered in time\n");
  running_command below(zklock({"--connect", "127.0.0.1:1", "ls", "--recursive", "--json", "/"}), here());
  EXPECT_EQ(below.status(), 69);
  EXPECT_EQ(below.output(), "") << "no JSON that could be taken for a tree without locks";
  proxy& way = new_proxy();
  way.set_mode(proxy_mode::hold);
  running_command frozen(zklock({"--connect", way.address(), "ls", "--json", "--timeout", "200ms", "/lock"}), here());
  EXPECT_EQ(frozen.status(), 69);
  EXPECT_EQ(frozen.output(), "") << "no JSON that could be taken for an empty queue";
}

TEST_F(the_listing, f84_meets_the_server_that_answers_beside_a_silent_one) {
  for (const words& limit : {words{}, {"--timeout", "30s"}}) {
    std::vector<std::unique_ptr<running_command>> all;
    for (const std::string& servers : with_a_silent_server()) {
      words line{"--connect", servers, "ls", "--json", "/lock"};
      line.insert(line.end(), limit.begin(), limit.end());
      all.push_back(std::make_unique<running_command>(zklock(line), here()));
    }
    for (const auto& one : all) {
      EXPECT_EQ(one->status(), 0) << ::testing::PrintToString(limit) << one->errors();
      EXPECT_EQ(one->output(), "[]\n");
    }
  }
}

TEST_F(the_listing, exits_with_69_when_the_queue_is_hidden) {
  (void)server_.create(full("/lock"), create_mode::persistent, {{31, "auth", ""}});
  running_command refused(zklock({"ls", "/lock"}), here());
  EXPECT_EQ(refused.status(), 69);
  EXPECT_EQ(refused.errors(),
            "zklock: list the queue of /lock (ZNOAUTH, in the chroot " + root_ + "): an access list forbids it\n");
}

TEST_F(the_listing, exits_with_64_on_bad_usage_before_a_server_is_asked) {
  for (const words& line : {words{"ls"},
                            {"ls", "lock"},
                            {"ls", "/"},
                            {"ls", "--recursive", "lock"},
                            {"ls", "--recursive", "//"},
                            {"ls", "--recursive", "/a/"},
                            {"ls", "/a//b"},
                            {"ls", "/l", "--timeout", "0"},
                            {"ls", "/l", "--", "true"},
                            {"--connect", "no:sense", "ls", "/l"}}) {
    running_command refused(zklock(line), here());
    EXPECT_EQ(refused.status(), 64) << ::testing::PrintToString(line) << refused.errors();
    EXPECT_EQ(refused.output(), "");
  }
  running_command unreachable(zklock({"--connect", "127.0.0.1:1", "ls", "lock"}), here());
  EXPECT_EQ(unreachable.status(), 64) << "the path is wrong, server or not";
}

TEST_F(the_listing, ends_as_other_tools_do_when_its_output_cannot_be_written) {
  put("x-lock-", "");
  const std::string fifo = testing::TempDir() + "zklock-fifo" + root_.substr(1);
  const std::string unread = "mkfifo $1; exec 4<>$1 5>$1 4<&-; rm $1; \"$0\" ls /lock >&5; echo status $?";
  running_command piped({"sh", "-c", unread, ZKLOCK_COMMAND, fifo}, here());
  EXPECT_EQ(piped.status(), 0);
  EXPECT_EQ(piped.output(), "status " + std::to_string(128 + SIGPIPE) + "\n");
  running_command full_disk({"sh", "-c", "\"$0\" ls /lock >/dev/full", ZKLOCK_COMMAND}, here());
  EXPECT_EQ(full_disk.status(), 70);
  EXPECT_EQ(full_disk.errors(), "zklock: stdout: No space left on device\n");
  running_command closed({"sh", "-c", "\"$0\" ls --json /lock >&-", ZKLOCK_COMMAND}, here());
  EXPECT_EQ(closed.status(), 70) << closed.errors();
}

}  // namespace
}  // namespace zklock::test
