#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include <zklock/error.hpp>

#include "tests/unit/operations/curator_on_a_port.hpp"

/// A semaphore in Curator's layout, request by request: the mutex beside the leases, then as many leases as are wanted.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using namespace test_support::curator;  // NOLINT: the words of these tests
using client::code;
using test_support::scripted_port;
namespace request = client::request;

// ---- what it sends

TEST(session_curator_semaphore, f60_sends_what_curator_sends_the_mutex_then_the_leases_then_the_mutex_goes) {
  scripted_port port;
  auto lock = ask_for(port, two_of_three);
  ASSERT_EQ(port.asked(), "create list list");
  EXPECT_EQ(port.path_of(0), "/s/locks/" + owner(1) + "lock-");
  EXPECT_EQ(port.request<request::create>(0).data, "127.0.0.1");
  EXPECT_EQ(port.request<request::create>(0).mode, client::create_mode::ephemeral_sequential);
  EXPECT_EQ(port.path_of(1), "/s") << "strangers beside it";
  EXPECT_EQ(port.path_of(2), "/s/locks");
  answer(port, 3);
  ASSERT_EQ(port.asked(), "create list list create list list");
  EXPECT_EQ(port.path_of(0), "/s/leases/" + owner(2) + "lease-");
  EXPECT_EQ(port.request<request::create>(0).data, "127.0.0.1");
  EXPECT_EQ(port.path_of(1), "/s");
  EXPECT_EQ(port.path_of(2), "/s/leases");
  EXPECT_EQ(port.path_of(3), "/s/leases/" + owner(3) + "lease-");
  answer(port, 5);
  EXPECT_EQ(lock->answers, 0) << "a lease counts when it is in the list";
  port.answer();
  ASSERT_TRUE(lock->hold);
  ASSERT_EQ(port.asked(), "remove") << "the grant does not wait for it";
  EXPECT_EQ(port.path_of(0), "/s/locks/" + owner(1) + "lock-0000000005");
  port.answer();
  EXPECT_EQ(port.nodes_under("/s/locks").size(), 0U);
  EXPECT_EQ(port.nodes_under("/s/leases").size(), 2U);
  EXPECT_EQ(lock->hold->path(), "/s");
  EXPECT_EQ(lock->hold->node(),
            "/s/leases/" + owner(2) + "lease-0000000005\n/s/leases/" + owner(3) + "lease-0000000006");
  EXPECT_EQ(lock->hold->token(), lock->hold->parts()[0]->token());
  EXPECT_LT(lock->hold->parts()[0]->token(), lock->hold->parts()[1]->token());

  const auto released = release_all(port, *lock);
  EXPECT_EQ(port.asked(), "remove remove");
  port.answer_all();
  for (const auto& one : released) {
    EXPECT_EQ(one->answers, 1);
    EXPECT_FALSE(one->error);
  }
  expect_nothing_left(port);
}

TEST(session_curator_semaphore, the_first_use_of_a_path_makes_its_lock_nodes_as_containers_that_say_nothing) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire_as(one_of_three, "/s");
  answer(port, 3);
  ASSERT_EQ(port.asked(), "create create create list list");
  EXPECT_EQ(port.path_of(0), "/s");
  EXPECT_EQ(port.path_of(1), "/s/locks");
  for (const std::size_t made : {0U, 1U}) {
    EXPECT_EQ(port.request<request::create>(made).mode, client::create_mode::container);
    EXPECT_EQ(port.request<request::create>(made).data, "");
  }
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  EXPECT_TRUE(port.nodes.contains("/s/leases"));
  EXPECT_EQ(port.data["/s"], "") << "the limit stands nowhere";
}

// ---- waiting

TEST(session_curator_semaphore, f59_of_several_leases_one_watches_for_all) {
  scripted_port port;
  make_lock_nodes(port);
  for (const int number : {1, 2, 3}) {
    port.others_create(held_lease(number));
  }
  port.connect();
  recipes::acquire_spec all = one_of_three;
  all.permits = 3;
  auto lock = port.acquire_as(all, "/s");
  port.answer_all();
  EXPECT_EQ(lock->answers, 0);
  EXPECT_EQ(port.watches.size(), 1U);
  port.others_remove(held_lease(2));
  EXPECT_EQ(port.asked(), "list") << "one list, however many are wanted";
  port.answer_all();
  port.others_remove(held_lease(1));
  port.answer_all();
  EXPECT_EQ(lock->answers, 0) << "all or none";
  port.others_remove(held_lease(3));
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(lock->hold->parts().size(), 3U);
}

TEST(session_curator_semaphore, f60_a_waiter_for_the_mutex_has_no_lease_and_begins_them_when_it_is_its_turn) {
  scripted_port port;
  auto lock = wait_behind(port, busy_with::their_mutex);
  EXPECT_TRUE(port.nodes_under("/s/leases").empty());
  port.others_remove(mutex_of_others);
  port.answer_all();
  EXPECT_TRUE(lock->hold);
}

// ---- the mutex and the leases go

TEST(session_curator_semaphore, f34_the_removal_of_its_mutex_is_repeated_until_done_and_costs_the_hold_nothing) {
  scripted_port port;
  auto lock = ask_for(port, one_of_three);
  answer(port, 6);
  ASSERT_TRUE(lock->hold);
  ASSERT_EQ(port.asked(), "remove");
  for (int outage = 0; outage < 3; ++outage) {
    reconnect(port);
    EXPECT_EQ(port.asked(), "check remove") << "another waits for it";
  }
  port.answer();
  port.answer(code::throttled);
  port.advance_to(port.now + 100ms);
  port.answer_all();
  EXPECT_TRUE(port.nodes_under("/s/locks").empty());
  EXPECT_TRUE(lock->hold->held_at(port.now));
}

TEST(session_curator_semaphore, f34_f35_its_mutex_goes_also_when_the_hold_is_given_back_before_it_has_gone) {
  scripted_port port;
  auto lock = ask_for(port, one_of_three);
  answer(port, 6);
  ASSERT_EQ(port.asked(), "remove");
  release_all(port, *lock);
  reconnect(port);
  EXPECT_EQ(port.asked(), "remove remove");
  port.answer_all();
  expect_nothing_left(port);
}

TEST(session_curator_semaphore, f66_a_mutex_that_is_taken_away_while_leases_are_waited_for_is_a_new_start) {
  scripted_port port;
  auto lock = wait_behind(port, busy_with::their_leases);
  pass_heartbeat(port);
  ASSERT_EQ(port.nodes_under("/s/locks").size(), 1U);
  port.others_remove("/s/locks/" + port.nodes_under("/s/locks").front());
  port.answer_all();
  EXPECT_EQ(lock->answers, 0);
  EXPECT_EQ(port.nodes_under("/s/locks").size(), 1U) << "of the new start";
  EXPECT_EQ(port.nodes_under("/s/leases").size(), 4U) << "two of others, two own";
  port.others_remove(held_lease(1));
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(own_nodes(port), 2U);
}

TEST(session_curator_semaphore, a_set_on_its_nodes_as_of_curators_revoker_does_no_harm) {
  scripted_port port;
  auto lock = wait_behind(port, busy_with::their_leases);
  pass_heartbeat(port);
  for (const std::string above : {"/s/locks", "/s/leases"}) {
    for (const std::string& name : port.nodes_under(above)) {
      port.others_set(above + "/" + name, "__REVOKE__");
    }
  }
  port.answer_all();
  port.others_remove(held_lease(1));
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  pass_heartbeat(port);
  for (const auto& node : lock->hold->parts()) {
    port.others_set(node->node(), "__REVOKE__");
  }
  pass_heartbeat(port);
  EXPECT_TRUE(lock->hold->held_at(port.now));
  port.others_remove(lock->hold->parts()[1]->node());
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed) << "they are watched still";
}

// ---- strangers

TEST(session_curator_semaphore, beside_native_contenders_it_is_wrong_and_leaves_no_node_not_even_a_lock_node) {
  for (const std::string& theirs :
       {"permit-" + std::string(32, 'a') + "-1-0000000001", std::string(32, 'a') + "-lock-0000000001",
        "write-" + std::string(32, 'a') + "-0000000001", others_prefix(1) + "__WRIT__0000000001"}) {
    for (const bool used_before : {false, true}) {
      scripted_port port;
      port.others_create("/s");
      port.others_create("/s/" + theirs);
      if (used_before) {
        make_lock_nodes(port);
      }
      const auto before = port.nodes;
      port.connect();
      auto lock = port.acquire_as(one_of_three, "/s");
      port.answer_all();
      EXPECT_EQ(lock->error, errc::wrong_recipe) << theirs;
      EXPECT_EQ(lock->path, "/s");
      EXPECT_EQ(port.nodes, before) << theirs;
      expect_nothing_left(port);
    }
  }
}

TEST(session_curator_semaphore, one_of_two_contenders_of_different_recipes_that_come_together_gives_way) {
  scripted_port port;
  auto lock = ask_for(port, one_of_three);
  answer(port, 3);
  port.others_create("/s/" + std::string(32, 'a') + "-lock-0000000001");  // after the look of the mutex
  port.answer_all();
  EXPECT_EQ(lock->error, errc::wrong_recipe) << "the look of the lease";
  expect_nothing_left(port);
}

TEST(session_curator_semaphore, a_native_lock_at_its_path_is_the_wrong_recipe_and_leaves_no_node) {
  scripted_port port;
  auto semaphore = ask_for(port, one_of_three);
  port.answer_all();
  ASSERT_TRUE(semaphore->hold);
  for (const recipes::acquire_spec& native :
       {recipes::acquire_spec{}, recipes::acquire_spec{recipes::contender_kind::write},
        recipes::acquire_spec{recipes::contender_kind::read},
        recipes::acquire_spec{recipes::contender_kind::permit, 1, 3}}) {
    auto lock = port.acquire_as(native, "/s");
    port.answer_all();
    EXPECT_EQ(lock->error, errc::wrong_recipe);
    EXPECT_EQ(port.nodes_under("/s"), (std::vector<std::string>{"leases", "locks"}));
  }
  EXPECT_TRUE(semaphore->hold->held_at(port.now));
}

}  // namespace
}  // namespace zklock::detail
