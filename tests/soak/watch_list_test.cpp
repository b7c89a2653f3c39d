// What a server says of its watches.
#include <gtest/gtest.h>

#include "tests/soak/watch_list.hpp"

namespace zklock::soak {
namespace {

using list = std::vector<std::string>;

TEST(a_watch_list, has_the_paths_below_the_root) {
  EXPECT_EQ(watched_below("/soak", "\n"), list{});
  EXPECT_EQ(watched_below("/soak", "/else\n\t0x100a1\n/soak/locks/a\n\t0x100a2\n\t0x100a3\n\n"), list{"/soak/locks/a"});
}

TEST(a_watch_list, is_none_when_the_server_does_not_say) {
  EXPECT_EQ(watched_below("/soak", ""), std::nullopt);
  EXPECT_EQ(watched_below("/soak", "This ZooKeeper instance is not currently serving requests\n"), std::nullopt);
  EXPECT_EQ(watched_below("/soak", "wchp is not executed because it is not in the whitelist.\n"), std::nullopt);
}

}  // namespace
}  // namespace zklock::soak
