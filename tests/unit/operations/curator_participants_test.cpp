// Reading the holders and the waiters of a semaphore of Curator's.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <zklock/error.hpp>

#include "tests/unit/operations/asked_operation.hpp"

namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using test_support::scripted_port;
using names = std::vector<std::string>;

using test_support::asked_queue;

names listed_in(const asked_queue& asked) {
  names all;
  for (const recipes::seen_contender& one : asked.queue) {
    all.push_back((one.holds ? "+" : "-") + one.name);
  }
  return all;
}

std::shared_ptr<asked_queue> query_participants(scripted_port& port, const recipes::sought_contenders& of) {
  return test_support::list_participants(port, 2s, of);
}

constexpr recipes::sought_contenders leases_of_two{recipes::contender_kind::lease, recipes::layout::curator, 2};
constexpr recipes::sought_contenders anything{};

void put_semaphore(scripted_port& port) {
  port.others_create("/l/leases");
  port.others_create("/l/locks");
  port.others_create("/l/leases/b-lease-0000000002");
  port.others_create("/l/leases/a-lease-0000000001");
  port.others_create("/l/locks/d-lock-0000000008");
  port.others_create("/l/locks/c-lock-0000000007");
}

/// The oldest request, by a look at a node of this session, made then.
void answer_with(scripted_port& port, std::int64_t session, std::int64_t czxid) {
  client::reply what;
  what.stat.ephemeral_owner = session;
  what.stat.czxid = czxid;
  const auto asked = port.requests.front();
  port.requests.pop_front();
  port.engine.on_reply(asked.generation, asked.id, what, port.now);
}

TEST(participants_query_of_leases, lists_the_line_before_the_leases_and_shows_it_behind_them) {
  scripted_port port;
  put_semaphore(port);
  port.connect();
  auto asked = query_participants(port, leases_of_two);
  EXPECT_EQ(port.asked(), "sync list list");
  EXPECT_EQ(port.path_of(1), "/l/locks") << "a contender that goes over meanwhile is in one of them";
  EXPECT_EQ(port.path_of(2), "/l/leases");
  port.answer();
  port.answer();
  EXPECT_EQ(port.asked(), "list");
  port.answer();
  EXPECT_EQ(port.asked(), "get get get get");
  EXPECT_EQ(port.path_of(0), "/l/leases/a-lease-0000000001");
  EXPECT_EQ(port.path_of(3), "/l/locks/d-lock-0000000008");
  port.answer_all();
  EXPECT_EQ(listed_in(*asked), (names{"+leases/a-lease-0000000001", "+leases/b-lease-0000000002",
                                      "-locks/c-lock-0000000007", "-locks/d-lock-0000000008"}));
  EXPECT_EQ(port.watches.size(), 0U) << "a look leaves no watch";
}

TEST(participants_query_of_leases, shows_the_first_in_line_that_has_made_its_lease_once_and_as_waiting) {
  struct situation {
    std::int64_t lease_of, leased_at;
    std::size_t shown;
  };
  for (const auto& [lease_of, leased_at, shown] : {situation{7, 60, 3}, {7, 40, 4}, {8, 60, 4}, {0, 60, 4}}) {
    scripted_port port;
    put_semaphore(port);
    port.connect();
    auto asked = query_participants(port, leases_of_two);
    while (port.asked() != "get get get get") {
      port.answer();
    }
    answer_with(port, 7, 10);
    answer_with(port, lease_of, leased_at);
    answer_with(port, 7, 50);  // the first in line
    answer_with(port, 7, 55);
    ASSERT_EQ(asked->queue.size(), shown) << lease_of << " " << leased_at;
    EXPECT_EQ(asked->queue[1].holds, shown == 4);
    EXPECT_EQ(asked->queue.back().name, "locks/d-lock-0000000008");
    EXPECT_TRUE(asked->queue[0].holds);
  }
}

TEST(participants_query_of_leases, f51_leaves_out_a_contender_that_goes_meanwhile_and_then_sees_the_first) {
  scripted_port port;
  put_semaphore(port);
  port.connect();
  auto asked = query_participants(port, leases_of_two);
  while (port.asked() != "get get get get") {
    port.answer();
  }
  port.others_remove("/l/locks/c-lock-0000000007");
  answer_with(port, 7, 10);
  answer_with(port, 8, 60);
  port.answer();
  answer_with(port, 8, 50);
  EXPECT_EQ(listed_in(*asked), (names{"+leases/a-lease-0000000001", "-leases/b-lease-0000000002"}));
}

TEST(participants_query_of_leases, of_a_path_whose_recipe_is_not_known_asks_for_them_where_they_are) {
  scripted_port port;
  port.connect();
  auto none = query_participants(port, anything);
  EXPECT_EQ(port.asked(), "sync get list");
  port.answer_all();
  EXPECT_EQ(none->answers, 1);
  put_semaphore(port);
  auto asked = query_participants(port, anything);
  port.answer();
  port.answer();
  port.answer();
  EXPECT_EQ(port.asked(), "list list");
  port.answer_all();
  EXPECT_EQ(asked->queue.size(), 4U);
}

}  // namespace
}  // namespace zklock::detail
