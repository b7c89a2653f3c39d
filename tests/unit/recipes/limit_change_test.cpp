#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "recipes/limit_change.hpp"
#include "tests/unit/recipes/all_codes.hpp"

/// How a semaphore's limit is asked for and changed: each answer at each step.
namespace zklock::recipes {
namespace {

using names = std::vector<std::string>;
using state = limit_change::state;
using enum limit_action;

const std::string holder = "permit-0fd3c0ffee0fd3c0ffee0fd3c0ffee00-2-0000000007";
const std::string mutex = "0fd3c0ffee0fd3c0ffee0fd3c0ffee00-lock-0000000008";

/// A change to 5 that has been asked to look.
limit_change looking() {
  limit_change change(5);
  EXPECT_EQ(change.begin(), look);
  return change;
}

/// What it wants after a look that has seen this.
limit_action seen(limit_change& change, const std::string& data, const names& children = {}, std::int32_t version = 3) {
  EXPECT_EQ(change.synced(code::ok), none);
  EXPECT_EQ(change.read(code::ok, data, version), none);
  return change.listed(code::ok, children);
}

/// The same, of a lock node that is not there.
limit_action nothing_seen(limit_change& change) {
  EXPECT_EQ(change.synced(code::ok), none);
  EXPECT_EQ(change.read(code::no_node, "", 0), none);
  return change.listed(code::no_node, {});
}

limit_change storing() {
  limit_change change = looking();
  EXPECT_EQ(seen(change, "limit=8\n"), store);
  return change;
}

limit_change making() {
  limit_change change = looking();
  EXPECT_EQ(nothing_seen(change), make_lock_node);
  return change;
}

// ---- what a look says

TEST(limit_change, is_stored_with_the_version_that_was_read) {
  limit_change change = looking();
  ASSERT_EQ(seen(change, "limit=8\n", {}, 41), store);
  EXPECT_EQ(change.data(), limit_data({5, 8}));
  EXPECT_EQ(change.version(), 41);
  ASSERT_EQ(change.stored(code::ok), finish);
  EXPECT_EQ(change.why_refused(), refusal::none);
  EXPECT_EQ(change.limit(), 5U);
}

TEST(limit_change, f106_keeps_the_highest_limit_in_force_while_a_contender_is_there) {
  limit_change crowded = looking();
  ASSERT_EQ(seen(crowded, "limit=3\nwas=10\n", {"stray", holder}), store);
  EXPECT_EQ(crowded.data(), limit_data({5, 10}));
  limit_change quiet = looking();
  ASSERT_EQ(seen(quiet, "limit=3\nwas=10\n", {"stray"}), store);
  EXPECT_EQ(quiet.data(), limit_data({5, 5}));
}

TEST(limit_change, that_is_so_already_writes_nothing) {
  limit_change change = looking();
  ASSERT_EQ(seen(change, "limit=5\nwas=10\n", {holder}), finish);
  EXPECT_EQ(change.why_refused(), refusal::none);
  EXPECT_EQ(change.limit(), 5U);
}

TEST(limit_change, f106_to_the_same_limit_forgets_a_higher_one_that_no_contender_holds_under) {
  limit_change change = looking();
  ASSERT_EQ(seen(change, "limit=5\nwas=10\n", {"stray"}, 41), store);
  EXPECT_EQ(change.data(), limit_data({5, 5}));
  EXPECT_EQ(change.version(), 41);
  ASSERT_EQ(change.stored(code::bad_version), begin_later) << "a contender may have come";
  ASSERT_EQ(change.begin(), look);
  ASSERT_EQ(seen(change, "limit=5\nwas=10\n", {holder}), finish);
  EXPECT_EQ(change.why_refused(), refusal::none);
}

TEST(limit_change, f106_of_an_empty_queue_forgets_the_higher_limit_after_two_calls_to_the_same) {
  limit_change first = looking();
  ASSERT_EQ(seen(first, "limit=8\n"), store);
  limit_change second = looking();
  ASSERT_EQ(seen(second, first.data()), store);
  limit_change third = looking();
  EXPECT_EQ(seen(third, second.data()), finish) << "nothing is left to forget";
}

TEST(limit_change, f148_is_stored_with_its_keeper_in_a_lock_node_that_says_nothing) {
  limit_change change = looking();
  ASSERT_EQ(seen(change, "", {holder}, 0), keep_and_store);
  EXPECT_EQ(change.data(), "limit=5\n");
  EXPECT_EQ(change.stored(code::ok), finish);
  limit_change later = looking();
  ASSERT_EQ(seen(later, "limit=8\n", {std::string(limit_keeper)}), store);
  EXPECT_EQ(later.data(), "limit=5\nwas=8\n") << "the keeper is no contender for permits, nor of another recipe";
}

TEST(limit_change, f49_is_refused_where_contenders_of_another_recipe_stand) {
  for (const std::string& other : {mutex, std::string("read-x-0000000001"), std::string("write-x-0000000001"),
                                   std::string("x-lease-0000000001"), std::string("x__WRIT__0000000001")}) {
    for (const std::string data : {"", "limit=8\n", "limit=5\n", "garbage"}) {
      limit_change change = looking();
      ASSERT_EQ(seen(change, data, {holder, other}), finish) << other;
      EXPECT_EQ(change.why_refused(), refusal::wrong_recipe);
    }
  }
}

TEST(limit_change, is_refused_where_the_data_is_no_limit) {
  for (const std::string data : {"garbage", "limit=0\n", "limit=1000001\n", "limit=-1\n", "limit=\n", " limit=8\n"}) {
    limit_change change = looking();
    ASSERT_EQ(seen(change, data), finish) << data;
    EXPECT_EQ(change.why_refused(), refusal::not_a_permit_limit);
  }
}

TEST(limit_change, makes_a_lock_node_that_is_not_there) {
  limit_change change = looking();
  ASSERT_EQ(nothing_seen(change), make_lock_node);
  EXPECT_EQ(change.data(), "limit=5\n");
  ASSERT_EQ(change.made(code::ok, false), finish);
  EXPECT_EQ(change.why_refused(), refusal::none);
}

TEST(limit_change, makes_a_lock_node_that_goes_between_get_and_list) {
  limit_change change = looking();
  static_cast<void>(change.synced(code::ok));
  static_cast<void>(change.read(code::ok, "limit=8\n", 3));
  EXPECT_EQ(change.listed(code::no_node, {}), make_lock_node);
}

// ---- each answer at each step

/// What a failed look comes to.
void expect_look_judged_by(code answer, limit_change& change, limit_action got) {
  switch (classify(answer)) {
    case outcome::done: break;
    case outcome::not_done:
      if (answer == code::no_node) {
        EXPECT_EQ(got, make_lock_node);
        break;
      }
      EXPECT_EQ(got, finish);
      EXPECT_EQ(change.why_refused(), refusal::server_error);
      EXPECT_EQ(change.refused_with(), answer);
      break;
    case outcome::retry:
    case outcome::unknown:
    case outcome::session_over:
      EXPECT_EQ(got, begin_later);
      EXPECT_EQ(change.now(), state::idle);
      EXPECT_FALSE(change.may_have_applied());
      EXPECT_EQ(change.begin(), look);
  }
}

TEST(limit_change, answers_each_code_at_each_request_of_a_look) {
  for (const code answer : all_codes) {
    for (int place = 0; place < 3 && answer != code::ok; ++place) {
      SCOPED_TRACE(std::string(name(answer)) + " at " + std::to_string(place));
      limit_change change = looking();
      EXPECT_EQ(change.synced(place == 0 ? answer : code::ok), none);
      EXPECT_EQ(change.read(place == 1 ? answer : code::ok, "limit=8\n", 3), none);
      expect_look_judged_by(answer, change, change.listed(place == 2 ? answer : code::ok, {}));
    }
  }
}

TEST(limit_change, f01_answers_each_code_of_the_store) {
  for (const code answer : all_codes) {
    SCOPED_TRACE(name(answer));
    limit_change change = storing();
    EXPECT_TRUE(change.may_have_applied());
    const limit_action got = change.stored(answer);
    switch (classify(answer)) {
      case outcome::done: EXPECT_EQ(got, finish); break;
      case outcome::not_done:
        EXPECT_FALSE(change.may_have_applied());
        if (answer == code::bad_version || answer == code::no_node || answer == code::node_exists) {
          EXPECT_EQ(got, begin_later) << "another client was at the node";
        } else {
          EXPECT_EQ(got, finish);
          EXPECT_EQ(change.why_refused(), refusal::server_error);
          EXPECT_EQ(change.refused_with(), answer);
        }
        break;
      case outcome::retry:
        EXPECT_EQ(got, begin_later);
        EXPECT_FALSE(change.may_have_applied());
        break;
      case outcome::unknown:
      case outcome::session_over: EXPECT_EQ(got, begin_later); EXPECT_TRUE(change.may_have_applied());
    }
  }
}

TEST(limit_change, f01_answers_each_code_of_the_making) {
  for (const code answer : all_codes) {
    SCOPED_TRACE(name(answer));
    limit_change change = making();
    const limit_action got = change.made(answer, false);
    const bool look_again = answer == code::node_exists || answer == code::no_node || answer == code::bad_version;
    switch (classify(answer)) {
      case outcome::done: EXPECT_EQ(got, finish); break;
      case outcome::not_done: EXPECT_EQ(got, look_again ? begin_later : finish); break;
      default: EXPECT_EQ(got, begin_later);
    }
  }
}

TEST(limit_change, is_refused_when_the_chroot_is_not_there) {
  limit_change change = making();
  ASSERT_EQ(change.made(code::no_node, true), finish);
  EXPECT_EQ(change.why_refused(), refusal::server_error);
  EXPECT_EQ(change.refused_with(), code::no_node);
}

// ---- what was written without an answer

TEST(limit_change, f01_that_was_applied_after_all_is_not_written_again) {
  limit_change change = storing();
  ASSERT_EQ(change.stored(code::connection_loss), begin_later);
  ASSERT_EQ(change.begin(), look);
  EXPECT_TRUE(change.may_have_applied());
  ASSERT_EQ(seen(change, "limit=5\nwas=8\n", {}, 4), finish);
  EXPECT_EQ(change.why_refused(), refusal::none);
  EXPECT_FALSE(change.may_have_applied());
}

TEST(limit_change, f01_that_was_not_applied_is_written_again) {
  limit_change change = storing();
  ASSERT_EQ(change.begin(), look) << "the connection was lost, and no server has answered";
  ASSERT_EQ(seen(change, "limit=7\n", {}, 9), store);
  EXPECT_EQ(change.version(), 9);
  EXPECT_EQ(change.stored(code::ok), finish);
}

TEST(limit_change, f01_that_was_not_applied_is_settled_by_a_look_that_refuses_it) {
  limit_change change = storing();
  static_cast<void>(change.begin());
  ASSERT_EQ(seen(change, "garbage"), finish);
  EXPECT_EQ(change.why_refused(), refusal::not_a_permit_limit);
  EXPECT_FALSE(change.may_have_applied());
}

TEST(limit_change, goes_on_as_often_as_another_client_was_faster) {
  limit_change change = looking();
  for (std::int32_t version = 1; version < 20; ++version) {
    ASSERT_EQ(seen(change, "limit=" + std::to_string(version + 10) + "\n", {}, version), store);
    ASSERT_EQ(change.version(), version);
    ASSERT_EQ(change.stored(code::bad_version), begin_later);
    ASSERT_FALSE(change.may_have_applied());
    ASSERT_EQ(change.begin(), look);
  }
}

// ---- asked for

TEST(limit_change, that_is_none_tells_what_is_there) {
  limit_change question(std::nullopt);
  ASSERT_EQ(question.begin(), look);
  EXPECT_EQ(question.synced(code::ok), none);
  ASSERT_EQ(question.read(code::ok, "limit=8\nwas=10\n", 3), finish);
  EXPECT_EQ(question.why_refused(), refusal::none);
  EXPECT_EQ(question.limit(), 8U);
}

TEST(limit_change, f198_that_is_none_tells_no_data_from_data_that_are_no_limit) {
  for (const std::string data : {"", "garbage"}) {
    limit_change question(std::nullopt);
    static_cast<void>(question.begin());
    static_cast<void>(question.synced(code::ok));
    ASSERT_EQ(question.read(code::ok, data, 3), finish);
    EXPECT_EQ(question.why_refused(), data.empty() ? refusal::no_permit_limit : refusal::not_a_permit_limit);
    EXPECT_EQ(question.limit(), 0U);
  }
}

TEST(limit_change, that_is_none_answers_each_code) {
  for (const code answer : all_codes) {
    SCOPED_TRACE(name(answer));
    limit_change question(std::nullopt);
    static_cast<void>(question.begin());
    static_cast<void>(question.synced(code::ok));
    const limit_action got = question.read(answer, "", 0);
    if (classify(answer) == outcome::done || answer == code::no_node) {
      EXPECT_EQ(got, finish);
      EXPECT_EQ(question.why_refused(), refusal::no_permit_limit);
    } else if (classify(answer) == outcome::not_done) {
      EXPECT_EQ(got, finish);
      EXPECT_EQ(question.why_refused(), refusal::server_error);
    } else {
      EXPECT_EQ(got, begin_later);
    }
  }
}

// ---- out of turn

TEST(limit_change, takes_no_notice_of_what_answers_something_else) {
  limit_change idle(5);
  limit_change finished = storing();
  static_cast<void>(finished.stored(code::ok));
  for (limit_change* one : {&idle, &finished}) {
    const state before = one->now();
    EXPECT_EQ(one->synced(code::no_auth), none);
    EXPECT_EQ(one->read(code::ok, "limit=9\n", 1), none);
    EXPECT_EQ(one->listed(code::ok, {}), none);
    EXPECT_EQ(one->stored(code::ok), none);
    EXPECT_EQ(one->made(code::ok, false), none);
    EXPECT_EQ(one->now(), before);
  }
  EXPECT_EQ(finished.begin(), none);
  limit_change at_store = storing();
  EXPECT_EQ(at_store.made(code::ok, false), none);
  EXPECT_EQ(at_store.listed(code::ok, {}), none);
  limit_change at_making = making();
  EXPECT_EQ(at_making.stored(code::ok), none);
}

}  // namespace
}  // namespace zklock::recipes
