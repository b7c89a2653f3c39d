// Processes that hammer one path: what the lock protects comes out exact, and nothing is left on the server.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <memory>
#include <string>
#include <vector>

#include "tests/integration/on_a_server.hpp"
#include "tests/integration/talking_process.hpp"
#include "tests/support/scratch_directory.hpp"

namespace zklock::test {
namespace {

class processes : public on_a_server {
 protected:
  void start(const std::vector<std::string>& orders) {
    for (const std::string& order : orders) {
      users_.push_back(std::make_unique<talking_process>(std::vector<std::string>{
          ZKLOCK_RECIPE_USER, "127.0.0.1:" + std::to_string(port_) + root_, files_.path().string()}));
      users_.back()->order(order);
    }
  }
  void expect_all_done() {
    for (const auto& one : users_) {
      EXPECT_EQ(one->answer(), "done");
    }
    for (const auto& one : users_) {
      EXPECT_TRUE(one->leave());
    }
  }

  test_support::scratch_directory files_;

 private:
  std::vector<std::unique_ptr<talking_process>> users_;
};

TEST_F(processes, that_read_and_write_see_each_write_whole_and_count_exactly) {
  start({"read 60", "read 60", "read 60", "write 60", "write 60"});
  expect_all_done();
  EXPECT_EQ(files_.number_in("first"), 120);
  EXPECT_EQ(files_.number_in("second"), 120);
  EXPECT_TRUE(contenders("/pair").empty());
}

TEST_F(processes, that_use_a_semaphore_of_two_are_never_three_inside) {
  start({"use 60", "use 60", "use 60", "use 60", "use 60"});
  expect_all_done();
  EXPECT_TRUE(contenders("/pool").empty());
  EXPECT_EQ(server_.data(full("/pool")), "limit=2\n");
}

TEST_F(processes, f58_that_want_both_permits_each_all_come_to_their_end) {
  start({"use-both 30", "use-both 30", "use-both 30"});
  expect_all_done();
  EXPECT_TRUE(contenders("/pool").empty());
}

}  // namespace
}  // namespace zklock::test
