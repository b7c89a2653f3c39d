#include <gtest/gtest.h>

#include "src/cli/connect_limit.hpp"

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;

TEST(the_connect_limit, of_one_server_is_a_second) {
  EXPECT_EQ(connect_limit("zk1:2181", 10s), 1s);
  EXPECT_EQ(connect_limit("zk1:2181/app,1", 10s), 1s) << "a comma in the chroot";
}

TEST(the_connect_limit, of_several_leaves_each_its_turn_behind_silent_ones) {
  EXPECT_EQ(connect_limit("zk1:2181,zk2:2181", 3s), 5s) << "the client's list has the first twice";
  EXPECT_EQ(connect_limit("zk1:2181,zk2:2181,zk3:2181", 3s), 5s);
  EXPECT_EQ(connect_limit("zk1:1,zk2:1,zk3:1,zk4:1,zk5:1/app", 6s), 17s);
}

}  // namespace
}  // namespace zklock::cli
