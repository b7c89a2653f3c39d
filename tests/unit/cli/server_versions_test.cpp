#include "src/cli/server_versions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace zklock::cli {
namespace {

std::vector<std::string> faults_of(const server_version& version) {
  std::vector<std::string> tickets;
  for (const server_fault& one : server_faults()) {
    if (has_fault(version, one)) tickets.emplace_back(one.ticket);
  }
  return tickets;
}
bool has(const server_version& version, const std::string& ticket) {
  const auto all = faults_of(version);
  return std::find(all.begin(), all.end(), "ZOOKEEPER-" + ticket) != all.end();
}

TEST(server_versions, are_read_from_what_servers_answer) {
  EXPECT_EQ(parse_server_version("Zookeeper version: 3.8.0-5a02a05eddb59aee6ac762f7ea82e92a68eb9c0f, built on 2022\n"),
            (server_version{3, 8, 0}));
  EXPECT_EQ(parse_server_version("x\nZookeeper version: 3.10.12\nLatency"), (server_version{3, 10, 12}));
  for (const char* other : {"", "srvr is not executed because it is not in the whitelist.\n",
                            "Zookeeper version: ", "Zookeeper version: 3.8", "Zookeeper version: 3.x.1",
                            "Zookeeper version: 99999999999.1.1"}) {
    EXPECT_EQ(parse_server_version(other), std::nullopt) << other;
  }
  EXPECT_EQ(to_text({3, 9, 4}), "3.9.4");
}

TEST(server_versions, have_the_faults_that_were_not_mended_in_their_branch) {
  EXPECT_TRUE(has({3, 8, 0}, "4026") && has({3, 8, 1}, "4026"));
  EXPECT_FALSE(has({3, 8, 2}, "4026") || has({3, 9, 0}, "4026"));
  EXPECT_TRUE(has({3, 8, 4}, "4785") && has({3, 9, 1}, "4785") && has({3, 7, 9}, "4785"));
  EXPECT_FALSE(has({3, 8, 5}, "4785") || has({3, 9, 2}, "4785") || has({4, 0, 0}, "4785"));
  EXPECT_TRUE(has({3, 8, 9}, "4643")) << "never mended in 3.8";
  EXPECT_FALSE(has({3, 9, 3}, "4643"));
  EXPECT_TRUE(has({3, 9, 3}, "4925"));
  EXPECT_FALSE(has({3, 9, 2}, "4925") || has({3, 9, 4}, "4925") || has({3, 8, 0}, "4925"));
  EXPECT_TRUE(has({3, 9, 6}, "4837") && has({3, 4, 13}, "4837")) << "in no release";
}

TEST(server_versions, are_on_the_page_with_each_of_their_faults) {
  std::ifstream file(ZKLOCK_SERVER_VERSIONS_PAGE);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const server_fault& one : server_faults()) {
    std::string mended;
    for (const server_version& version : one.fixed) mended += (mended.empty() ? "" : ", ") + to_text(version);
    const std::string row = "| " + std::string(one.ticket) + " | " + std::string(one.what) + " | " +
                            (one.since > server_version{} ? to_text(one.since) + " alone" : std::string("all")) +
                            " | " + (mended.empty() ? "no release" : mended) + " |";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

TEST(server_versions, are_asked_of_each_server_of_a_list) {
  using words = std::vector<std::string>;
  EXPECT_EQ(addresses_of("a:1, b,[::1]:3,[::1],c:4/x,y"), (words{"a:1", "b:2181", "[::1]:3", "[::1]:2181", "c:4"}));
  EXPECT_EQ(addresses_of("h"), words{"h:2181"});
  for (const char* nowhere : {"127.0.0.1:1", "no-such-host.invalid:2181"}) {
    const server_answer none = ask_version(nowhere, std::chrono::milliseconds(500));
    EXPECT_FALSE(none.reached || none.version) << nowhere;
  }
}

}  // namespace
}  // namespace zklock::cli
