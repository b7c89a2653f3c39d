#include <gtest/gtest.h>

#include <algorithm>

#include <zklock/error.hpp>

#include "tests/unit/operations/curator_on_a_port.hpp"

/// A multi-lock in Curator's layout: its parts one by one, in the order of its list.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using namespace test_support::curator;  // NOLINT: the words of these tests
using client::code;
using test_support::asked_lock;
using test_support::scripted_port;

const std::string in_the_way = "/l/" + others_prefix(1) + "lock-0000000001";

/// A semaphore's permit, a native write lock, a mutex.
std::shared_ptr<asked_lock> ask(scripted_port& port, std::optional<instant> until = {}, bool one_try = false) {
  make_lock_nodes(port);
  port.connect();
  return port.acquire_all({{"/m", {contender_kind::write}}, {"/s", two_of_three}, {"/l", mutex}}, until, one_try);
}

std::shared_ptr<asked_lock> wait_for_last(scripted_port& port, std::optional<instant> until = {}) {
  port.others_create(in_the_way);
  auto lock = ask(port, until);
  port.answer_all();
  EXPECT_EQ(lock->answers, 0);
  return lock;
}

std::shared_ptr<asked_lock> hold_all(scripted_port& port) {
  auto lock = ask(port);
  port.answer_all();
  EXPECT_TRUE(lock->hold);
  return lock;
}

std::vector<std::shared_ptr<hold>> all_of(const std::vector<std::shared_ptr<hold>>& some) { return some; }

void release_parts(scripted_port& port, const std::shared_ptr<asked_lock>& lock) {
  lock->hold->end_by_release(port.now);
  for (const auto& part : lock->hold->parts()) {
    part->end_by_release(port.now);
    for (const auto& node : part->parts().empty() ? all_of({part}) : part->parts()) {
      port.release(node);
    }
  }
  port.answer_all();
}

TEST(session_curator_multi_lock, f109_its_parts_are_taken_one_by_one_in_the_order_of_the_list) {
  scripted_port port;
  auto lock = ask(port);
  ASSERT_EQ(port.asked(), "create list");
  EXPECT_TRUE(port.path_of(0).starts_with("/m/write-"));
  answer(port, 2);
  ASSERT_EQ(port.asked(), "create list list");
  EXPECT_TRUE(port.path_of(0).starts_with("/s/locks/"));
  answer(port, 3);
  ASSERT_EQ(port.asked(), "create list list create list list");
  EXPECT_TRUE(port.path_of(0).starts_with("/s/leases/"));
  answer(port, 6);
  ASSERT_EQ(port.asked(), "remove create list") << "the semaphore's mutex passes at once";
  EXPECT_TRUE(port.path_of(0).starts_with("/s/locks/"));
  EXPECT_TRUE(port.path_of(1).starts_with("/l/_c_"));
  answer(port, 2);
  EXPECT_EQ(lock->answers, 0);
  port.answer();
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(lock->hold->path(), "/m\n/s\n/l");
  EXPECT_EQ(own_nodes(port), 4U);
  EXPECT_EQ(port.asked(), "nothing");
}

TEST(session_curator_multi_lock, each_part_has_the_token_of_its_own_node_and_the_whole_that_of_the_first) {
  scripted_port port;
  auto lock = hold_all(port);
  const auto& parts = lock->hold->parts();
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(lock->hold->token(), parts[0]->token());
  EXPECT_LT(parts[0]->token(), parts[1]->token());
  EXPECT_LT(parts[1]->token(), parts[2]->token());
  EXPECT_EQ(parts[1]->path(), "/s");
  EXPECT_EQ(parts[1]->parts().size(), 2U);
  EXPECT_EQ(parts[1]->token(), parts[1]->parts()[0]->token());
  release_parts(port, lock);
  expect_nothing_left(port);
}

TEST(session_curator_multi_lock, f109_two_of_one_list_never_wait_for_each_other) {
  scripted_port port;
  make_lock_nodes(port);
  port.connect();
  const std::vector<scripted_port::path_and_claim> list{{"/l", mutex}, {"/m", mutex}};
  auto first = port.acquire_all(list);
  auto second = port.acquire_all(list);
  port.answer_all();
  EXPECT_TRUE(first->hold);
  EXPECT_EQ(second->answers, 0);
  EXPECT_EQ(port.nodes_under("/m").size(), 1U) << "whoever waits for the first has nothing of the second";
  release_parts(port, first);
  EXPECT_TRUE(second->hold);
}

/// What the layout cannot keep: who takes its parts one by one, and who enlists for all of them at once, can wait for each
/// other, also with one order of the list. All multi-locks over the same paths have to be of one layout.
TEST(session_curator_multi_lock, f109_beside_a_native_one_over_the_same_paths_it_can_deadlock_until_its_limit) {
  scripted_port port;
  port.connect();
  const std::vector<scripted_port::path_and_claim> in_turn{{"/l", mutex}, {"/m", mutex}};
  const std::vector<scripted_port::path_and_claim> at_once{{"/l", {}}, {"/m", {}}};
  auto curators = port.acquire_all(in_turn, port.now + 2s);
  port.answer();
  auto native = port.acquire_all(at_once);
  port.answer_all();
  EXPECT_EQ(curators->answers + native->answers, 0) << "each has what the other waits for";
  answer_until_answered(port, *curators);
  EXPECT_LT(port.now, 110s);
  port.answer_all();
  EXPECT_FALSE(curators->hold);
  EXPECT_TRUE(native->hold);
}

TEST(session_curator_multi_lock, f64_f66_one_limit_holds_for_the_whole_and_what_was_taken_is_given_back) {
  scripted_port port;
  const instant until = port.now + 2s;
  auto lock = wait_for_last(port, until);
  EXPECT_EQ(own_nodes(port), 4U);
  answer_until_answered(port, *lock);
  EXPECT_LT(port.now, until + 1s);
  EXPECT_FALSE(lock->error) << "the queue was seen";
  EXPECT_FALSE(lock->hold);
  port.answer_all();
  expect_nothing_left(port);
}

TEST(session_curator_multi_lock, one_try_gives_back_what_it_has_when_a_later_part_is_not_to_be_had) {
  scripted_port port;
  port.others_create(in_the_way);
  auto lock = ask(port, {}, true);
  port.answer_all();
  EXPECT_EQ(lock->answers, 1);
  EXPECT_FALSE(lock->error);
  EXPECT_FALSE(lock->hold);
  expect_nothing_left(port);
}

TEST(session_curator_multi_lock, f66_a_part_that_is_refused_is_named_and_the_earlier_ones_are_given_back) {
  const std::vector<std::pair<std::string, std::string>> strangers{
      {"/l", "/l/write-" + std::string(32, 'a') + "-0000000001"},
      {"/s", "/s/x-lock-0000000001"},
      {"/m", "/m/x-lock-0000000001"}};
  for (const auto& [where, stranger] : strangers) {
    scripted_port port;
    port.others_create(stranger);
    auto lock = ask(port);
    port.answer_all();
    EXPECT_EQ(lock->error, errc::wrong_recipe) << where;
    EXPECT_EQ(lock->path, where);
    expect_nothing_left(port);
  }
}

TEST(session_curator_multi_lock, a_part_whose_lock_node_may_not_be_made_ends_it_and_is_named) {
  scripted_port port;
  make_lock_nodes(port);
  port.refuses["/n"] = code::no_auth;
  port.connect();
  auto lock = port.acquire_all({{"/l", mutex}, {"/n", mutex}});
  answer_at_most(port, 60);
  EXPECT_EQ(lock->error, errc::permission_denied);
  EXPECT_EQ(lock->path, "/n");
  expect_nothing_left(port);
}

TEST(session_curator_multi_lock, the_first_use_of_its_paths_makes_their_lock_nodes) {
  scripted_port port;
  port.nodes.clear();
  port.connect();
  auto lock = port.acquire_all({{"/a/l", mutex}, {"/p", {contender_kind::permit, 1, 3}}, {"/s", one_of_three}});
  port.answer_all();
  EXPECT_TRUE(lock->hold);
  EXPECT_EQ(port.data["/p"], "limit=3\n") << "a native part in its own layout";
  EXPECT_EQ(own_nodes(port), 3U);
}

TEST(session_curator_multi_lock, f29_f31_stopping_it_at_any_step_leaves_nothing) {
  for (std::size_t step = 0; step < 14; ++step) {
    scripted_port port;
    auto lock = ask(port);
    answer(port, step);
    abandon(port, lock);
    ASSERT_FALSE(HasFailure()) << step;
  }
}

TEST(session_curator_multi_lock, f01_f66_whatever_answer_is_lost_it_is_held_whole) {
  for (const bool done : {false, true}) {
    for (std::size_t step = 0; step < 15; ++step) {
      scripted_port port;
      auto lock = ask(port);
      answer(port, step);
      if (done && !port.requests.empty()) {
        port.lose_answer();
      }
      reconnect(port);
      port.answer_all();
      ASSERT_TRUE(lock->hold) << step;
      EXPECT_EQ(own_nodes(port), 4U) << step;
      release_parts(port, lock);
      expect_nothing_left(port);
    }
  }
}

TEST(session_curator_multi_lock, f66_a_part_that_goes_while_others_are_waited_for_is_a_new_start_with_all) {
  scripted_port port;
  auto lock = wait_for_last(port);
  pass_heartbeat(port);
  port.others_remove("/m/" + port.nodes_under("/m").front());
  port.answer_all();
  EXPECT_EQ(lock->answers, 0);
  EXPECT_EQ(own_nodes(port), 4U);
  port.others_remove(in_the_way);
  port.answer_all();
  EXPECT_TRUE(lock->hold);
  EXPECT_EQ(own_nodes(port), 4U);
}

TEST(session_curator_multi_lock, f67_it_is_lost_with_any_node_whose_part_is_named_and_the_rest_is_given_back) {
  for (const auto& [above, which] : {std::pair{"/m", 0}, std::pair{"/s", 1}, std::pair{"/l", 2}}) {
    scripted_port port;
    auto lock = hold_all(port);
    pass_heartbeat(port);
    const hold& part = *lock->hold->parts()[static_cast<std::size_t>(which)];
    port.others_remove(part.parts().empty() ? part.node() : part.parts().back()->node());
    EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed);
    EXPECT_EQ(lock->hold->lost_part(), above);
    for (const auto& one : lock->hold->parts()) {
      EXPECT_EQ(one->why_lost(), loss_reason::node_removed);
      EXPECT_EQ(std::count(port.lost.begin(), port.lost.end(), one), 1) << "who holds it as a part is told";
    }
    EXPECT_EQ(std::count(port.lost.begin(), port.lost.end(), lock->hold), 1);
    EXPECT_EQ(port.lost.size(), 4U) << "a lease is no hold of its own to the user";
    port.answer_all();
    expect_nothing_left(port);
  }
}

TEST(session_curator_multi_lock, f10_with_the_session_all_parts_are_lost_and_none_is_to_blame) {
  scripted_port port;
  auto lock = hold_all(port);
  port.session_event(client::connection_state::expired);
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::session_expired);
  EXPECT_EQ(lock->hold->lost_part(), "");
  for (const auto& one : lock->hold->parts()) {
    EXPECT_EQ(one->why_lost(), loss_reason::session_expired);
  }
  EXPECT_EQ(port.locks.contender_count(), 0U);
}

TEST(session_curator_multi_lock, f26_closing_ends_it_in_any_step_or_tells_its_hold) {
  for (std::size_t step = 0; step < 16; ++step) {
    scripted_port port;
    auto lock = ask(port);
    answer(port, std::min<std::size_t>(step, 14));
    if (step == 15) {
      port.answer_all();
    }
    port.engine.close(port.now + 1s, port.now);
    EXPECT_EQ(lock->answers, 1) << step;
    EXPECT_TRUE(lock->hold ? lock->hold->why_lost() == loss_reason::session_closed
                           : lock->error == errc::session_closed)
        << step;
    port.closed_by_client(1, true);
    EXPECT_EQ(port.locks.contender_count(), 0U);
  }
}

TEST(session_curator_multi_lock, a_writing_part_may_be_downgraded) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire_all({{"/l", mutex}, {"/m", writing}});
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  port.locks.downgrade(lock->hold->parts()[1], port.now);
  EXPECT_EQ(port.asked(), "multi");
  port.answer_all();
  EXPECT_NE(lock->hold->parts()[1]->node().find("__READ__"), std::string::npos);
  EXPECT_TRUE(lock->hold->held_at(port.now));
  release_parts(port, lock);
  expect_nothing_left(port);
}

}  // namespace
}  // namespace zklock::detail
