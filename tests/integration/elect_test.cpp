// zklock elect --observe: what it prints, and how it ends.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include <zklock/zklock.hpp>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

class the_observer : public command_on_a_server {};

TEST_F(the_observer, prints_each_leader_that_lasts_and_that_nobody_leads_until_a_signal) {
  running_command observer(zklock({"elect", "--observe", "/lock"}), here());
  ASSERT_TRUE(says(observer, "none\n"));
  election one(open(), "/lock", {.data = "10.0.0.1:80"});
  term mine = one.campaign();
  const std::string token = to_string(mine.token());
  EXPECT_TRUE(says(observer, token + "  \"10.0.0.1:80\"\n"));
  mine.proclaim("\x1b[2J");
  EXPECT_TRUE(says(observer, token + "  \"\\x1b[2J\"\n"));
  mine.resign();
  EXPECT_TRUE(eventually([&] { return observer.output().ends_with("\nnone\n"); }));
  observer.send(SIGTERM);
  EXPECT_EQ(observer.status(), 128 + SIGTERM);
  EXPECT_EQ(observer.errors(), "");
}

TEST_F(the_observer, prints_an_object_a_line_for_programs) {
  election one(open(), "/lock", {.data = "\xff"});
  const term mine = one.campaign();
  running_command observer(zklock({"elect", "/lock", "--observe", "--json"}), here());
  ASSERT_TRUE(says(observer, to_string(mine.token())));
  std::istringstream lines(observer.output());
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(nlohmann::json::parse(line)["data"], "\xEF\xBF\xBD");
  }
  observer.send(SIGINT);
  EXPECT_EQ(observer.status(), 128 + SIGINT);
}

TEST_F(the_observer, says_when_what_it_has_printed_is_not_current) {
  proxy& way = new_proxy();
  election one(open(), "/lock", {.data = "x"});
  const term mine = one.campaign();
  running_command observer(zklock({"--connect", way.address() + root_, "elect", "--observe", "/lock"}), here());
  const std::string line = to_string(mine.token()) + "  \"x\"";
  ASSERT_TRUE(says(observer, line + "\n"));
  way.set_mode(proxy_mode::refuse);
  way.set_mode(proxy_mode::cut);
  EXPECT_TRUE(says(observer, line + "  (not current)\n"));
  way.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] { return observer.output().ends_with(line + "\n"); }));
  observer.send(SIGTERM);
  EXPECT_EQ(observer.status(), 128 + SIGTERM);
}

TEST_F(the_observer, ends_with_a_status_that_says_what_is_wrong) {
  running_command relative(zklock({"elect", "--observe", "lock"}), here());
  EXPECT_EQ(relative.status(), 64);
  EXPECT_TRUE(relative.errors().find("\"lock\"") != std::string::npos) << relative.errors();
  running_command nowhere(zklock({"--connect", "127.0.0.1:1", "elect", "--observe", "/lock"}), here());
  EXPECT_EQ(nowhere.status(), 69);
  EXPECT_TRUE(nowhere.errors().find("127.0.0.1:1: Connection refused") != std::string::npos) << nowhere.errors();
  running_command full({"sh", "-c", "exec \"$0\" elect --observe /lock >/dev/full", ZKLOCK_COMMAND}, here());
  EXPECT_EQ(full.status(), 70);
  EXPECT_TRUE(full.errors().find("stdout: No space left on device") != std::string::npos) << full.errors();
}

}  // namespace
}  // namespace zklock::test
