#include <gtest/gtest.h>

#include <algorithm>

#include <zklock/error.hpp>

#include "tests/unit/operations/curator_on_a_port.hpp"

/// A semaphore in Curator's layout when requests fail, nodes are taken away, or the session ends.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using namespace test_support::curator;  // NOLINT: the words of these tests
using client::code;
using test_support::asked_lock;
using test_support::scripted_port;

void make_way(scripted_port& port, busy_with what) {
  const std::string in_the_way = what == busy_with::their_mutex ? mutex_of_others : held_lease(1);
  if (what != busy_with::nothing && port.nodes.contains(in_the_way)) {
    port.others_remove(in_the_way);
  }
}

/// Gives back what is held, whatever fails once more.
void expect_released(scripted_port& port, const std::shared_ptr<asked_lock>& lock) {
  port.advance_to(port.now + 200ms);
  port.answer_all();
  EXPECT_EQ(port.nodes_under("/s/leases").size(), 2U) << "F01, F29";
  EXPECT_TRUE(port.nodes_under("/s/locks").empty());
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::none);
  const auto released = release_all(port, lock);
  port.lose_answer();
  reconnect(port);
  port.answer_all();
  for (const auto& one : released) {
    EXPECT_EQ(one->answers, 1);
    EXPECT_FALSE(one->error);
  }
}

/// Plays an acquisition whose request number `step` fails like that, and its end. False: there is no such request.
bool play(std::size_t step, failure_kind how, busy_with what) {
  scripted_port port;
  auto lock = ask_for(port, two_of_three, what);
  bool failed = false;
  for (std::size_t answered = 0; answered < 200; ++answered) {
    if (port.requests.empty() && lock->answers != 0) {
      break;
    }
    if (port.requests.empty()) {
      port.advance_to(port.now + 200ms);  // what has failed is repeated while the others still stand
    }
    if (port.requests.empty()) {
      make_way(port, what);
    }
    if (port.requests.empty()) {
      continue;
    }
    failed = failed || answered == step;
    answered == step ? fail(port, how) : port.answer();
  }
  EXPECT_EQ(lock->answers, 1) << step;
  EXPECT_TRUE(lock->hold || how == failure_kind::refused) << step;
  EXPECT_LE(port.nodes_under("/s/leases").size(), 3U) << "one was made after the others were counted, at step " << step;
  if (what == busy_with::their_leases) {
    port.others_remove(held_lease(2));
  }
  if (lock->hold && how != failure_kind::refused) {
    expect_released(port, lock);
  } else if (lock->hold) {
    release_all(port, lock);
    port.answer_all();
  }
  const bool may_stay = how == failure_kind::refused;  // whose removal the server forbids
  EXPECT_LE(own_nodes(port), may_stay ? 1U : 0U) << step;
  EXPECT_EQ(port.locks.contender_count(), 0U);
  EXPECT_EQ(port.engine.servers().watch_count(), 0U);
  return failed;
}

TEST(session_curator_semaphore, f01_f02_f29_whatever_request_fails_it_is_held_whole_or_leaves_nothing) {
  for (const failure_kind how : all_failures) {
    for (const busy_with what : {busy_with::nothing, busy_with::their_mutex, busy_with::their_leases}) {
      std::size_t step = 0;
      while (play(step, how, what)) {
        ASSERT_FALSE(HasFailure()) << "step " << step << ", failure " << static_cast<int>(how) << ", behind "
                                   << static_cast<int>(what);
        ++step;
      }
      EXPECT_GE(step, 10U);
    }
  }
}

TEST(session_curator_semaphore, f02_two_losses_in_a_row_leave_one_lease_for_each_permit) {
  for (const bool mutex_first : {true, false}) {
    scripted_port port;
    auto lock = ask_for(port, two_of_three);
    answer(port, mutex_first ? 0 : 3);
    for (int loss = 0; loss < 3; ++loss) {
      port.lose_answer();
      reconnect(port);
    }
    port.answer_all();
    ASSERT_TRUE(lock->hold);
    EXPECT_EQ(own_nodes(port), 2U);
  }
}

TEST(session_curator_semaphore, f34_the_removal_of_its_mutex_is_repeated_until_it_is_done_and_costs_the_hold_nothing) {
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
  release_all(port, lock);
  reconnect(port);
  EXPECT_EQ(port.asked(), "remove remove");
  port.answer_all();
  expect_nothing_left(port);
}

// ---- nodes that are taken away

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

TEST(session_curator_semaphore, f12_f66_a_lease_that_is_taken_away_before_the_grant_is_a_new_start) {
  for (const std::size_t which : {0U, 1U}) {
    scripted_port port;
    auto lock = wait_behind(port, busy_with::their_leases);
    pass_heartbeat(port);  // one of the two has its place, and is watched
    const auto leases = port.nodes_under("/s/leases");
    std::vector<std::string> own;
    std::copy_if(leases.begin(), leases.end(), std::back_inserter(own),
                 [](const std::string& name) { return name.find("-4abc-") != std::string::npos; });
    ASSERT_EQ(own.size(), 2U);
    port.others_remove("/s/leases/" + own[which]);
    port.answer_all();
    EXPECT_EQ(lock->answers, 0);
    EXPECT_EQ(own_nodes(port), 3U) << "the mutex and two leases";
    port.others_remove(held_lease(2));
    port.answer_all();
    ASSERT_TRUE(lock->hold);
    EXPECT_EQ(own_nodes(port), 2U);
  }
}

TEST(session_curator_semaphore, f13_f67_with_one_lease_the_whole_hold_is_lost_told_once_and_the_rest_given_back) {
  for (const std::size_t which : {0U, 1U}) {
    scripted_port port;
    auto lock = hold_two(port);
    pass_heartbeat(port);
    port.others_remove(lock->hold->parts()[which]->node());
    EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed);
    EXPECT_EQ(port.lost, (std::vector<std::shared_ptr<hold>>{lock->hold})) << "one notice";
    EXPECT_EQ(port.asked(), "remove");
    port.answer_all();
    expect_nothing_left(port);
    for (const auto& released : release_all(port, lock)) {
      EXPECT_EQ(released->error, errc::lost);
    }
  }
}

TEST(session_curator_semaphore, a_lease_that_goes_just_after_the_hold_was_given_back_is_no_loss) {
  scripted_port port;
  auto lock = hold_two(port);
  pass_heartbeat(port);
  ASSERT_TRUE(lock->hold->end_by_release(port.now));
  port.others_remove(lock->hold->parts()[0]->node());
  EXPECT_TRUE(port.lost.empty());
  release_all(port, lock);
  port.answer_all();
  expect_nothing_left(port);
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

// ---- the session ends

TEST(session_curator_semaphore, none_of_whose_places_has_begun_says_why_there_will_be_no_session) {
  for (const auto& [event, why] : {std::pair(client::connection_state::expired, errc::session_expired),
                                   std::pair(client::connection_state::auth_failed, errc::authentication_failed)}) {
    scripted_port port(scripted_port::default_config(), true);
    auto lock = port.acquire_as(two_of_three, "/s");
    port.session_event(event);
    EXPECT_EQ(lock->answers, 1);
    EXPECT_EQ(lock->error, why);
    expect_nothing_left(port);
  }
}

TEST(session_curator_semaphore, f09_f10_a_session_that_ends_at_any_step_is_a_new_start_or_a_loss_that_is_told) {
  for (std::size_t step = 0; step < 12; ++step) {
    scripted_port port;
    auto lock = ask_for(port, two_of_three);
    answer(port, std::min<std::size_t>(step, 10));
    port.session_event(client::connection_state::expired);
    EXPECT_EQ(own_nodes(port), 0U);
    const bool held = lock->hold != nullptr;
    EXPECT_EQ(held, step >= 9) << step;
    if (held) {
      EXPECT_EQ(lock->hold->why_lost(), loss_reason::session_expired);
      EXPECT_EQ(port.lost, (std::vector<std::shared_ptr<hold>>{lock->hold}));
      EXPECT_EQ(port.locks.contender_count(), 0U);
      continue;
    }
    EXPECT_EQ(lock->answers, 0) << step;
    port.requests.clear();
    port.connect(0x200);
    port.answer_all();
    ASSERT_TRUE(lock->hold) << step;
    EXPECT_EQ(own_nodes(port), 2U);
    EXPECT_TRUE(port.nodes_under("/s/locks").empty());
  }
}

TEST(session_curator_semaphore, f11_a_session_that_ends_while_it_waits_is_a_new_start_in_the_next) {
  for (const busy_with what : {busy_with::their_mutex, busy_with::their_leases}) {
    scripted_port port;
    auto lock = wait_behind(port, what);
    port.session_event(client::connection_state::expired);
    port.connect(0x200);
    port.answer_all();
    EXPECT_EQ(lock->answers, 0);
    make_way(port, what);
    port.answer_all();
    ASSERT_TRUE(lock->hold);
    EXPECT_EQ(own_nodes(port), 2U);
  }
}

TEST(session_curator_semaphore, f15_past_its_deadline_the_hold_is_lost_as_one) {
  scripted_port port;
  auto lock = hold_two(port);
  port.disconnect();
  port.advance_to(port.now + 7s);
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::deadline_passed);
  EXPECT_EQ(port.lost, (std::vector<std::shared_ptr<hold>>{lock->hold}));
  EXPECT_EQ(port.locks.contender_count(), 0U);
}

TEST(session_curator_semaphore,
     f15_f78_on_an_adopted_handle_its_leases_are_removed_when_the_deadline_or_a_close_ends_it) {
  for (const bool closed : {false, true}) {
    scripted_port port(scripted_port::default_config(), true);
    auto lock = hold_two(port);
    auto waits = port.acquire_as(two_of_three, "/s");
    port.answer_all();
    ASSERT_EQ(waits->answers, 0);
    if (closed) {
      port.engine.close(port.now + 5s, port.now);
    } else {
      port.disconnect();
      port.advance_to(port.now + 7s);
    }
    EXPECT_EQ(lock->hold->why_lost(), closed ? loss_reason::session_closed : loss_reason::deadline_passed);
    EXPECT_EQ(port.lost, (std::vector<std::shared_ptr<hold>>{lock->hold}));
    if (!closed) {
      port.connect();
    }
    port.answer_all();
    if (closed) {
      EXPECT_EQ(waits->error, errc::session_closed);
      EXPECT_EQ(own_nodes(port), 0U);
      EXPECT_EQ(port.locks.contender_count(), 0U);
    } else {
      answer_until_answered(port, *waits);
      EXPECT_TRUE(waits->hold) << "what was held lets in who waits";
      EXPECT_EQ(own_nodes(port), 2U);
    }
  }
}

TEST(session_curator_semaphore, f19_a_grant_that_comes_past_the_deadline_waits_for_a_fresh_answer) {
  scripted_port port;
  auto lock = ask_for(port, one_of_three);
  answer(port, 5);
  ASSERT_EQ(port.asked(), "list");
  port.now += 7s;  // nothing was heard meanwhile
  port.answer();
  EXPECT_EQ(lock->answers, 0);
  EXPECT_NE(port.asked().find("remove"), std::string::npos) << "the mutex is not needed for that";
  answer_until_answered(port, *lock);
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(own_nodes(port), 1U);
}

}  // namespace
}  // namespace zklock::detail
