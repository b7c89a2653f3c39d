#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <zklock/error.hpp>

#include "tests/unit/operations/curator_on_a_port.hpp"
#include "tests/unit/operations/semaphore_on_a_port.hpp"

/// A semaphore, whatever its layout: which waiter is let in, and how an acquisition or a hold ends.
/// Two of three permits.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using test_support::abandon;
using test_support::answer_at_most;
using test_support::answer_until_answered;
using test_support::expect_not_in_time;
using test_support::expect_nothing_left;
using test_support::nodes_of;
using test_support::obstacle;
using test_support::own_nodes;
using test_support::pass_heartbeat;
using test_support::reconnect;
using test_support::release_all;
using test_support::scripted_port;
using test_support::semaphore_layout;

class session_semaphore : public ::testing::TestWithParam<semaphore_layout> {
 protected:
  const semaphore_layout& in = GetParam();
};

INSTANTIATE_TEST_SUITE_P(in, session_semaphore, ::testing::ValuesIn(test_support::semaphore_layouts()),
                         [](const auto& layout) { return layout.param.name; });

// ---- acquiring

TEST_P(session_semaphore, a_lock_node_that_may_not_be_made_ends_it_at_either_step) {
  for (const auto& [forbidden, data] : in.lock_nodes(3)) {
    scripted_port port;
    port.refuses[forbidden] = code::no_auth;
    port.connect();
    auto lock = port.acquire_as(in.permits(1, 3), "/s");
    answer_at_most(port, 60);
    EXPECT_EQ(lock->error, errc::permission_denied) << forbidden;
    EXPECT_EQ(lock->path, "/s") << forbidden;
    expect_nothing_left(port);
  }
}

TEST_P(session_semaphore, f59_whichever_holder_leaves_the_first_waiter_is_let_in) {
  for (const std::string& leaves : in.two_holders()) {
    scripted_port port;
    auto lock = in.wait_behind(port, in.two_holders());
    EXPECT_EQ(own_nodes(port), in.nodes_of_waiter);
    EXPECT_EQ(port.nodes_under("/s/locks").size(), in.has_mutex ? 1U : 0U) << "it is the head of the line";
    EXPECT_EQ(port.watches.size(), in.watches_of_first_waiter);
    port.others_remove(leaves);
    port.answer_all();
    ASSERT_TRUE(lock->hold) << leaves;
    EXPECT_EQ(own_nodes(port), in.nodes_of_holder);
    EXPECT_TRUE(port.nodes_under("/s/locks").empty());
    EXPECT_TRUE(port.watches.empty());
  }
}

TEST_P(session_semaphore, f02_several_losses_in_a_row_leave_the_nodes_of_one_hold) {
  for (const std::size_t create : in.answers_before_creates) {
    scripted_port port;
    auto lock = in.ask(port);
    answer_at_most(port, create);
    for (int loss = 0; loss < 3; ++loss) {
      port.lose_answer();
      reconnect(port);
    }
    port.answer_all();
    ASSERT_TRUE(lock->hold);
    EXPECT_EQ(own_nodes(port), in.nodes_of_holder);
  }
}

// ---- a wait that ends without a grant

TEST_P(session_semaphore, one_try_waits_behind_nothing) {
  for (const obstacle& what : in.obstacles()) {
    scripted_port port;
    in.make_lock_nodes(port, 1);
    port.others_create(what.front());
    port.connect();
    auto lock = port.acquire_as(in.permits(1, 1), "/s", {}, true);
    for (int answers = 0; answers < 20 && lock->answers == 0; ++answers) {
      port.answer();
    }
    expect_not_in_time(*lock);
    port.answer_all();
    expect_nothing_left(port);
  }
}

TEST_P(session_semaphore, f29_f64_one_time_limit_holds_for_the_whole_wait_which_leaves_no_node) {
  for (const obstacle& what : in.obstacles()) {
    scripted_port port;
    const instant until = port.now + 2s;
    auto lock = in.wait_behind(port, what, until);
    answer_until_answered(port, *lock);
    EXPECT_LT(port.now, until + 1s);
    expect_not_in_time(*lock);
    port.answer_all();
    expect_nothing_left(port);
    for (const std::string& theirs : what) {
      EXPECT_TRUE(port.nodes.contains(theirs));
    }
  }
}

TEST_P(session_semaphore, f29_f31_stopping_it_at_any_step_leaves_nothing) {
  const std::pair<obstacle, std::size_t> situations[] = {{{}, in.requests_to_hold},
                                                         {in.two_holders(), in.requests_to_wait}};
  for (const auto& [what, requests] : situations) {
    for (std::size_t step = 0; step < requests; ++step) {
      scripted_port port;
      auto lock = in.ask(port, what);
      answer_at_most(port, step);
      abandon(port, lock);
      for (const std::string& theirs : what) {
        EXPECT_TRUE(port.nodes.contains(theirs));
      }
      ASSERT_FALSE(HasFailure()) << "after " << step << " of " << requests;
    }
  }
}

TEST_P(session_semaphore, stopping_it_before_there_is_a_connection_sends_nothing) {
  scripted_port port;
  auto lock = port.acquire_as(in.permits(2, 3), "/s");
  port.abandon(lock);
  EXPECT_EQ(lock->error, errc::abandoned);
  port.connect();
  EXPECT_EQ(port.asked(), "nothing");
  expect_nothing_left(port);
}

TEST_P(session_semaphore, f26_closing_at_any_step_answers_it_and_tells_a_hold_of_its_end) {
  for (std::size_t step = 0; step <= in.requests_to_hold + 1; ++step) {
    scripted_port port;
    auto lock = in.ask(port);
    answer_at_most(port, step);
    port.engine.close(port.now + 1s, port.now);
    EXPECT_EQ(lock->answers, 1) << step;
    EXPECT_EQ(lock->hold != nullptr, step >= in.requests_to_hold) << step;
    if (lock->hold) {
      EXPECT_EQ(lock->hold->why_lost(), loss_reason::session_closed);
      EXPECT_EQ(std::count(port.lost.begin(), port.lost.end(), lock->hold), 1);
      EXPECT_EQ(port.lost.size(), 1U) << "a lease is no hold of its own to the user";
    } else {
      EXPECT_EQ(lock->error, errc::session_closed) << step;
    }
    port.closed_by_client(1, true);
    EXPECT_EQ(port.locks.contender_count(), 0U);
  }
}

TEST_P(session_semaphore, f26_closing_before_there_is_a_connection_answers_it) {
  scripted_port port;
  auto lock = port.acquire_as(in.permits(2, 3), "/s");
  port.engine.close(port.now + 1s, port.now);
  EXPECT_EQ(lock->error, errc::session_closed);
  port.closed_by_client(1, true);
  EXPECT_EQ(port.closed_with.size(), 1U);
}

// ---- nodes that are taken away

TEST_P(session_semaphore, f12_f66_a_node_that_is_taken_away_before_the_grant_is_a_new_start) {
  for (std::size_t which = 0; which < in.nodes_of_holder; ++which) {
    scripted_port port;
    auto lock = in.wait_behind(port, in.two_holders());
    pass_heartbeat(port);  // one has its place, and is watched
    const auto own = in.own_permits(port);
    ASSERT_EQ(own.size(), in.nodes_of_holder);
    port.others_remove(own[which]);
    port.answer_all();
    EXPECT_EQ(lock->answers, 0);
    EXPECT_EQ(own_nodes(port), in.nodes_of_waiter);
    port.others_remove(in.two_holders().back());
    port.answer_all();
    ASSERT_TRUE(lock->hold);
    EXPECT_EQ(own_nodes(port), in.nodes_of_holder);
  }
}

TEST_P(session_semaphore, f13_f67_with_one_node_the_whole_hold_is_lost_told_once_and_the_rest_given_back) {
  for (std::size_t which = 0; which < in.nodes_of_holder; ++which) {
    scripted_port port;
    auto lock = in.hold_two(port);
    pass_heartbeat(port);
    port.others_remove(nodes_of(lock->hold)[which]->node());
    EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed);
    EXPECT_EQ(port.lost, (std::vector<std::shared_ptr<hold>>{lock->hold})) << "one notice";
    EXPECT_EQ(port.asked(), in.nodes_of_holder == 2 ? "remove" : "nothing");
    port.answer_all();
    expect_nothing_left(port);
    for (const auto& released : release_all(port, *lock)) {
      EXPECT_EQ(released->error, errc::lost);
    }
  }
}

TEST_P(session_semaphore, a_node_that_goes_just_after_the_hold_was_given_back_is_no_loss) {
  scripted_port port;
  auto lock = in.hold_two(port);
  pass_heartbeat(port);
  ASSERT_TRUE(lock->hold->end_by_release(port.now));
  port.others_remove(nodes_of(lock->hold)[0]->node());
  EXPECT_TRUE(port.lost.empty());
  release_all(port, *lock);
  port.answer_all();
  expect_nothing_left(port);
}

// ---- the session ends

TEST_P(session_semaphore, that_has_not_begun_says_why_there_will_be_no_session) {
  for (const auto& [event, why] : {std::pair(client::connection_state::expired, errc::session_expired),
                                   std::pair(client::connection_state::auth_failed, errc::authentication_failed)}) {
    scripted_port port(scripted_port::default_config(), true);
    auto lock = port.acquire_as(in.permits(2, 3), "/s");
    port.session_event(event);
    EXPECT_EQ(lock->answers, 1);
    EXPECT_EQ(lock->error, why);
    expect_nothing_left(port);
  }
}

TEST_P(session_semaphore, f09_f10_a_session_that_ends_at_any_step_is_a_new_start_or_a_loss_that_is_told) {
  for (std::size_t step = 0; step <= in.requests_to_hold + 2; ++step) {
    scripted_port port;
    auto lock = in.ask(port);
    answer_at_most(port, step);
    port.session_event(client::connection_state::expired);
    EXPECT_EQ(own_nodes(port), 0U);
    const bool held = lock->hold != nullptr;
    EXPECT_EQ(held, step >= in.requests_to_hold) << step;
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
    EXPECT_EQ(own_nodes(port), in.nodes_of_holder);
    EXPECT_TRUE(port.nodes_under("/s/locks").empty());
  }
}

TEST_P(session_semaphore, f11_a_session_that_ends_while_it_waits_is_a_new_start_in_the_next) {
  for (const obstacle& what : in.obstacles()) {
    scripted_port port;
    auto lock = in.wait_behind(port, what);
    port.session_event(client::connection_state::expired);
    port.connect(0x200);
    port.answer_all();
    EXPECT_EQ(lock->answers, 0);
    port.others_remove(what.front());
    port.answer_all();
    ASSERT_TRUE(lock->hold);
    EXPECT_EQ(own_nodes(port), in.nodes_of_holder);
  }
}

TEST_P(session_semaphore, f15_past_its_deadline_the_hold_is_lost_as_one) {
  scripted_port port;
  auto lock = in.hold_two(port);
  port.disconnect();
  port.advance_to(port.now + 7s);
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::deadline_passed);
  EXPECT_EQ(port.lost, (std::vector<std::shared_ptr<hold>>{lock->hold}));
  EXPECT_EQ(port.locks.contender_count(), 0U);
}

TEST_P(session_semaphore, f15_f78_on_an_adopted_handle_its_nodes_go_when_the_deadline_or_a_close_ends_it) {
  for (const bool closed : {false, true}) {
    scripted_port port(scripted_port::default_config(), true);
    auto lock = in.hold_two(port);
    auto waits = port.acquire_as(in.permits(2, 3), "/s");
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
      EXPECT_TRUE(waits->hold) << "what was held lets in the waiter";
      EXPECT_EQ(own_nodes(port), in.nodes_of_holder);
    }
  }
}

TEST_P(session_semaphore, f19_a_grant_that_comes_past_the_deadline_waits_for_a_fresh_answer) {
  scripted_port port;
  in.make_lock_nodes(port, 3);
  port.connect();
  auto lock = port.acquire_as(in.permits(1, 3), "/s");
  answer_at_most(port, in.has_mutex ? 5 : 2);
  ASSERT_EQ(port.asked(), "list");
  port.now += 7s;  // nothing was heard meanwhile
  port.answer();
  EXPECT_EQ(lock->answers, 0);
  EXPECT_EQ(port.asked().find("remove") != std::string::npos, in.has_mutex) << "the mutex is not needed for that";
  answer_until_answered(port, *lock);
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(own_nodes(port), 1U);
}

}  // namespace
}  // namespace zklock::detail
