// Local hand-over on a real server: several threads of one session, and another session, on one path.
#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

class hand_over : public on_a_server {
 protected:
  static constexpr std::uint32_t turns_max = 20;
  static constexpr int threads = 4;

  proxy& way_ = new_proxy();
  session& here_ = open_through(way_);
  session& there_ = open({.label = "there"});
  recursive_mutex lock_{here_, "/lock", {.hand_over = local_handover{.max_turns = turns_max, .max_time = 1h}}};
  recursive_mutex theirs_{there_, "/lock"};
};

TEST_F(hand_over, takes_far_fewer_than_one_create_for_each_acquisition) {
  constexpr int rounds = 50;
  std::atomic<int> creates = 0, lists = 0, removals = 0;
  const hooks counting(way_, [&](const request_frame& asked) {
    creates += asked.opcode == opcode::create || asked.opcode == opcode::create2 ? 1 : 0;
    lists += asked.opcode == opcode::get_children || asked.opcode == opcode::get_children2 ? 1 : 0;
    removals += asked.opcode == opcode::remove ? 1 : 0;
    return verdict::pass;
  });
  int protected_count = 0;  // by the lock alone
  fencing_token last;
  {
    grant first = theirs_.acquire();  // until all threads have come
    std::atomic<int> come = 0;
    std::vector<std::future<void>> running;
    for (int number = 0; number < threads; ++number) {
      running.push_back(in_a_thread([&] {
        ++come;
        for (int round = 0; round < rounds; ++round) {
          const grant held = lock_.acquire();
          ++protected_count;
          EXPECT_GT(held.token(), last);
          EXPECT_LT(held.token().turn, turns_max);
          last = held.token();
        }
      }));
    }
    EXPECT_TRUE(eventually([&] { return come == threads; }));
    EXPECT_TRUE(queue_grows_to(2));
    first.release();
    running.push_back(in_a_thread([&] {
      for (int round = 0; round < rounds / 5; ++round) {
        const grant held = theirs_.acquire();
        ++protected_count;
        EXPECT_GT(held.token(), last);
        last = held.token();
      }
    }));
  }
  EXPECT_EQ(protected_count, threads * rounds + rounds / 5);
  EXPECT_LT(creates, threads * rounds / 4);
  EXPECT_LT(lists, threads * rounds / 4);
  EXPECT_LT(removals, threads * rounds / 4);
  RecordProperty("creates", creates);
}

TEST_F(hand_over, lets_a_client_elsewhere_in_within_the_bound_on_turns) {
  std::atomic<bool> over = false;
  std::atomic<int> turns = 0;
  std::vector<std::future<void>> running;
  for (int number = 0; number < threads; ++number) {
    running.push_back(in_a_thread([&] {
      while (!over) {
        const grant held = lock_.acquire();
        ++turns;
      }
    }));
  }
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(eventually([&, before = turns.load()] { return turns > before + 5; }));
    auto asked = in_a_thread([&] { return theirs_.acquire(); });
    EXPECT_TRUE(eventually([&] {
      const auto queue = theirs_.queue();
      return ready(asked, 0ms) ||
             std::any_of(queue.begin(), queue.end(), [](const participant& one) { return one.label == "there"; });
    }));
    const int before = turns;
    const grant held = asked.get();
    EXPECT_LE(turns - before, static_cast<int>(turns_max)) << "those of the node that stood before it";
  }
  over = true;
}

TEST_F(hand_over, goes_on_with_a_new_node_when_an_operator_removes_the_one_that_holds) {
  session& watchful = open({.timeout = 2s});  // it looks at its own node soon
  recursive_mutex lock(watchful, "/lock", {.hand_over = local_handover{.max_turns = turns_max, .max_time = 1h}});
  grant first = lock.acquire();
  auto next = in_a_thread([&] { return lock.acquire(); });
  server_.remove(full(first.node()));
  const grant held = next.get();
  EXPECT_GT(held.token(), first.token());
  EXPECT_FALSE(first.held());
  EXPECT_EQ(first.loss_reason(), loss_reason::node_removed);
}

}  // namespace
}  // namespace zklock::test
