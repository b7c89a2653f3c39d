#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include "tests/unit/operations/on_a_port.hpp"

/// A semaphore in the native layout, request by request: the limit, the watches on the lock node, marks.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using recipes::contender_kind;
using test_support::answer;
using test_support::asked_lock;
using test_support::expect_nothing_left;
using test_support::reconnect;
using test_support::scripted_port;
namespace request = client::request;

constexpr recipes::acquire_spec two_of_four{contender_kind::permit, 2, 4};

const std::string own_permits = "/s/permit-0000000000000abc0000000000000001-2-0000000005";
const std::string three_held = "/s/permit-x-3-0000000001";

/// Next in line behind three permits of four.
std::shared_ptr<asked_lock> wait_next_in_line(scripted_port& port) {
  port.others_create("/s", "limit=4\n");
  port.others_create(three_held);
  port.connect();
  auto lock = port.acquire_as(two_of_four, "/s");
  port.answer_all();
  EXPECT_EQ(lock->answers, 0);
  EXPECT_EQ(port.watches.size(), 2U) << "the lock node's children and its data";
  return lock;
}

// ---- the limit

TEST(session_semaphore, the_first_use_of_a_path_makes_a_lock_node_that_stays_and_has_the_limit) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire_as(two_of_four, "/s");
  ASSERT_EQ(port.asked(), "create get list");
  answer(port, 3);
  ASSERT_EQ(port.asked(), "create create get list");
  EXPECT_EQ(port.path_of(0), "/s");
  EXPECT_EQ(port.request<request::create>(0).mode, client::create_mode::persistent);
  EXPECT_EQ(port.request<request::create>(0).data, "limit=4\n");
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(port.data["/s"], "limit=4\n");
  EXPECT_EQ(lock->hold->version(), detail::hold::any_version) << "a guard must not ask for version 0: the node may be marked";
}

TEST(session_semaphore, without_a_limit_a_path_that_is_not_there_is_not_made) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire_as({contender_kind::permit, 2}, "/s");
  port.answer_all();
  EXPECT_EQ(lock->error, errc::no_permit_limit);
  EXPECT_FALSE(port.nodes.contains("/s"));
  expect_nothing_left(port);
}

TEST(session_semaphore, a_lock_node_that_says_nothing_is_given_the_limit_at_the_version_that_was_read) {
  scripted_port port;
  port.others_create("/s");
  port.connect();
  auto lock = port.acquire_as(two_of_four, "/s");
  answer(port, 3);
  ASSERT_EQ(port.asked(), "create set");
  EXPECT_EQ(port.path_of(1), "/s");
  EXPECT_EQ(port.request<request::set>(1).data, "limit=4\n");
  EXPECT_EQ(port.request<request::set>(1).version, 0);
  port.answer_all();
  EXPECT_TRUE(lock->hold);
}

TEST(session_semaphore, f148_a_lock_node_that_was_there_gets_a_child_that_stays_before_the_limit) {
  for (const code kept : {code::ok, code::node_exists, code::no_auth}) {
    scripted_port port;
    port.others_create("/s");
    port.connect();
    auto lock = port.acquire_as(two_of_four, "/s");
    answer(port, 3);
    ASSERT_EQ(port.asked(), "create set");
    EXPECT_EQ(port.path_of(0), "/s/limit-keeper");
    EXPECT_EQ(port.request<request::create>(0).mode, client::create_mode::persistent);
    port.answer(kept);
    EXPECT_EQ(port.warned_of("forgotten"), kept == code::no_auth);
    port.answer_all();
    EXPECT_TRUE(lock->hold) << "it does not wait for that child, and does not queue behind it";
  }
}

TEST(session_semaphore, f63_a_client_beaten_to_the_first_use_goes_by_what_the_other_has_stored) {
  for (const std::string stored : {"limit=4\n", "limit=9\n"}) {
    scripted_port port;
    port.others_create("/s");
    port.connect();
    auto lock = port.acquire_as(two_of_four, "/s");
    answer(port, 3);
    port.others_set("/s", stored);
    port.answer_all();
    EXPECT_EQ(port.data["/s"], stored);
    EXPECT_EQ(lock->hold != nullptr, stored == "limit=4\n");
    EXPECT_EQ(lock->error == errc::permit_limit_mismatch, stored == "limit=9\n");
  }
}

TEST(session_semaphore, f63_a_mismatch_names_both_numbers_and_leaves_nothing) {
  scripted_port port;
  port.others_create("/s", "limit=9\n");
  port.connect();
  auto lock = port.acquire_as(two_of_four, "/s");
  port.answer_all();
  EXPECT_EQ(lock->error, errc::permit_limit_mismatch);
  EXPECT_EQ(lock->path, "/s");
  EXPECT_EQ(lock->detail, "4 here, 9 on the server");
  EXPECT_TRUE(port.nodes_under("/s").empty());
  expect_nothing_left(port);
}

TEST(session_semaphore, f63_a_limit_that_is_raised_lets_the_first_waiter_in) {
  scripted_port port;
  auto lock = wait_next_in_line(port);
  port.others_set("/s", "limit=5\n");
  port.answer_all();
  EXPECT_TRUE(lock->hold);
  EXPECT_TRUE(port.watches.empty());
}

TEST(session_semaphore, f63_a_waiter_is_not_refused_in_the_next_session_for_a_limit_changed_meanwhile) {
  for (const bool told_before : {true, false}) {
    for (const bool of_multi_lock : {false, true}) {
      scripted_port port;
      port.others_create("/s", "limit=4\n");
      port.others_create(three_held);
      port.connect();
      auto lock =
          of_multi_lock ? port.acquire_all({{"/l", {}}, {"/s", two_of_four}}) : port.acquire_as(two_of_four, "/s");
      port.answer_all();
      ASSERT_EQ(lock->answers, 0);
      if (!told_before) {
        port.disconnect();
      }
      port.others_set("/s", "limit=3\nwas=4\n");
      port.answer_all();
      port.session_event(client::connection_state::expired);
      port.connect(0x200);
      port.answer_all();
      EXPECT_EQ(lock->answers, 0) << lock->error.message();
      port.others_remove(three_held);
      port.answer_all();
      EXPECT_TRUE(lock->hold) << lock->error.message();
    }
  }
}

TEST(session_semaphore, a_limit_that_is_lowered_below_what_it_wants_ends_the_first_waiter) {
  scripted_port port;
  auto lock = wait_next_in_line(port);
  port.others_set("/s", "limit=1\nwas=4\n");
  port.answer_all();
  EXPECT_EQ(lock->error, errc::permit_limit_exceeded);
  EXPECT_EQ(lock->detail, "2 of 1");
  expect_nothing_left(port);
}

// ---- the limit that is known

struct known_limit : testing::Test {
  known_limit() {
    port.others_create("/s", "limit=4\n");
    port.connect();
  }
  /// By the one lock object.
  std::shared_ptr<asked_lock> acquire(bool one_try = false) { return port.acquire_by(object, two_of_four, one_try); }
  void hold_and_release() {
    const auto lock = acquire();
    port.answer_all();
    ASSERT_TRUE(lock->hold);
    port.release(lock->hold);
    port.answer_all();
  }

  scripted_port port;
  const std::shared_ptr<lock_target> object = test_support::target_at("/s");
};

TEST_F(known_limit, is_not_asked_for_by_the_next_call_of_the_lock_object) {
  hold_and_release();
  const auto lock = acquire();
  EXPECT_EQ(port.asked(), "create list");
  port.answer_all();
  EXPECT_TRUE(lock->hold);
}

TEST_F(known_limit, that_was_written_since_is_asked_for_once_more_before_anything_is_decided) {
  hold_and_release();
  port.others_set("/s", "limit=1\nwas=4\n");
  const auto lock = acquire();
  ASSERT_EQ(port.asked(), "create list");
  answer(port, 2);
  ASSERT_EQ(port.asked(), "get list");
  port.answer_all();
  EXPECT_EQ(lock->error, errc::permit_limit_mismatch);
  EXPECT_EQ(lock->detail, "4 here, 1 on the server");
  const auto next = acquire();
  EXPECT_EQ(port.asked(), "create list") << "the one that was read last is known";
}

TEST_F(known_limit, that_is_written_while_the_list_is_under_way_is_asked_for_once_more) {
  const auto lock = acquire();
  ASSERT_EQ(port.asked(), "create get list");
  answer(port, 2);
  port.others_set("/s", "limit=1\nwas=4\n");
  answer(port, 1);
  EXPECT_EQ(lock->answers, 0);
  ASSERT_EQ(port.asked(), "get list");
  port.answer_all();
  EXPECT_EQ(lock->error, errc::permit_limit_mismatch);
}

TEST_F(known_limit, of_a_lock_node_made_anew_is_asked_for_once_more) {
  hold_and_release();
  port.others_remove("/s");
  port.others_create("/s", "limit=4\n");
  const auto lock = acquire(true);
  answer(port, 2);
  ASSERT_EQ(port.asked(), "get list");
  port.answer_all();
  EXPECT_TRUE(lock->hold);
}

TEST_F(known_limit, is_asked_for_in_another_session) {
  hold_and_release();
  port.session_event(client::connection_state::expired);
  port.connect(0x200);
  const auto lock = acquire();
  EXPECT_EQ(port.asked(), "create get list");
}

/// The next list may be of later contenders, too, and not show it any more.
TEST_F(known_limit, f178_that_was_written_since_hides_no_number_that_went_back) {
  hold_and_release();
  port.others_create("/s/permit-x-1-0000000009");
  port.others_set("/s", "limit=4\n");
  port.pzxids["/s"] = 1;  // nothing has come or gone since the own create
  const auto lock = acquire();
  answer(port, 2);
  EXPECT_EQ(lock->error, errc::queue_exhausted);
}

TEST_F(known_limit, that_is_no_limit_any_more_is_told) {
  hold_and_release();
  port.others_set("/s", "hello");
  const auto lock = acquire();
  port.answer_all();
  EXPECT_EQ(lock->error, errc::not_a_permit_limit);
  expect_nothing_left(port);
}

TEST_F(known_limit, is_known_to_a_waiter_when_its_predecessor_goes) {
  port.others_create(three_held);
  port.others_create("/s/permit-y-1-0000000002");
  const auto lock = acquire();
  port.answer_all();
  ASSERT_EQ(lock->answers, 0);
  port.others_remove("/s/permit-y-1-0000000002");
  EXPECT_EQ(port.asked(), "list");
  port.answer_all();
  EXPECT_EQ(lock->answers, 0);
  port.others_remove(three_held);
  port.answer_all();
  EXPECT_TRUE(lock->hold);
}

// ---- next in line

TEST(session_semaphore, f106_a_waiter_that_is_granted_marks_its_node_and_drops_its_watches) {
  scripted_port port;
  auto lock = wait_next_in_line(port);
  port.others_remove(three_held);
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(port.data[own_permits], "mode=granted\n");
  EXPECT_TRUE(port.watches.empty());
  EXPECT_EQ(port.engine.servers().watch_count(), 0U);
  port.release(lock);
  port.answer_all();
  expect_nothing_left(port);
}

TEST(session_semaphore, f22_f59_a_round_that_fails_costs_the_first_waiter_no_watch_that_stands) {
  for (const bool limit_first : {true, false}) {
    scripted_port port;
    auto lock = wait_next_in_line(port);
    limit_first ? port.others_set("/s", "limit=4\nwas=5\n") : port.others_create("/s/permit-y-1-0000000009");
    for (int outage = 0; outage < 2; ++outage) {
      ASSERT_NE(port.asked(), "nothing");
      reconnect(port);
    }
    port.answer_all();
    EXPECT_EQ(port.watches.size(), 2U);
    EXPECT_EQ(port.engine.servers().watch_count(), 2U);
    limit_first ? port.others_remove(three_held) : port.others_set("/s", "limit=5\n");
    port.answer_all();
    EXPECT_TRUE(lock->hold) << (limit_first ? "the children are watched" : "the limit is watched");
  }
}

TEST(session_semaphore, f106_a_mark_is_repeated_until_it_is_confirmed) {
  scripted_port port;
  auto lock = wait_next_in_line(port);
  port.others_remove(three_held);
  while (port.asked() != "set") {
    port.answer();
  }
  EXPECT_TRUE(lock->hold) << "the grant does not wait for it";
  for (int outage = 0; outage < 3; ++outage) {
    reconnect(port);
    ASSERT_EQ(port.asked(), "check set") << outage;
  }
  port.answer();
  port.answer(code::throttled);
  port.advance_to(port.now + 100ms);
  ASSERT_EQ(port.asked(), "set") << "also when there is a connection";
  port.answer_all();
  reconnect(port);
  EXPECT_EQ(port.asked(), "check");
  EXPECT_EQ(port.data[own_permits], "mode=granted\n");
}

}  // namespace
}  // namespace zklock::detail
