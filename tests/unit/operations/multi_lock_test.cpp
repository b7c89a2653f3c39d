#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <zklock/error.hpp>

#include "tests/unit/operations/multi_lock_on_a_port.hpp"
#include "tests/unit/operations/on_a_port.hpp"

/// A multi-lock, whether it takes its parts in one transaction or, in Curator's layout, one by one.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using recipes::contender_kind;
using test_support::abandon;
using test_support::all_failures;
using test_support::answer_at_most;
using test_support::answer_until_answered;
using test_support::expect_not_in_time;
using test_support::expect_nothing_left;
using test_support::fail;
using test_support::failure_kind;
using test_support::multi_layout;
using test_support::nodes_of;
using test_support::own_nodes;
using test_support::pass_heartbeat;
using test_support::reconnect;
using test_support::release_parts;
using test_support::scripted_port;

class session_multi_lock : public ::testing::TestWithParam<multi_layout> {
 protected:
  const multi_layout& in = GetParam();

  [[nodiscard]] bool play(std::size_t step, failure_kind how, bool behind_one) const;
};

INSTANTIATE_TEST_SUITE_P(in, session_multi_lock, ::testing::ValuesIn(test_support::multi_layouts()),
                         [](const auto& layout) { return layout.param.name; });

// ---- taking its places

TEST_P(session_multi_lock, the_first_use_of_its_paths_makes_their_lock_nodes) {
  scripted_port port;
  port.nodes.clear();
  port.connect();
  auto lock = port.acquire_all(in.first_use);
  port.answer_all();
  EXPECT_TRUE(lock->hold);
  EXPECT_EQ(port.data[in.limit_at], "limit=3\n") << "a native part in its own layout";
  EXPECT_EQ(own_nodes(port), in.first_use.size());
  EXPECT_EQ(port.locks.contender_count(), in.first_use.size());
}

TEST_P(session_multi_lock, f172_a_stop_just_behind_its_grant_leaves_its_nodes) {
  scripted_port port;
  auto lock = in.ask(port);
  const auto call = lock->call.lock();  // as the thread that waits keeps it
  ASSERT_TRUE(call);
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  const std::size_t held = own_nodes(port);
  port.engine.abandon(call, port.now);
  port.answer_all();
  EXPECT_EQ(own_nodes(port), held);
  EXPECT_TRUE(lock->hold->held_at(port.now));
  EXPECT_TRUE(port.lost.empty());
}

TEST_P(session_multi_lock, f66_a_part_that_is_refused_is_named_and_the_others_are_given_back) {
  for (const auto& [path, wanted] : in.parts) {
    scripted_port port;
    const bool of_mutex = wanted.kind == contender_kind::mutex;
    port.others_create(std::string(path) +
                       (of_mutex ? "/write-" + std::string(32, 'a') + "-0000000001" : "/x-lock-0000000001"));
    auto lock = in.ask(port);
    port.answer_all();
    EXPECT_EQ(lock->error, errc::wrong_recipe) << path;
    EXPECT_EQ(lock->path, path);
    expect_nothing_left(port);
  }
}

TEST_P(session_multi_lock, a_part_whose_lock_node_may_not_be_made_ends_it_and_is_named) {
  scripted_port port;
  port.refuses["/n"] = code::no_auth;
  port.connect();
  auto lock = port.acquire_all({{"/l", in.side(contender_kind::mutex)}, {"/n", in.side(contender_kind::mutex)}});
  answer_at_most(port, 60);
  EXPECT_EQ(lock->error, errc::permission_denied);
  EXPECT_EQ(lock->path, "/n");
  expect_nothing_left(port);
}

/// Plays an acquisition whose request number `step` fails like that, and its end. False: there is no such request.
bool session_multi_lock::play(std::size_t step, failure_kind how, bool behind_one) const {
  scripted_port port;
  if (behind_one) {
    port.others_create(in.in_the_way);
  }
  auto lock = in.ask(port);
  bool failed = false;
  std::size_t answered = 0;
  for (int turn = 0; lock->answers == 0 && turn < 200; ++turn) {
    if (port.requests.empty() && behind_one && port.nodes.contains(in.in_the_way)) {
      port.others_remove(in.in_the_way);
    }
    if (port.requests.empty()) {
      port.advance_to(port.now + 200ms);
    }
    if (port.requests.empty() || lock->answers != 0) {
      continue;
    }
    answered++ == step ? (fail(port, how), failed = true) : (port.answer(), false);
  }
  EXPECT_EQ(lock->answers, 1) << step;
  EXPECT_TRUE(lock->hold || how == failure_kind::refused) << step;
  // The mutex of a semaphore of Curator's, whose removal the server forbids.
  const std::size_t may_stay = how == failure_kind::refused && in.layout == recipes::layout::curator ? 1 : 0;
  if (lock->hold) {
    port.answer_all();
    port.advance_to(port.now + 200ms);
    reconnect(port);
    port.answer_all();
    EXPECT_GE(own_nodes(port), in.nodes) << step;
    EXPECT_LE(own_nodes(port), in.nodes + may_stay) << "F01, F29: " << step;
    release_parts(port, lock);
  }
  port.answer_all();
  EXPECT_LE(own_nodes(port), may_stay);
  EXPECT_EQ(port.locks.contender_count(), 0U);
  EXPECT_EQ(port.engine.servers().watch_count(), 0U);
  EXPECT_TRUE(port.watches.empty());
  return failed;
}

TEST_P(session_multi_lock, f01_f29_f66_whatever_request_fails_it_is_held_whole_or_leaves_nothing) {
  for (const failure_kind how : all_failures) {
    for (const bool behind_one : {false, true}) {
      std::size_t step = 0;
      while (play(step, how, behind_one)) {
        ASSERT_FALSE(HasFailure()) << "step " << step << ", failure " << static_cast<int>(how);
        ++step;
      }
      ASSERT_FALSE(HasFailure()) << "no failure, behind " << behind_one;
      EXPECT_GE(step, in.requests_to_hold);
    }
  }
}

// ---- waiting

TEST_P(session_multi_lock, f64_f66_one_time_limit_holds_for_all_and_what_was_taken_is_removed_one_by_one) {
  scripted_port port;
  auto lock = in.wait_for_last(port, 102s);
  EXPECT_EQ(own_nodes(port), in.nodes);
  answer_until_answered(port, *lock);
  EXPECT_EQ(port.now, instant(102s));
  expect_not_in_time(*lock);
  EXPECT_NE(port.asked().find("remove remove"), std::string::npos) << port.asked();
  port.answer_all();
  expect_nothing_left(port);
}

TEST_P(session_multi_lock, one_try_gives_back_what_it_has_when_one_part_is_not_to_be_had) {
  scripted_port port;
  port.others_create(in.in_the_way);
  auto lock = in.ask(port, {}, true);
  port.answer_all();
  expect_not_in_time(*lock);
  expect_nothing_left(port);
}

TEST_P(session_multi_lock, f66_a_part_that_goes_while_others_are_waited_for_is_noticed_and_all_begin_anew) {
  scripted_port port;
  auto lock = in.wait_for_last(port);
  pass_heartbeat(port);
  const std::string first(in.parts.front().first);
  ASSERT_FALSE(port.nodes_under(first).empty());
  port.others_remove(first + "/" + port.nodes_under(first).front());
  EXPECT_EQ(port.asked(), in.removals_but_one() + " " + in.begins);
  port.answer_all();
  EXPECT_EQ(lock->answers, 0);
  EXPECT_EQ(own_nodes(port), in.nodes);
  port.others_remove(in.in_the_way);
  port.answer_all();
  EXPECT_TRUE(lock->hold);
  EXPECT_EQ(own_nodes(port), in.nodes);
}

TEST_P(session_multi_lock, f29_f31_stopping_it_at_any_step_leaves_nothing) {
  for (std::size_t step = 0; step < in.requests_to_hold; ++step) {
    scripted_port port;
    auto lock = in.ask(port);
    answer_at_most(port, step);
    abandon(port, lock);
    ASSERT_FALSE(HasFailure()) << step;
  }
}

TEST_P(session_multi_lock, stopping_it_before_there_is_a_connection_sends_nothing) {
  scripted_port port;
  auto lock = port.acquire_all(in.parts);
  port.abandon(lock);
  EXPECT_EQ(lock->error, errc::abandoned);
  port.connect();
  EXPECT_EQ(port.asked(), "nothing");
  expect_nothing_left(port);
}

TEST_P(session_multi_lock, f11_a_session_that_ends_while_it_waits_is_a_new_start_in_the_next) {
  scripted_port port;
  auto lock = in.wait_for_last(port);
  port.session_event(client::connection_state::expired);
  port.connect(0x200);
  EXPECT_EQ(port.asked(), in.begins);
  port.answer_all();
  EXPECT_EQ(lock->answers, 0);
  port.others_remove(in.in_the_way);
  port.answer_all();
  EXPECT_TRUE(lock->hold);
}

TEST_P(session_multi_lock, f26_closing_ends_it_at_any_step_or_tells_its_hold) {
  for (std::size_t step = 0; step <= in.requests_to_hold; ++step) {
    scripted_port port;
    auto lock = in.ask(port);
    answer_at_most(port, step);
    port.engine.close(port.now + 1s, port.now);
    EXPECT_EQ(lock->answers, 1) << step;
    EXPECT_EQ(lock->hold != nullptr, step == in.requests_to_hold) << step;
    EXPECT_TRUE(lock->hold ? lock->hold->why_lost() == loss_reason::session_closed
                           : lock->error == errc::session_closed)
        << step;
    EXPECT_EQ(lock->hold ? lock->hold->lost_part() : "", "");
    port.closed_by_client(1, true);
    EXPECT_EQ(port.locks.contender_count(), 0U);
  }
  scripted_port port;
  auto waits = in.wait_for_last(port);
  port.engine.close(port.now + 1s, port.now);
  EXPECT_EQ(waits->error, errc::session_closed);
}

// ---- held

TEST_P(session_multi_lock, f67_it_is_lost_with_any_node_whose_part_is_named_and_the_rest_is_given_back) {
  for (std::size_t which = 0; which < in.parts.size(); ++which) {
    scripted_port port;
    auto lock = in.hold_all(port);
    pass_heartbeat(port);
    port.others_remove(nodes_of(lock->hold->parts().at(which)).back()->node());
    EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed);
    EXPECT_EQ(lock->hold->lost_part(), in.parts[which].first);
    for (const auto& one : lock->hold->parts()) {
      EXPECT_EQ(one->why_lost(), loss_reason::node_removed);
      EXPECT_EQ(std::count(port.lost.begin(), port.lost.end(), one), 1) << "the holder of the part is told";
    }
    EXPECT_EQ(std::count(port.lost.begin(), port.lost.end(), lock->hold), 1) << "one notice";
    EXPECT_EQ(port.lost.size(), 1U + in.parts.size()) << "a lease is no hold of its own to the user";
    EXPECT_EQ(port.asked(), in.removals_but_one());
    port.answer_all();
    expect_nothing_left(port);
  }
}

TEST_P(session_multi_lock, f10_with_the_session_all_parts_are_lost_and_none_is_to_blame) {
  scripted_port port;
  auto lock = in.hold_all(port);
  port.session_event(client::connection_state::expired);
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::session_expired);
  EXPECT_EQ(lock->hold->lost_part(), "");
  for (const auto& one : lock->hold->parts()) {
    EXPECT_EQ(one->why_lost(), loss_reason::session_expired);
  }
  EXPECT_EQ(port.locks.contender_count(), 0U);
}

TEST_P(session_multi_lock, a_writing_part_may_be_downgraded) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire_all({{"/l", in.side(contender_kind::mutex)}, {"/m", in.side(contender_kind::write)}});
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  const auto& part = lock->hold->parts()[1];
  port.locks.downgrade(part, port.now);
  const bool native = in.layout == recipes::layout::native;
  EXPECT_EQ(port.asked(), native ? "set" : "multi");
  port.answer_all();
  EXPECT_EQ(port.data[part->node()] == "mode=read\n", native);
  EXPECT_EQ(part->node().find("__READ__") != std::string::npos, !native);
  EXPECT_TRUE(lock->hold->held_at(port.now));
  release_parts(port, lock);
  expect_nothing_left(port);
}

}  // namespace
}  // namespace zklock::detail
