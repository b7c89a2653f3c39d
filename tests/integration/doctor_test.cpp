// zklock doctor: each kind of finding, planted, on a real server; and none where there is none.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

using json = nlohmann::json;
using client::create_mode;

class a_diagnosis : public command_on_a_server {
 protected:
  /// What `zklock doctor --json PATH` finds.
  [[nodiscard]] json examine(int status, const std::string& path = "/") {
    running_command one(zklock({"doctor", "--json", path}), here());
    EXPECT_EQ(one.status(), status) << one.errors() << one.output();
    errors_ = one.errors();
    return json::parse(one.output());
  }
  static std::set<std::string> kinds(const json& all) {
    std::set<std::string> found;
    for (const json& one : all["findings"]) found.insert(one["kind"].get<std::string>());
    return found;
  }
  void TearDown() override {
    for (const std::string& node : planted_) server_.remove(full(node));
    command_on_a_server::TearDown();
  }
  std::string put(const std::string& lock, const std::string& prefix, const std::string& data, create_mode mode) {
    if (!server_.look(full(lock))) (void)server_.create(full(lock));
    const auto made =
        server_.ask(client::request::create{full(lock + "/" + prefix), data, mode, {client::acl_entry{}}});
    EXPECT_EQ(made.code, client::code::ok);
    planted_.push_back(made.name.substr(root_.size()));
    return planted_.back();
  }
  std::string errors_;
  std::vector<std::string> planted_;
};

TEST_F(a_diagnosis, of_two_processes_that_wait_for_each_other_names_both_and_their_locks) {
  const auto crossing = [this](const char* first, const char* second) {
    return std::make_unique<running_command>(words{ZKLOCK_CROSSING_PROCESS, connect_here(), first, second}, here());
  };
  const auto one = crossing("/a", "/b"), other = crossing("/b", "/a");
  ASSERT_TRUE(eventually([&] { return contenders("/a").size() == 2 && contenders("/b").size() == 2; }));
  const json all = examine(1);
  ASSERT_EQ(all["findings"].size(), 1U) << all;
  EXPECT_EQ(all["findings"][0]["kind"], "deadlock");
  const std::string text = all["findings"][0]["text"];
  for (const std::string& part :
       {"process " + std::to_string(one->pid()), "process " + std::to_string(other->pid()),
        std::string("waits at /a\n   for /a/"), std::string("waits at /b\n   for /b/"), std::string(" of 2)")}) {
    EXPECT_TRUE(contains(text, part)) << text;
  }
  running_command table(zklock({"doctor", "/a", "/b"}), here());
  EXPECT_EQ(table.status(), 1);
  EXPECT_TRUE(contains(table.output(), ": problem: deadlock: 2 clients wait for each other:\n  1) \"crossing\" (host "))
      << table.output();
  EXPECT_TRUE(contains(table.output(), "\n2 locks: 1 problem, 0 notes\n")) << table.output();
  other->send(SIGKILL);
  one->send(SIGKILL);
}

TEST_F(a_diagnosis, of_sound_locks_finds_nothing) {
  session& mine = open();
  recursive_mutex lock(mine, "/app/mutex"), below(mine, "/app/mutex/part");
  shared_mutex config(mine, "/app/config");
  semaphore pool(mine, "/app/pool", 2), leases(mine, "/app/leased", 2, {.layout = layout::curator});
  election leads(mine, "/app/leader", {.names = election_names::latch});
  const owner job;
  const grant one = lock.as(job).acquire(), two = below.as(job).acquire(), read = config.read().as(job).acquire(),
              has = pool.permits(2).as(job).acquire(), lease = leases.permits(1).as(job).acquire();
  const term now = leads.campaign();
  running_command waits(zklock({"run", "/app/mutex", "--", "true"}), here());
  ASSERT_TRUE(queue_grows_to(2, "/app/mutex"));
  const json all = examine(0);
  EXPECT_EQ(all["findings"].size(), 0U) << all;
  EXPECT_EQ(all["locks"], 6);
  EXPECT_EQ(all["hidden"].size(), 0U);
  ASSERT_EQ(all["servers"].size(), 1U);
  EXPECT_TRUE(all["servers"][0]["version"].is_string()) << all;
  EXPECT_EQ(errors_, "");
  waits.send(SIGKILL);
  EXPECT_TRUE(eventually([&] { return contenders("/app/mutex").size() == 2; })) << "its own, and the lock below";
}

TEST_F(a_diagnosis, of_nothing_is_none) {
  const json all = examine(0, "/none");
  EXPECT_EQ(all["locks"], 0);
  EXPECT_EQ(all["findings"].size(), 0U);
  EXPECT_EQ(errors_, "zklock: /none: there is no such node\n");
  const std::string node = put("/held", "x-lock-", "", create_mode::ephemeral_sequential);
  for (const char* const command : {"doctor", "ls"}) {
    running_command of_node(zklock({command, node}), here());
    EXPECT_EQ(of_node.status(), 0);
    EXPECT_TRUE(contains(of_node.errors(), ": this may be a contender's node, of the lock /held\n"))
        << of_node.errors();
  }
}

TEST_F(a_diagnosis, finds_each_thing_that_is_planted) {
  // A process that was there: nobody has its number before it is buried.
  const pid_t dead = fork();
  if (dead == 0) _exit(0);
  ASSERT_EQ(waitpid(dead, nullptr, 0), dead);
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  put("/gone", "x-lock-", "mode=write\nhost=" + std::string(host.data()) + "\npid=" + std::to_string(dead) + "\n",
      create_mode::ephemeral_sequential);
  EXPECT_EQ(kinds(examine(0)), std::set<std::string>{"process-gone"});

  put("/kinds", "x-lock-", "", create_mode::ephemeral_sequential);
  put("/kinds", "read-x-", "", create_mode::ephemeral_sequential);
  EXPECT_EQ(kinds(examine(1, "/kinds")), std::set<std::string>{"mixed-kinds"});
  put("/layouts", "_c_0fd3a1b8-7e5c-4429-a6d0-c2f81b93e7a1-__READ__", "", create_mode::ephemeral_sequential);
  put("/layouts", "read-x-", "", create_mode::ephemeral_sequential);
  EXPECT_EQ(kinds(examine(1, "/layouts")), std::set<std::string>{"mixed-layouts"});
  put("/leader", "x-latch-", "", create_mode::ephemeral_sequential);
  put("/leader", "x-lock-", "", create_mode::ephemeral_sequential);
  EXPECT_EQ(kinds(examine(1, "/leader")), std::set<std::string>{"latch-beside-lock"});
  put("/strange", "x-lock-", "", create_mode::ephemeral_sequential);
  put("/strange", "x__rlock__", "", create_mode::ephemeral_sequential);
  EXPECT_EQ(kinds(examine(0, "/strange")), std::set<std::string>{"stranger"});
  const std::string stays = put("/stays", "x-lock-", "", create_mode::persistent_sequential);
  const json found = examine(1, "/stays");
  EXPECT_EQ(kinds(found), std::set<std::string>{"persistent-contender"});
  EXPECT_EQ(found["findings"][0]["mend"], "zklock evict " + stays);
}

TEST_F(a_diagnosis, finds_contenders_that_anyone_may_remove_and_those_that_are_hidden) {
  const auto put_for = [this](const std::string& lock, client::acl access) {
    put(lock, "x-lock-", "", create_mode::ephemeral_sequential);
    server_.remove(full(planted_.back()));
    const auto made = server_.ask(
        client::request::create{full(lock + "/x-lock-"), "", create_mode::ephemeral_sequential, std::move(access)});
    EXPECT_EQ(made.code, client::code::ok);
    planted_.back() = made.name.substr(root_.size());
  };
  put_for("/open", {client::acl_entry{}});
  const json open = examine(0, "/open");
  EXPECT_EQ(open["findings"].size(), 0U) << open;
  EXPECT_EQ(open["open_locks"], 1);
  put_for("/shown", {{31, "digest", "bob:3xUyPHQTu+/I7GGHsLy5dfNKHN0="}, {1, "world", "anyone"}});
  const json shown = examine(0, "/shown");
  EXPECT_EQ(kinds(shown), std::set<std::string>{"anyone-may-remove"}) << shown;
  put_for("/hidden", {{31, "digest", "bob:3xUyPHQTu+/I7GGHsLy5dfNKHN0="}});
  const json hidden = examine(0, "/hidden");
  EXPECT_EQ(kinds(hidden), std::set<std::string>{"hidden-contender"}) << hidden;
  EXPECT_EQ(hidden["locks"], 1);
  running_command table(zklock({"doctor", "/open", "/shown"}), here());
  EXPECT_EQ(table.status(), 0);
  EXPECT_TRUE(contains(table.output(), "\naccess: anyone may remove the contenders of 2 of 2 locks\n"))
      << table.output();
}

TEST_F(a_diagnosis, counts_the_locks_whose_only_contender_stays_between_its_holds) {
  put("/held", "x-lock-", "mode=write\n", create_mode::ephemeral_sequential);
  put("/kept", "x-lock-", "mode=write\nkeeps=1\n", create_mode::ephemeral_sequential);
  for (const char* const of : {"x-lock-", "y-lock-"}) {
    put("/wanted", of, "mode=write\nkeeps=1\n", create_mode::ephemeral_sequential);
  }
  const json found = examine(0);
  EXPECT_EQ(found["kept_locks"], 1) << found;
  EXPECT_EQ(found["findings"].size(), 0U) << found;
}

TEST_F(a_diagnosis, finds_permits_that_are_more_than_there_are) {
  (void)server_.create(full("/pool"));
  ASSERT_EQ(server_.ask(client::request::set{full("/pool"), "limit=4"}).code, client::code::ok);
  put("/pool", "permit-0fd3a1b87e5c4429a6d0c2f81b93e7a1-1-", "mode=granted\n", create_mode::ephemeral_sequential);
  put("/pool", "permit-77c04e19d3b84f6e9a2250c1ee7b3f4e-4-", "mode=permit\n", create_mode::ephemeral_sequential);
  EXPECT_EQ(examine(0, "/pool")["findings"].size(), 0U);
  ASSERT_EQ(server_.ask(client::request::set{full("/pool"), "limit=3"}).code, client::code::ok);
  EXPECT_EQ(kinds(examine(0, "/pool")), std::set<std::string>{"too-many-permits"});
}

TEST_F(a_diagnosis, names_what_an_access_list_hides_and_reports_the_rest) {
  put("/seen", "x-lock-", "", create_mode::ephemeral_sequential);
  (void)server_.create(full("/secret"), create_mode::persistent, {{31, "auth", ""}});
  const json all = examine(2);
  EXPECT_EQ(errors_, "zklock: /secret: an access list forbids it\n");
  EXPECT_EQ(all["locks"], 1);
  EXPECT_EQ(all["hidden"][0]["path"], "/secret");
}

TEST_F(a_diagnosis, refuses_bad_usage_and_says_that_no_server_is_in_reach) {
  for (const auto& [arguments, text] :
       std::vector<std::pair<words, std::string>>{{{"doctor"}, "PATH"},
                                                  {{"doctor", "relative"}, "\"relative\""},
                                                  {{"doctor", "/a", "/a"}, "PATH \"/a\" is given twice"},
                                                  {{"doctor", "/a", "--", "true"}, "doctor runs no COMMAND"},
                                                  {{"doctor", "--timeout", "0", "/a"}, "leaves no time to ask"},
                                                  {{"doctor", "--recursive", "/a"}, "--recursive"}}) {
    running_command one(zklock(arguments), here());
    EXPECT_EQ(one.status(), 64) << one.errors();
    EXPECT_TRUE(contains(one.errors(), text)) << one.errors();
    EXPECT_EQ(one.output(), "");
  }
  running_command nowhere(zklock({"--connect", "127.0.0.1:1", "doctor", "/"}), here());
  EXPECT_EQ(nowhere.status(), 69);
  EXPECT_TRUE(contains(nowhere.errors(), "127.0.0.1:1")) << nowhere.errors();
}

}  // namespace
}  // namespace zklock::test
