// Contenders that cannot exclude each other, in one lock node: ours is told so where it can be seen, and leaves no node.
#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include <string>
#include <vector>

#include "tests/interop/beside_others.hpp"
#include "tests/support/error_from.hpp"

namespace zklock::test {
namespace {

const std::string refused = "failed: " + make_error_code(errc::wrong_recipe).message();

struct neighbours {
  const char* name;
  library holds;
  const char* held;
  const char* wanted;
};
void PrintTo(const neighbours& one, std::ostream* to) { *to << one.name; }

const neighbours each_pair[] = {
    {"native_write_behind_curators", library::curator, "write", "native-write"},
    {"native_read_behind_curators_write", library::curator, "write", "native-read"},
    {"native_write_behind_curators_read", library::curator, "read", "native-write"},
    {"native_read_behind_curators_read", library::curator, "read", "native-read"},
    {"curators_write_behind_a_native_one", library::zklock, "native-write", "write"},
    {"curators_read_behind_a_native_write", library::zklock, "native-write", "read"},
    {"curators_write_behind_a_native_read", library::zklock, "native-read", "write"},
    {"native_permit_behind_curators", library::curator, "permits:1:2", "native-permits:1:2"},
    {"native_mutex_behind_curators_permit", library::curator, "permits:1:2", "native-mutex"},
    {"native_mutex_behind_curators_semaphore_mutex", library::curator, "semaphore-mutex", "native-mutex"},
    {"curators_permit_behind_a_native_one", library::zklock, "native-permits:1:2", "permits:1:2"},
    {"curators_semaphore_mutex_behind_a_native_one", library::zklock, "native-semaphore-mutex", "semaphore-mutex"},
    {"curators_permit_behind_curators_mutex", library::curator, "mutex", "permits:1:2"},
    {"curators_mutex_behind_curators_permit", library::curator, "permits:1:2", "mutex"},
    {"curators_write_behind_curators_mutex", library::curator, "mutex", "write"},
    {"latch_behind_a_selector", library::curator, "selector", "latch"},
    {"selector_behind_a_latch", library::curator, "latch", "selector"},
    {"native_mutex_behind_a_latch", library::curator, "latch", "native-mutex"},
    {"curators_mutex_behind_curators_write", library::curator, "write", "mutex"},
};

class wrong_neighbours : public beside_others, public ::testing::WithParamInterface<neighbours> {};
INSTANTIATE_TEST_SUITE_P(, wrong_neighbours, ::testing::ValuesIn(each_pair),
                         [](const auto& of) { return of.param.name; });

TEST_P(wrong_neighbours, f50_are_an_error_and_leave_no_node) {
  peer& holder = start(GetParam().holds);
  peer& other = start(library::zklock);
  ASSERT_EQ(holder.acquire(lock(GetParam().held)), "held");
  const std::vector<std::string> alone = held_nodes();
  EXPECT_EQ(other.acquire(lock(GetParam().wanted), 5s), refused);
  EXPECT_TRUE(eventually([&] { return nodes() == alone; }));
  EXPECT_EQ(holder.release(lock(GetParam().held)), "released");
}

// ---- what Java does then: docs/guide/coming-from-curator.md says it

TEST_F(beside_others, f50_curators_read_write_lock_does_not_see_our_native_one) {
  peer& ours = start(library::zklock);
  peer& theirs = start(library::curator);
  ASSERT_EQ(ours.acquire(lock("native-write")), "held");
  EXPECT_EQ(theirs.acquire(lock("write")), "held") << "side by side with us";
  EXPECT_EQ(ours.release(lock("native-write")), "released");
  EXPECT_EQ(ours.acquire(lock("native-write"), 5s), refused);
  EXPECT_EQ(theirs.release(lock("write")), "released");
}

TEST_F(beside_others, f50_curators_semaphore_does_not_see_our_native_one) {
  peer& ours = start(library::zklock);
  peer& theirs = start(library::curator);
  ASSERT_EQ(ours.acquire(lock("native-permits:1:1")), "held");
  EXPECT_EQ(theirs.acquire(lock("permits:1:1")), "held") << "side by side with us";
  EXPECT_EQ(ours.release(lock("native-permits:1:1")), "released");
  EXPECT_EQ(theirs.release(lock("permits:1:1")), "released");
}

TEST_F(beside_others, f50_f207_a_latch_leads_beside_our_selector_and_each_way_to_ask_says_so) {
  peer& ours = start(library::zklock);
  peer& theirs = start(library::curator);
  ASSERT_EQ(ours.acquire(lock("selector")), "held");
  EXPECT_EQ(theirs.acquire(lock("latch")), "held") << "both lead";
  const auto asked = test_support::error_from([&] { (void)leader(open(), "/lock"); });
  EXPECT_EQ(asked.first, errc::wrong_recipe);
  EXPECT_EQ(ours.release(lock("selector")), "released");
  EXPECT_EQ(leader(open(), "/lock").data, "java");
  EXPECT_EQ(theirs.release(lock("latch")), "released");
}

// ---- who leads: the same on both sides

TEST_F(beside_others, f50_ids_of_leaders_are_read_byte_for_byte_on_both_sides) {
  for (const char* kind : {"selector", "latch"}) {
    peer& ours = start(library::zklock, long_session, "10.0.0.1:80/x\u00e9");
    peer& theirs = start(library::curator);
    const lock_at election = lock(kind);
    const std::string ask = std::string("leader ") + kind + " " + election.paths;
    EXPECT_EQ(theirs.ask(ask), "leader ");
    ASSERT_EQ(ours.acquire(election), "held");
    EXPECT_EQ(theirs.ask(ask), "leader 10.0.0.1:80/x\u00e9") << kind;
    theirs.begin_to_acquire(election);
    EXPECT_TRUE(eventually([&] { return nodes().size() == 2; }));
    EXPECT_EQ(ours.release(election), "released");
    EXPECT_EQ(theirs.answer(), "held");
    EXPECT_EQ(leader(open(), "/lock").data, "java") << kind;
    EXPECT_EQ(theirs.release(election), "released");
  }
}

// As two Javas can: each has a part of what both want. Only a limit of time ends it.
TEST_F(beside_others, f58_several_permits_at_a_time_can_deadlock_with_java_until_a_time_limit) {
  peer& ours = start(library::zklock);
  peer& theirs = start(library::curator);
  ASSERT_EQ(theirs.acquire(lock("permits:1:2")), "held") << "the first of the two that it wants";
  const std::size_t before = held_nodes().size();
  ours.begin_to_acquire(lock("permits:2:2"), 2s);
  ASSERT_TRUE(eventually([&] { return nodes().size() == before + 3; })) << "the inner mutex and two leases";
  EXPECT_EQ(theirs.acquire(lock("permits:1:2"), 300ms), "not in time") << "its second: we hold the inner mutex";
  EXPECT_EQ(ours.answer(), "not in time");
  EXPECT_EQ(theirs.acquire(lock("permits:1:2")), "held");
  EXPECT_EQ(theirs.release(lock("permits:1:2")), "released");
  EXPECT_EQ(theirs.release(lock("permits:1:2")), "released");
  EXPECT_EQ(ours.acquire(lock("permits:2:2")), "held");
  EXPECT_EQ(ours.release(lock("permits:2:2")), "released");
}

}  // namespace
}  // namespace zklock::test
