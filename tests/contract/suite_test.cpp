// The suite itself: that it is the same on both sides, and that it notices a fake whose order is wrong.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "tests/contract/swapped_order.hpp"

namespace zklock::contract {
namespace {

struct outcome {
  int status = -1;
  std::string output;
};

/// Runs tests of this program in a program of their own.
outcome run_suite(const std::string& filter, const std::string& swapped) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string setting = swapped.empty() ? "" : std::string(swap_variable) + "=" + swapped + " ";
  const std::string command = setting + "'" + program + "' '--gtest_filter=" + filter + "' 2>&1";
  outcome out;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  char chunk[4096];
  while (const std::size_t count = std::fread(chunk, 1, sizeof chunk, pipe)) out.output.append(chunk, count);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) out.status = WEXITSTATUS(status);
  return out;
}

TEST(contract_suite, is_the_same_on_both_sides) {
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  std::map<std::string, std::set<std::string>> sides;
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const std::string name = suite.GetTestInfo(t)->name();
      const std::size_t slash = name.find('/');
      if (slash == std::string::npos) continue;
      sides[name.substr(slash + 1)].insert(std::string(suite.name()) + "." + name.substr(0, slash));
    }
  }
  ASSERT_EQ(sides.size(), 2U);
  EXPECT_EQ(sides["real"], sides["fake"]);
  EXPECT_GT(sides["real"].size(), 60U);
}

TEST(contract_suite, fails_on_a_fake_that_tells_a_loss_too_late) {
  const std::string filter = "*order.on_a_loss_connecting_comes_before_the_failed_replies/fake";
  const outcome right = run_suite(filter, "");
  EXPECT_EQ(right.status, 0) << right.output;
  EXPECT_NE(right.output.find("1 test from 1 test suite ran"), std::string::npos) << right.output;
  const outcome wrong = run_suite(filter, "session_event");
  EXPECT_EQ(wrong.status, 1) << wrong.output;
  EXPECT_NE(wrong.output.find("FAILED TEST"), std::string::npos) << wrong.output;
}

TEST(contract_suite, fails_on_a_fake_that_tells_a_deletion_after_the_reply_that_shows_it) {
  const std::string filter = "*watches.tell_of_what_the_same_client_does_before_its_own_reply/fake";
  const outcome right = run_suite(filter, "");
  EXPECT_EQ(right.status, 0) << right.output;
  EXPECT_NE(right.output.find("1 test from 1 test suite ran"), std::string::npos) << right.output;
  const outcome wrong = run_suite(filter, "node_event");
  EXPECT_EQ(wrong.status, 1) << wrong.output;
  EXPECT_NE(wrong.output.find("FAILED TEST"), std::string::npos) << wrong.output;
}

}  // namespace
}  // namespace zklock::contract
