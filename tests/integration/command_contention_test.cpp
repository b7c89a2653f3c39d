// zklock run: many processes hammer the same locks; what they guard is plain files, so that two at once would be seen.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

class commands_in_contention : public command_on_a_server {
 protected:
  /// Longer than other waits: it is for all rounds of all.
  static constexpr auto patience_for_all = 240s;

  /// A file with this in it.
  [[nodiscard]] std::string file_with(const std::string& content) {
    std::string file = new_file();
    std::ofstream(file) << content << "\n";
    return file;
  }
  static int number_in(const std::string& file) {
    int number = -1;
    std::ifstream(file) >> number;
    return number;
  }
  /// Nothing keeps two of these from losing one.
  static std::string increment(const std::string& file) {
    return "n=$(cat " + file + "); echo $((n+1)) >" + file + "; ";
  }

  /// A shell that runs zklock as often as that, one after the other, until one fails.
  void start(int rounds, const std::string& options_and_paths, const std::string& script) {
    const std::string loop = "i=0; while [ $i -lt " + std::to_string(rounds) + " ]; do i=$((i+1)); \"$0\" run " +
                             options_and_paths + " -- sh -c \"$1\" || exit; done";
    all_.push_back(
        std::make_unique<running_command>(words{"sh", "-c", loop, ZKLOCK_COMMAND, "set -e; " + script}, here()));
  }
  void expect_all_well() {
    for (const auto& one : all_) {
      ASSERT_TRUE(eventually([&] { return one->has_ended(); }, patience_for_all)) << one->errors();
      EXPECT_EQ(one->status(), 0) << one->errors() << one->output();
    }
  }

 private:
  std::vector<std::unique_ptr<running_command>> all_;
};

TEST_F(commands_in_contention, f65_with_overlapping_paths_in_different_orders_never_wait_in_a_circle) {
  constexpr int rounds = 25;
  const std::string a = file_with("0");
  const std::string b = file_with("0");
  const std::string c = file_with("0");
  const std::string d = file_with("0");
  start(rounds, "/a /b /c", increment(a) + increment(b) + increment(c));
  start(rounds, "/c /b /d", increment(c) + increment(b) + increment(d));
  start(rounds, "/d /a", increment(d) + increment(a));
  start(rounds, "/b /d /a", increment(b) + increment(d) + increment(a));
  expect_all_well();
  EXPECT_EQ(number_in(a), 3 * rounds);
  EXPECT_EQ(number_in(b), 3 * rounds);
  EXPECT_EQ(number_in(c), 2 * rounds);
  EXPECT_EQ(number_in(d), 3 * rounds);
  for (const char* path : {"/a", "/b", "/c", "/d"}) {
    EXPECT_TRUE(contenders(path).empty()) << path;
  }
}

/// A command that finds both slots taken is one too many. mkdir tells which was first; the count is under flock.
TEST_F(commands_in_contention, of_a_semaphore_of_two_are_never_three) {
  constexpr int users = 5;
  constexpr int rounds = 10;
  const std::string slots = new_file();
  const std::string counter = file_with("0");
  const std::string script = "mine=''; for s in 1 2; do if mkdir " + slots + ".$s 2>/dev/null; then mine=" + slots +
                             ".$s; break; fi; done; [ -n \"$mine\" ] || { echo too many; exit 9; }; flock " + counter +
                             " sh -c '" + increment(counter) + "'; rmdir $mine";
  for (int user = 0; user < users; ++user) {
    start(rounds, "--semaphore 2 /pool", script);
  }
  expect_all_well();
  EXPECT_EQ(number_in(counter), users * rounds);
  EXPECT_TRUE(contenders("/pool").empty());
}

/// Each writer leaves two files alike; no reader shall see them differ.
TEST_F(commands_in_contention, f55_readers_never_see_what_a_writer_has_half_done) {
  constexpr int rounds = 10;
  const std::string one = file_with("0");
  const std::string other = file_with("0");
  for (int writer = 0; writer < 2; ++writer) {
    start(rounds, "--exclusive /config", increment(one) + increment(other));
  }
  for (int reader = 0; reader < 3; ++reader) {
    start(rounds, "--shared /config", "cmp " + one + " " + other);
  }
  expect_all_well();
  EXPECT_EQ(number_in(one), 2 * rounds);
  EXPECT_EQ(number_in(other), 2 * rounds);
  EXPECT_TRUE(contenders("/config").empty());
}

}  // namespace
}  // namespace zklock::test
