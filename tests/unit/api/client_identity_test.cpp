#include "src/api/client_identity.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <set>
#include <string>
#include <thread>

namespace zklock::detail {
namespace {

recipes::contender_description described(auto&& client, std::string_view label) {
  return recipes::parse_contender_data(client.describe(recipes::contender_mode::read, 0, label, {}));
}

TEST(client_identity, each_id_is_another) {
  client_identity client;
  std::set<std::string> seen;
  for (int drawn = 0; drawn < 100; ++drawn) {  // more than are fetched from the kernel at a time
    EXPECT_TRUE(seen.emplace(client.next_id().text()).second);
  }
}

TEST(client_identity, f51_says_which_machine_and_process_it_is) {
  std::array<char, 256> host{};
  ASSERT_EQ(gethostname(host.data(), host.size() - 1), 0);
  const recipes::contender_description said = described(client_identity(), "orders");
  EXPECT_EQ(said.mode, recipes::contender_mode::read);
  EXPECT_EQ(said.host, host.data());
  EXPECT_EQ(said.pid, getpid());
  EXPECT_EQ(said.label, "orders");
  EXPECT_TRUE(said.time);
}

TEST(client_identity, f51_its_time_is_not_before_what_the_program_has_read) {
  using namespace std::chrono;
  client_identity client;
  static_cast<void>(described(client, ""));  // of the second before
  const auto edge = ceil<seconds>(system_clock::now() + milliseconds(5));
  std::this_thread::sleep_until(edge - milliseconds(5));
  while (system_clock::now() < edge) {}  // a coarse clock is milliseconds behind there
  EXPECT_GE(described(client, "").time, edge);
}

}  // namespace
}  // namespace zklock::detail
