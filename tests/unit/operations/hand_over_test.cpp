#include "src/operations/hand_over.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <zklock/error.hpp>

#include "tests/unit/operations/asked_transaction.hpp"
#include "tests/unit/operations/on_a_port.hpp"

/// Local hand-over: which requests are sent for it, and what its calls are told.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using test_support::asked_lock;
using test_support::asked_release;
using test_support::scripted_port;

constexpr recipes::acquire_spec writing{recipes::contender_kind::write};

/// The calls of one lock object.
class hand_over_calls : public ::testing::Test {
 protected:
  std::shared_ptr<asked_lock> call(std::optional<instant> until = {}, bool once = false) {
    auto told = std::make_shared<asked_lock>();
    operations::acquire_request wanted{{}, false, once, until};
    wanted.parts.push_back({target_, spec_, turns_});
    auto begun = operations::acquire::make(std::move(wanted), told);
    told->call = begun;
    port_.locks.begin_acquire(begun, port_.now);
    return told;
  }
  std::shared_ptr<asked_lock> held() {
    port_.connect();
    auto first = call();
    port_.answer_all();
    EXPECT_TRUE(first->hold);
    return first;
  }
  /// As grant::release() does it.
  std::shared_ptr<asked_release> release_turn(const std::shared_ptr<asked_lock>& of) {
    of->hold->end_by_release(port_.now);
    return port_.release(of);
  }
  [[nodiscard]] std::string own_node() const { return "/l/" + port_.nodes_under("/l").front(); }

  scripted_port port_;
  recipes::acquire_spec spec_;
  std::shared_ptr<lock_target> target_ = test_support::target_at("/l");
  std::shared_ptr<operations::hand_over> turns_ =
      std::make_shared<operations::hand_over>(recipes::turn_bounds{3, 50ms});
};

TEST_F(hand_over_calls, a_turn_is_passed_on_without_a_request) {
  const auto first = held();
  const auto second = call();
  EXPECT_EQ(port_.asked(), "nothing");
  EXPECT_EQ(second->answers, 0);
  const auto released = release_turn(first);
  EXPECT_EQ(released->answers, 1) << "at once: the node stays";
  EXPECT_FALSE(released->error);
  ASSERT_TRUE(second->hold);
  EXPECT_EQ(port_.asked(), "nothing");
  EXPECT_EQ(second->hold->node(), first->hold->node());
}

TEST_F(hand_over_calls, each_turn_has_a_hold_and_a_greater_token) {
  const auto first = held();
  const auto second = call();
  static_cast<void>(release_turn(first));
  EXPECT_NE(second->hold, first->hold);
  EXPECT_FALSE(first->hold->held_at(port_.now));
  EXPECT_TRUE(second->hold->held_at(port_.now));
  EXPECT_EQ(second->hold->token().czxid, first->hold->token().czxid);
  EXPECT_EQ(first->hold->token().turn, 0U);
  EXPECT_EQ(second->hold->token().turn, 1U);
}

TEST_F(hand_over_calls, behind_the_last_turn_the_removal_the_create_and_the_list_go_together) {
  auto holder = held();
  for (int turn = 1; turn < 3; ++turn) {
    const auto next = call();
    static_cast<void>(release_turn(holder));
    holder = next;
    ASSERT_TRUE(holder->hold);
  }
  const auto next = call();
  const auto released = release_turn(holder);
  EXPECT_EQ(port_.asked(), "remove create list");
  EXPECT_EQ(released->answers, 0) << "the servers confirm it";
  port_.answer_all();
  EXPECT_EQ(released->answers, 1);
  ASSERT_TRUE(next->hold);
  EXPECT_EQ(next->hold->token().turn, 0U);
  EXPECT_GT(next->hold->token(), holder->hold->token());
}

TEST_F(hand_over_calls, a_contender_elsewhere_comes_before_the_next_turns) {
  const auto first = held();
  const std::string theirs = "/l/x-lock-0000000005";  // behind the first, before the next
  port_.others_create(theirs);
  const auto second = call();
  port_.now += 50ms;
  static_cast<void>(release_turn(first));
  port_.answer_all();
  EXPECT_EQ(second->answers, 0);
  port_.others_remove(theirs);
  port_.answer_all();
  EXPECT_TRUE(second->hold);
}

TEST_F(hand_over_calls, without_a_call_that_waits_the_node_is_removed_at_once) {
  const auto first = held();
  const auto released = release_turn(first);
  EXPECT_EQ(port_.asked(), "remove");
  port_.answer_all();
  EXPECT_FALSE(released->error);
  test_support::expect_nothing_left(port_);
}

TEST_F(hand_over_calls, a_lock_object_can_be_acquired_again_and_again) {
  for (int round = 0; round < 3; ++round) {
    port_.connect();
    const auto one = call();
    port_.answer_all();
    ASSERT_TRUE(one->hold);
    static_cast<void>(release_turn(one));
    port_.answer_all();
  }
  test_support::expect_nothing_left(port_);
}

TEST_F(hand_over_calls, one_try_behind_a_local_holder_is_refused_without_a_request) {
  const auto first = held();
  const auto tried = call({}, true);
  test_support::expect_not_in_time(*tried);
  EXPECT_EQ(port_.asked(), "nothing");
}

TEST_F(hand_over_calls, one_try_behind_a_contender_elsewhere_is_refused_by_the_list) {
  port_.connect();
  port_.others_create("/l/x-lock-0000000001");
  const auto tried = call({}, true);
  port_.answer_all();
  test_support::expect_not_in_time(*tried);
  test_support::expect_nothing_left(port_);
}

TEST_F(hand_over_calls, one_try_while_suspended_is_not_connected) {
  port_.connect();
  port_.disconnect();
  EXPECT_EQ(call({}, true)->error, errc::not_connected);
}

TEST_F(hand_over_calls, a_time_limit_ends_the_wait_for_a_turn) {
  const auto first = held();
  const auto second = call(port_.now + 1s);
  port_.advance_to(port_.now + 1s);
  test_support::expect_not_in_time(*second);
  static_cast<void>(release_turn(first));
  port_.answer_all();
  test_support::expect_nothing_left(port_);
}

TEST_F(hand_over_calls, a_time_limit_without_a_connection_is_told_as_that) {
  const auto waiting = call(port_.now + 1s);
  port_.advance_to(port_.now + 1s);
  EXPECT_EQ(waiting->error, errc::not_connected);
}

TEST_F(hand_over_calls, an_abandoned_call_leaves_the_local_queue_alone) {
  const auto first = held();
  const auto second = call();
  const auto third = call();
  port_.abandon(second);
  EXPECT_EQ(second->error, errc::abandoned);
  static_cast<void>(release_turn(first));
  EXPECT_TRUE(third->hold);
}

TEST_F(hand_over_calls, the_last_call_that_is_abandoned_takes_the_contender_with_it) {
  port_.connect();
  port_.others_create("/l/x-lock-0000000001");
  const auto first = call();
  const auto second = call();
  port_.answer_all();
  port_.abandon(first);
  EXPECT_EQ(port_.asked(), "nothing");
  port_.abandon(second);
  EXPECT_EQ(port_.asked(), "remove");
  port_.answer_all();
  test_support::expect_nothing_left(port_);
}

TEST_F(hand_over_calls, a_removed_node_is_a_loss_of_the_turn_alone) {
  const auto first = held();
  const auto second = call();
  test_support::pass_heartbeat(port_);
  port_.others_remove(first->hold->node());
  EXPECT_EQ(port_.lost, std::vector{first->hold});
  EXPECT_EQ(first->hold->why_lost(), loss_reason::node_removed);
  EXPECT_EQ(second->answers, 0);
  port_.answer_all();
  ASSERT_TRUE(second->hold) << "it has queued anew";
  EXPECT_EQ(second->hold->token().turn, 0U);
}

TEST_F(hand_over_calls, an_expired_session_is_a_loss_of_the_turn_alone) {
  const auto first = held();
  const auto second = call();
  const auto third = call();
  port_.session_event(client::connection_state::expired);
  EXPECT_EQ(first->hold->why_lost(), loss_reason::session_expired);
  EXPECT_EQ(port_.release(first)->error, errc::lost);
  port_.connect(0x200);
  port_.answer_all();
  ASSERT_TRUE(second->hold);
  EXPECT_EQ(third->answers, 0);
  static_cast<void>(release_turn(second));
  EXPECT_TRUE(third->hold);
}

TEST_F(hand_over_calls, past_the_deadline_no_turn_begins) {
  const auto first = held();
  const auto second = call();
  turns_.reset();
  port_.now = 103s;  // and no timer has fired yet
  const auto released = release_turn(first);
  EXPECT_EQ(second->answers, 0);
  EXPECT_EQ(released->error, errc::lost);
  EXPECT_EQ(first->hold->why_lost(), loss_reason::deadline_passed);
  EXPECT_EQ(port_.lost, std::vector{first->hold});
}

TEST_F(hand_over_calls, a_turn_is_passed_on_without_a_connection_while_the_deadline_is_ahead) {
  const auto first = held();
  const auto second = call();
  port_.disconnect();
  static_cast<void>(release_turn(first));
  EXPECT_TRUE(second->hold);
}

TEST_F(hand_over_calls, behind_a_write_of_unknown_outcome_the_node_goes_before_the_next_call_holds) {
  const auto first = held();
  const auto second = call();
  const auto write = test_support::commit(port_, {first});
  port_.disconnect();
  EXPECT_EQ(write->failure.ec, errc::outcome_unknown);
  static_cast<void>(release_turn(first));
  EXPECT_FALSE(second->hold) << "the write may be applied for as long as that node stands";
  port_.connect();
  EXPECT_EQ(port_.asked(), "remove create list");
  port_.answer_all();
  EXPECT_TRUE(second->hold);
}

TEST_F(hand_over_calls, behind_a_write_that_is_under_way_the_node_goes_before_the_next_call_holds) {
  const auto first = held();
  const auto second = call();
  const auto write = test_support::commit(port_, {first});
  static_cast<void>(release_turn(first));
  EXPECT_FALSE(second->hold);
  EXPECT_EQ(port_.asked(), "multi remove create list");
}

TEST_F(hand_over_calls, a_write_that_a_server_has_answered_leaves_the_turns_alone) {
  const auto first = held();
  const auto second = call();
  const auto applied = test_support::commit(port_, {first});
  test_support::answer_applied(port_);
  const auto refused = test_support::commit(port_, {first});
  test_support::answer_parts(port_, code::bad_version, 1);
  EXPECT_TRUE(applied->was_applied());
  EXPECT_EQ(refused->failure.ec, errc::version_mismatch);
  static_cast<void>(release_turn(first));
  EXPECT_TRUE(second->hold);
}

TEST_F(hand_over_calls, what_the_servers_refuse_is_told_to_all_that_wait) {
  port_.connect();
  const auto first = call();
  const auto second = call();
  port_.answer(code::no_auth);
  port_.answer_all();
  EXPECT_EQ(first->error, errc::permission_denied);
  EXPECT_EQ(second->error, errc::permission_denied);
  test_support::expect_nothing_left(port_);
}

TEST_F(hand_over_calls, a_downgrade_ends_the_turns) {
  spec_ = writing;
  const auto first = held();
  const auto second = call();
  port_.locks.downgrade(first->hold, port_.now);
  EXPECT_EQ(port_.asked(), "set create list");
  port_.answer_all();
  EXPECT_EQ(second->answers, 0) << "it waits behind the reader";
  const auto released = release_turn(first);
  port_.answer_all();
  EXPECT_EQ(released->answers, 1);
  EXPECT_TRUE(second->hold);
}

TEST_F(hand_over_calls, the_close_of_the_session_refuses_those_that_wait) {
  const auto first = held();
  const auto second = call();
  port_.engine.close(port_.now + 1s, port_.now);
  EXPECT_EQ(first->hold->why_lost(), loss_reason::session_closed);
  EXPECT_EQ(second->error, errc::session_closed);
}

TEST_F(hand_over_calls, a_call_of_a_closed_session_is_refused) {
  port_.connect();
  port_.engine.close(port_.now, port_.now);
  EXPECT_EQ(call()->error, errc::session_closed);
}

/// lock_options::keep, beside the budget of watches.
class kept_calls : public hand_over_calls {
 protected:
  kept_calls() {
    turns_ = std::make_shared<operations::hand_over>(recipes::turn_bounds{3, 50ms, 1h});
    port_.keeps_pzxids = true;
    port_.connect();
    static_cast<void>(asked_by_release());  // and has been alone
  }
  /// Behind one more hold.
  [[nodiscard]] std::string asked_by_release() {
    const auto one = call();
    port_.answer();
    EXPECT_NE(port_.request<client::request::list>(0).watch == client::no_watch, keeps_);
    keeps_ = true;
    port_.answer_all();
    EXPECT_TRUE(one->hold);
    const auto released = release_turn(one);
    const std::string asked = port_.asked();
    port_.answer_all();
    EXPECT_EQ(released->answers, 1);
    return asked;
  }

  bool keeps_ = false;  ///< the next one watches for others
};

TEST_F(kept_calls, leave_the_node_with_the_lock_object) {
  EXPECT_EQ(asked_by_release(), "nothing");
  EXPECT_EQ(port_.nodes_under("/l").size(), 1U);
}

TEST_F(kept_calls, f83_watch_the_own_node_in_their_next_turn_alone) {
  EXPECT_EQ(asked_by_release(), "nothing");
  test_support::pass_heartbeat(port_);
  EXPECT_EQ(port_.watches.size(), 1U) << "that tells of others, and of its own going";
  const auto next = call();
  ASSERT_TRUE(next->hold);
  test_support::pass_heartbeat(port_);
  EXPECT_EQ(port_.watches.size(), 2U);
  static_cast<void>(release_turn(next));
  const auto another = call();
  port_.others_remove(own_node());
  port_.answer_all();
  EXPECT_EQ(another->hold->why_lost(), loss_reason::node_removed);
}

/// Of 6 s, whatever their idle limit is.
TEST_F(kept_calls, leave_no_node_for_longer_than_half_of_the_session_timeout) {
  EXPECT_EQ(asked_by_release(), "nothing");
  const instant released = port_.now;
  const auto live_until = [&](instant to) {
    while (port_.now < to) {
      port_.advance_to(std::min(to, port_.now + 100ms));
      port_.answer_all();
    }
  };
  live_until(released + 2'999ms);
  EXPECT_EQ(port_.nodes_under("/l").size(), 1U);
  live_until(released + 3s);
  test_support::expect_nothing_left(port_);
}

TEST_F(kept_calls, end_where_another_client_removes_their_node) {
  EXPECT_EQ(asked_by_release(), "nothing");
  test_support::pass_heartbeat(port_);
  port_.others_remove(own_node());
  port_.answer_all();
  test_support::expect_nothing_left(port_);
}

TEST_F(kept_calls, f83_leave_it_to_nobody_where_half_of_the_watches_are_used_up) {
  port_.budget = {.bytes = 19};  // 10 of them for the watch that tells of others
  EXPECT_EQ(asked_by_release(), "remove");
  test_support::expect_nothing_left(port_);
}

TEST_F(kept_calls, f83_set_no_watch_for_others_where_half_of_them_are_used_up) {
  const std::string theirs = "/m/x-lock-0000000000";
  port_.budget = {.bytes = 150};  // 87 of them for the watches of what waits
  port_.others_create(theirs);
  const auto waits = port_.acquire("/m");
  port_.answer_all();
  EXPECT_EQ(waits->answers, 0);
  const auto one = call();
  EXPECT_EQ(port_.asked(), "create exists") << "by its number, and no list with a watch";
  port_.answer_all();
  ASSERT_TRUE(one->hold);
  static_cast<void>(release_turn(one));
  EXPECT_EQ(port_.asked(), "remove");
  port_.others_remove(theirs);
  port_.answer_all();
  EXPECT_TRUE(waits->hold);
}

/// The try has stood behind that node, in a turn: its process was told, and it stands still.
TEST_F(hand_over_calls, f231_a_try_behind_a_node_that_may_be_idle_stands_once) {
  for (const bool read_first : {false, true}) {
    SCOPED_TRACE(read_first);
    target_ = test_support::target_at("/l");
    target_->read_first = read_first;
    const std::string theirs = "/l/x-lock-000000000" + std::to_string(read_first);
    port_.connect();
    port_.others_create(theirs, "mode=write\nkeeps=1\n");
    const auto first = call({}, true);
    EXPECT_EQ(port_.asked(), read_first ? "list" : "create list");
    port_.answer_all();
    EXPECT_EQ(first->answers, 0) << "it stands there";
    port_.advance_to(port_.now + 10ms);
    port_.answer_all();
    test_support::expect_not_in_time(*first);
    for (int i = 0; i < 3; ++i) {
      const auto next = call({}, true);
      EXPECT_EQ(port_.asked(), "get");
      port_.answer();
      test_support::expect_not_in_time(*next);
    }
    port_.others_remove(theirs);
    const auto last = call({}, true);
    port_.answer_all();
    ASSERT_TRUE(last->hold);
    static_cast<void>(release_turn(last));
    port_.answer_all();
  }
  test_support::expect_nothing_left(port_);
}

/// And not the waiter that it has stood right behind.
TEST_F(hand_over_calls, f231_a_try_says_that_what_may_be_idle_has_barred_it) {
  const std::string theirs = "/l/x-lock-0000000001";
  port_.connect();
  port_.others_create(theirs, "mode=write\nkeeps=1\n");
  port_.others_create("/l/y-lock-0000000002", "mode=write\n");
  for (const bool read_first : {false, true}) {
    SCOPED_TRACE(read_first);
    target_ = test_support::target_at("/l");
    target_->read_first = read_first;
    const auto first = port_.acquire_by(target_, spec_, true);
    port_.answer_all();
    EXPECT_EQ(first->answers, 0) << "it stands there";
    port_.advance_to(port_.now + 10ms);
    port_.answer_all();
    test_support::expect_not_in_time(*first);
    EXPECT_EQ(first->blocked_by, theirs);
    EXPECT_FALSE(first->blocker_is_read) << "it may have gone since";
    const auto next = port_.acquire_by(target_, spec_, true);
    EXPECT_EQ(port_.asked(), "get");
    EXPECT_EQ(port_.path_of(0), theirs);
    port_.answer();
    test_support::expect_not_in_time(*next);
    EXPECT_EQ(next->blocked_by, theirs);
    EXPECT_TRUE(next->blocker_is_read);
  }
  test_support::expect_nothing_left(port_);
}

/// It goes on taking that node for one that may be idle.
TEST_F(hand_over_calls, f231_a_try_whose_node_has_never_stood_has_told_nobody) {
  target_->read_first = true;
  port_.connect();
  port_.others_create("/l/x-lock-0000000001", "mode=write\nkeeps=1\n");
  for (const bool in_turn : {false, true}) {
    SCOPED_TRACE(in_turn);
    const auto tried = [&] { return in_turn ? call({}, true) : port_.acquire_by(target_, spec_, true); };
    const auto first = tried();
    test_support::answer(port_, 2);
    ASSERT_EQ(port_.asked(), "create list");
    port_.disconnect();
    port_.advance_to(port_.now + 10ms);
    port_.connect();
    port_.answer_all();
    EXPECT_EQ(first->answers, 1);
    const auto next = tried();
    port_.answer_all();
    EXPECT_EQ(next->answers, 0) << "it stands there";
    port_.advance_to(port_.now + 10ms);
    port_.answer_all();
    test_support::expect_not_in_time(*next);
    target_ = test_support::target_at("/l");
    target_->read_first = true;
  }
  test_support::expect_nothing_left(port_);
}

/// The program's handle lives on: the node that was lost by the deadline stands until the margin is over.
TEST_F(hand_over_calls, on_an_adopted_handle_those_behind_a_loss_wait_for_the_lost_node) {
  scripted_port port(scripted_port::default_config(), true);
  port.connect();
  auto begin = [&] {
    auto told = std::make_shared<asked_lock>();
    auto target = std::make_shared<lock_target>();
    target->path = "/l";
    target->acl = {client::acl_entry{}};
    operations::acquire_request wanted;
    wanted.parts.push_back({std::move(target), {}, turns_});
    port.locks.begin_acquire(operations::acquire::make(std::move(wanted), told), port.now);
    return told;
  };
  const auto first = begin();
  test_support::answer_until_answered(port, *first);
  ASSERT_TRUE(first->hold);
  const auto second = begin();
  const instant deadline = first->hold->valid_until();
  port.advance_to(deadline);
  EXPECT_EQ(first->hold->why_lost(), loss_reason::deadline_passed);
  EXPECT_EQ(second->answers, 0);
  test_support::answer_until_answered(port, *second);
  ASSERT_TRUE(second->hold);
  EXPECT_GT(port.now, deadline);
  EXPECT_GT(second->hold->token().czxid, first->hold->token().czxid);
}

}  // namespace
}  // namespace zklock::detail
