#include "src/cli/granted_timeout.hpp"

#include <gtest/gtest.h>

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;

TEST(a_granted_timeout, is_told_with_both_values_when_the_servers_have_changed_it) {
  EXPECT_EQ(describe_granted_timeout(10min, 1min), "session timeout: 10m was asked for, the servers grant 1m at most");
  EXPECT_EQ(describe_granted_timeout(100ms, 4s), "session timeout: 100ms was asked for, the servers grant 4s at least");
  EXPECT_EQ(describe_granted_timeout(10s, 10s), "");
}

}  // namespace
}  // namespace zklock::cli
