// Two processes of each kind hammer one lock: no two holders that exclude each other hold at once, and each counts what
// the other counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <ostream>
#include <string>
#include <vector>

#include "tests/interop/beside_others.hpp"
#include "tests/interop/marks.hpp"
#include "tests/support/scratch_directory.hpp"

namespace zklock::test {
namespace {

constexpr int share = 300;          ///< the grants that each side has at least
constexpr int changes_wanted = 50;  ///< from one side to the other

struct hammered {
  const char* name;
  const char* ours;      ///< the kind of lock of one zklock process
  const char* ours_too;  ///< and of the other
  const char* theirs;
  std::vector<std::string> paths;
  library other = library::curator;
};
void PrintTo(const hammered& one, std::ostream* to) { *to << one.name; }

constexpr const char* kept = "kept-native-mutex";
const hammered each_recipe[] = {
    {"native_mutex", "native-mutex", "native-mutex", "mutex", {"/lock"}},
    {"native_mutex_beside_kazoo", "native-mutex", "native-mutex", "mutex", {"/lock"}, library::kazoo},
    {"native_mutex_beside_go_zk", "native-mutex", "native-mutex", "mutex", {"/lock"}, library::go_zk},
    {"kept_mutex", kept, kept, "mutex", {"/lock"}},
    {"kept_mutex_beside_kazoo", kept, "native-mutex", "mutex", {"/lock"}, library::kazoo},
    {"kept_mutex_beside_go_zk", kept, kept, "mutex", {"/lock"}, library::go_zk},
    {"mutex", "mutex", "mutex", "mutex", {"/lock"}},
    {"mutex_of_either_layout", "mutex", "native-mutex", "mutex", {"/lock"}},
    {"semaphore_mutex", "semaphore-mutex", "semaphore-mutex", "semaphore-mutex", {"/lock"}},
    {"read_write", "sides", "sides", "sides", {"/lock"}},
    {"semaphore", "permits:2:3", "permits:1:3", "permits:1:3", {"/lock"}},
    {"multi", "multi", "multi", "multi", {"/first", "/second"}},
    {"selector", "selector", "selector", "selector", {"/lock"}},
    {"latch", "latch", "latch", "latch", {"/lock"}},
};

class both_sides : public beside_others, public ::testing::WithParamInterface<hammered> {
 protected:
  void begin(peer& one, const char* kind, char letter) {
    const lock_at what = lock(kind, GetParam().paths);
    one.begin("hammer " + what.kind + " " + what.paths + " " + files_.path().string() + " " + letter + " ZO " +
              std::to_string(share));
  }

  test_support::scratch_directory files_;
};
INSTANTIATE_TEST_SUITE_P(, both_sides, ::testing::ValuesIn(each_recipe), [](const auto& of) { return of.param.name; });

/// In the order of grants.
long changes_of_side(const std::string& order) {
  long changes = 0;
  for (std::size_t at = 1; at < order.size(); ++at) {
    changes += std::toupper(order[at]) != std::toupper(order[at - 1]) ? 1 : 0;
  }
  return changes;
}

TEST_P(both_sides, f50_hammer_one_lock_and_exclude_each_other) {
  const hammered& what = GetParam();
  peer& ours = start(library::zklock);
  peer& ours_too = start(library::zklock);
  peer& theirs = start(what.other);
  peer& theirs_too = start(what.other);
  begin(theirs, what.theirs, 'O');
  begin(theirs_too, what.theirs, 'O');
  begin(ours, what.ours, 'Z');
  begin(ours_too, what.ours_too, 'Z');
  for (peer* one : {&ours, &ours_too, &theirs, &theirs_too}) {
    EXPECT_EQ(one->answer(), "done") << name_of(one->of());
  }

  const std::string order = files_.text_of("order");
  const std::string sides = interop::grant_order(files_.path()).text();
  const auto by_us = std::ranges::count(sides, 'Z');
  const auto by_them = std::ranges::count(sides, 'O');
  const auto alone = std::ranges::count_if(order, [](unsigned char one) { return std::isupper(one) != 0; });
  const long changes = changes_of_side(order);
  const auto full = files_.text_of("lock.full").size();
  std::cout << "interop " << what.name << ": " << by_us << " grants to zklock, " << by_them << " to "
            << name_of(what.other) << ", " << changes << " changes of side, "
            << (full == 0 ? std::to_string(alone) + " counted" : "limit reached " + std::to_string(full) + " times")
            << '\n';
  RecordProperty("grants_to_zklock", std::to_string(by_us));
  RecordProperty("grants_to_the_other", std::to_string(by_them));
  RecordProperty("changes_of_side", std::to_string(changes));
  EXPECT_GE(by_us, share);
  EXPECT_GE(by_them, share);
  EXPECT_GE(changes, changes_wanted);
  for (const std::string& path : alone == 0 ? std::vector<std::string>{} : what.paths) {
    EXPECT_EQ(files_.number_in(path.substr(1) + ".counter"), alone) << path;
  }
  if (std::string(what.ours).starts_with("permits:")) {
    EXPECT_GE(full, static_cast<std::size_t>(changes_wanted));
  }
  EXPECT_TRUE(eventually([&] { return nodes().empty(); }));
}

}  // namespace
}  // namespace zklock::test
