// One holds and the other waits: of each recipe, zklock and Curator in processes of their own, either way round.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "tests/interop/beside_others.hpp"

namespace zklock::test {
namespace {

/// A lock that is held, and what is asked for beside it. "Native": zklock's side is in its own layout.
struct contest {
  const char* name;
  const char* held;
  std::vector<std::string> held_paths;
  const char* wanted;
  std::vector<std::string> wanted_paths;
  bool native = false;
};
void PrintTo(const contest& one, std::ostream* to) { *to << one.name; }

const std::vector<std::string> one_path{"/lock"};
const std::vector<std::string> two_paths{"/first", "/second"};
const std::vector<std::string> second_path{"/second"};

const contest each_recipe[] = {
    {"mutex", "mutex", one_path, "mutex", one_path},
    {"semaphore_mutex", "semaphore-mutex", one_path, "semaphore-mutex", one_path},
    {"write_behind_write", "write", one_path, "write", one_path},
    {"read_behind_write", "write", one_path, "read", one_path},
    {"write_behind_read", "read", one_path, "write", one_path},
    {"permits", "permits:1:1", one_path, "permits:1:1", one_path},
    {"multi", "multi", two_paths, "multi", two_paths},
    {"selector", "selector", one_path, "selector", one_path},
    {"latch", "latch", one_path, "latch", one_path},
};
const contest variations[] = {
    {"native_mutex", "mutex", one_path, "mutex", one_path, true},
    {"one_permit_behind_all", "permits:2:2", one_path, "permits:1:2", one_path},
    {"all_permits_behind_one", "permits:1:2", one_path, "permits:2:2", one_path},
    {"semaphore_mutex_behind_a_permit", "permits:1:1", one_path, "semaphore-mutex", one_path},
    {"multi_behind_its_second_part", "mutex", second_path, "multi", two_paths},
    {"mutex_behind_a_part_of_a_multi", "multi", two_paths, "mutex", second_path},
    {"mutex_behind_a_selector", "selector", one_path, "mutex", one_path},
    {"selector_behind_a_mutex", "mutex", one_path, "selector", one_path},
    {"multi_of_semaphore_mutexes", "multi-semaphore-mutex", two_paths, "multi-semaphore-mutex", two_paths},
};

using pairing = std::tuple<contest, library>;

std::string name_of_pairing(const ::testing::TestParamInfo<pairing>& info) {
  const auto& [what, holder] = info.param;
  return std::string(what.name) + (holder == library::zklock ? "_curator_behind_zklock" : "_zklock_behind_curator");
}

class one_of_each : public beside_others, public ::testing::WithParamInterface<pairing> {
 protected:
  [[nodiscard]] static library holds() { return std::get<library>(GetParam()); }
  [[nodiscard]] static library waits() { return holds() == library::zklock ? library::curator : library::zklock; }
  [[nodiscard]] lock_at held() const { return lock(kind(what().held, holds()), what().held_paths); }
  [[nodiscard]] lock_at wanted() const { return lock(kind(what().wanted, waits()), what().wanted_paths); }

 private:
  [[nodiscard]] static const contest& what() { return std::get<contest>(GetParam()); }
  [[nodiscard]] static std::string kind(const std::string& name, library of) {
    return (what().native && of == library::zklock ? "native-" : "") + name;
  }
};
const auto both = ::testing::Values(library::zklock, library::curator);

class in_turn : public one_of_each {};
INSTANTIATE_TEST_SUITE_P(each_recipe, in_turn, ::testing::Combine(::testing::ValuesIn(each_recipe), both),
                         name_of_pairing);
INSTANTIATE_TEST_SUITE_P(variations, in_turn, ::testing::Combine(::testing::ValuesIn(variations), both),
                         name_of_pairing);

TEST_P(in_turn, f50_a_waiter_leaves_no_node_after_its_time_and_is_let_in_by_a_release) {
  peer& holder = start(holds());
  peer& waiter = start(waits());
  ASSERT_EQ(holder.acquire(held()), "held");
  const std::vector<std::string> alone = held_nodes();

  ASSERT_EQ(waiter.acquire(wanted(), 300ms), "not in time");
  EXPECT_TRUE(eventually([&] { return nodes() == alone; }));

  make_wait(waiter, wanted());
  EXPECT_EQ(holder.release(held()), "released");
  EXPECT_EQ(waiter.answer(), "held");
  EXPECT_EQ(holder.acquire(held(), 300ms), "not in time");
  EXPECT_EQ(waiter.release(wanted()), "released");
  EXPECT_EQ(holder.acquire(held()), "held");
  EXPECT_EQ(holder.release(held()), "released");
}

class at_the_others_end : public one_of_each {};
INSTANTIATE_TEST_SUITE_P(each_recipe, at_the_others_end, ::testing::Combine(::testing::ValuesIn(each_recipe), both),
                         name_of_pairing);

TEST_P(at_the_others_end, f50_a_waiter_is_let_in_when_the_holder_has_been_killed) {
  peer& holder = start(holds(), short_session);
  peer& waiter = start(waits());
  ASSERT_EQ(holder.acquire(held()), "held");
  make_wait(waiter, wanted());
  holder.kill();
  EXPECT_EQ(waiter.answer(), "held");
  EXPECT_EQ(waiter.release(wanted()), "released");
}

TEST_P(at_the_others_end, f50_f10_a_waiter_is_let_in_when_the_holders_session_has_expired) {
  proxy& way = new_proxy();
  peer& holder = start_through(way, holds());
  peer& waiter = start(waits());
  ASSERT_EQ(holder.acquire(held()), "held");
  make_wait(waiter, wanted());
  expire_behind(way);
  EXPECT_EQ(waiter.answer(), "held");
  way.set_mode(proxy_mode::pass);
  if (holds() == library::zklock) {
    const std::string ask = "state " + held().kind + " " + held().paths;
    EXPECT_TRUE(eventually([&] { return holder.ask(ask) == "lost"; }));
  }
  EXPECT_EQ(waiter.release(wanted()), "released");
}

TEST_P(at_the_others_end, f50_a_waiter_whose_session_expires_waits_on_in_another) {
  proxy& way = new_proxy();
  peer& holder = start(holds());
  peer& waiter = start_through(way, waits());
  ASSERT_EQ(holder.acquire(held()), "held");
  const std::size_t alone = held_nodes().size();
  make_wait(waiter, wanted());
  expire_behind(way);
  ASSERT_TRUE(eventually([&] { return nodes().size() == alone; }));
  way.set_mode(proxy_mode::pass);
  ASSERT_TRUE(more_than(alone)) << "it has not come back";
  EXPECT_FALSE(waiter.answers_within(150ms));
  EXPECT_EQ(holder.release(held()), "released");
  EXPECT_EQ(waiter.answer(), "held");
  EXPECT_EQ(waiter.release(wanted()), "released");
}

// The head of a queue may be on its way to a permit, with the inner mutex of a semaphore in its hand (F60, F61).
class behind_a_waiter : public one_of_each {};
INSTANTIATE_TEST_SUITE_P(some_recipes, behind_a_waiter,
                         ::testing::Combine(::testing::Values(each_recipe[0], each_recipe[1], each_recipe[2],
                                                              each_recipe[5], each_recipe[6]),
                                            both),
                         name_of_pairing);

TEST_P(behind_a_waiter, f50_f60_f61_that_is_killed_the_next_waiter_is_let_in) {
  peer& holder = start(waits());
  peer& first = start(holds(), short_session);
  peer& next = start(waits());
  ASSERT_EQ(holder.acquire(held()), "held");
  make_wait(first, wanted());
  const std::size_t before = nodes().size();
  next.begin_to_acquire(wanted());
  ASSERT_TRUE(more_than(before));
  first.kill();
  EXPECT_EQ(holder.release(held()), "released");
  EXPECT_EQ(next.answer(), "held");
  EXPECT_EQ(next.release(wanted()), "released");
}

// ---- those that do not exclude each other

TEST_F(beside_others, f50_readers_of_both_kinds_read_together_and_keep_a_writer_of_either_out) {
  peer& ours = start(library::zklock);
  peer& theirs = start(library::curator);
  for (auto [first, other] : {std::pair(&ours, &theirs), std::pair(&theirs, &ours)}) {
    ASSERT_EQ(first->acquire(lock("read")), "held");
    ASSERT_EQ(other->acquire(lock("read")), "held");
    EXPECT_EQ(first->release(lock("read")), "released");
    EXPECT_EQ(first->acquire(lock("write"), 300ms), "not in time");
    EXPECT_EQ(other->release(lock("read")), "released");
  }
}

TEST_F(beside_others, f50_permits_of_both_kinds_are_held_together_up_to_the_limit) {
  peer& ours = start(library::zklock);
  peer& theirs = start(library::curator);
  for (auto [first, other] : {std::pair(&ours, &theirs), std::pair(&theirs, &ours)}) {
    ASSERT_EQ(first->acquire(lock("permits:1:3")), "held");
    ASSERT_EQ(other->acquire(lock("permits:2:3")), "held");
    EXPECT_EQ(first->acquire(lock("permits:1:3"), 300ms), "not in time");
    EXPECT_EQ(other->acquire(lock("permits:1:3"), 300ms), "not in time");
    EXPECT_EQ(other->release(lock("permits:2:3")), "released");
    EXPECT_EQ(first->acquire(lock("permits:1:3")), "held");
    EXPECT_EQ(first->release(lock("permits:1:3")), "released");
    EXPECT_EQ(first->release(lock("permits:1:3")), "released");
  }
}

// A reader that waits for a writer that came later sleeps on; one that waits only for the first writer comes in too
// early.
TEST_F(beside_others, f50_f55_readers_between_writers_of_both_kinds_come_in_at_their_turn) {
  peer& ours = start(library::zklock);
  peer& theirs = start(library::curator);
  peer& our_reader = start(library::zklock);
  peer& their_reader = start(library::curator);
  peer& last = start(library::curator);
  ASSERT_EQ(theirs.acquire(lock("write")), "held");
  for (peer* next : {&ours, &our_reader, &their_reader, &last}) {
    const std::size_t before = nodes().size();
    next->begin_to_acquire(lock(next == &ours || next == &last ? "write" : "read"), 12s);
    ASSERT_TRUE(more_than(before));
  }
  EXPECT_EQ(theirs.release(lock("write")), "released");
  ASSERT_EQ(ours.answer(), "held");
  EXPECT_FALSE(our_reader.answers_within(150ms) || their_reader.answers_within(150ms));
  EXPECT_EQ(ours.release(lock("write")), "released");
  ASSERT_EQ(our_reader.answer(), "held");
  ASSERT_EQ(their_reader.answer(), "held");
  EXPECT_FALSE(last.answers_within(150ms));
  EXPECT_EQ(our_reader.release(lock("read")), "released");
  EXPECT_EQ(their_reader.release(lock("read")), "released");
  EXPECT_EQ(last.answer(), "held");
  EXPECT_EQ(last.release(lock("write")), "released");
}

}  // namespace
}  // namespace zklock::test
