#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <zklock/error.hpp>

#include "tests/unit/operations/asked_transaction.hpp"
#include "tests/unit/recipes/all_codes.hpp"

/// Transactions: what is sent, and what each answer comes to.
/// T = 6 s, and what was granted at 100 s is held until 103 s.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using namespace test_support::transactions;  // NOLINT: the words of these tests
using client::code;
using test_support::answer_parts;
using test_support::locks;
using test_support::reconnect;

template <class What>
const What& part(const scripted_port& port, std::size_t place) {
  return std::get<What>(port.request<request::multi>(0).operations.at(place));
}

// ---- what is sent, and what is told

TEST(transaction, f96_is_one_request_that_checks_every_guard_before_it_writes) {
  scripted_port port;
  const auto first = hold_at_once(port);
  const auto second = hold_of(port, "/m");
  const auto asked =
      commit(port, {first, second},
             {request::create{"/made-", "x", client::create_mode::persistent_sequential, {{1, "ip", "::1"}}},
              request::set{"/config", "new", 3}, request::remove{"/old", -1}, request::check{"/there", 0}});
  ASSERT_EQ(port.asked(), "multi");
  ASSERT_EQ(port.request<request::multi>(0).operations.size(), 6U);
  EXPECT_EQ(part<request::check>(port, 0).path, first->hold->node());
  EXPECT_EQ(part<request::check>(port, 0).version, -1) << "a client that sets a mutex's node does it no harm";
  EXPECT_EQ(part<request::check>(port, 1).path, second->hold->node());
  EXPECT_EQ(part<request::create>(port, 2).path, "/made-");
  EXPECT_EQ(part<request::create>(port, 2).data, "x");
  EXPECT_EQ(part<request::create>(port, 2).mode, client::create_mode::persistent_sequential);
  EXPECT_EQ(part<request::create>(port, 2).acl, (client::acl{{1, "ip", "::1"}}));
  EXPECT_EQ(part<request::set>(port, 3).data, "new");
  EXPECT_EQ(part<request::set>(port, 3).version, 3);
  EXPECT_EQ(part<request::remove>(port, 4).version, -1);
  EXPECT_EQ(part<request::check>(port, 5).path, "/there");
  EXPECT_EQ(asked->answers, 0);
  answer_applied(port, {{"", 0}, {"", 0}, {"/made-0000000007", 0}, {"", 4}});
  ASSERT_TRUE(asked->was_applied());
  ASSERT_EQ(asked->results.size(), 4U) << "the guards' parts are none of the user's";
  EXPECT_EQ(asked->results[0].name, "/made-0000000007");
  EXPECT_EQ(asked->results[1].stat.version, 4);
}

TEST(transaction, stays_below_the_sessions_chroot_and_tells_paths_as_seen_from_there) {
  auto config = scripted_port::default_config();
  config.root = "/app";
  scripted_port port(config);
  port.nodes.insert("/app");
  port.nodes.insert("/app/l");
  const auto held = hold_at_once(port);
  const auto asked = commit(port, {held}, {request::create{"/a"}, request::set{"/b"}, request::remove{"/c"}});
  EXPECT_EQ(part<request::check>(port, 0).path, "/app" + held->hold->node());
  EXPECT_EQ(part<request::create>(port, 1).path, "/app/a");
  EXPECT_EQ(part<request::set>(port, 2).path, "/app/b");
  EXPECT_EQ(part<request::remove>(port, 3).path, "/app/c");
  answer_applied(port, {{"", 0}, {"/app/a", 0}});
  ASSERT_TRUE(asked->was_applied());
  EXPECT_EQ(asked->results[0].name, "/a");
}

TEST(transaction, without_a_guard_is_one_all_the_same) {
  scripted_port port;
  port.connect();
  const auto asked = commit(port, {});
  ASSERT_EQ(port.request<request::multi>(0).operations.size(), 1U);
  answer_applied(port, {{"", 4}});
  ASSERT_TRUE(asked->was_applied());
  EXPECT_EQ(asked->results[0].stat.version, 4);
}

// ---- each part in turn fails, in each way

TEST(transaction, a_guard_that_is_gone_or_was_written_to_is_lost_and_any_other_failure_is_its_own) {
  for (const code why : recipes::all_codes) {
    if (recipes::classify(why) != recipes::outcome::not_done) {
      continue;
    }
    for (std::size_t place = 0; place < 5; ++place) {
      scripted_port port;
      port.connect();
      const locks guards{hold_of(port, "/l"), hold_of(port, "/m")};
      const auto asked = commit(port, guards, {request::create{"/a"}, request::set{"/b"}, request::remove{"/c"}});
      answer_parts(port, why, place);
      ASSERT_EQ(asked->answers, 1);
      const zklock::operations::transaction_failure& told = asked->failure;
      EXPECT_EQ(told.answer, why);
      EXPECT_EQ(told.part, place < 2 ? at::guard : at::operation) << recipes::name(why) << " at " << place;
      EXPECT_EQ(told.place, place < 2 ? place : place - 2) << recipes::name(why) << " at " << place;
      const bool lost = place < 2 && (why == code::no_node || why == code::bad_version);
      EXPECT_EQ(told.ec == errc::lost, lost) << recipes::name(why) << " at " << place;
      EXPECT_TRUE(told.ec) << recipes::name(why) << " at " << place;
      EXPECT_FALSE(may_have_applied(told.ec)) << recipes::name(why) << " at " << place;
    }
  }
}

TEST(transaction, an_operation_that_fails_has_the_error_of_its_cause) {
  const std::pair<code, errc> table[] = {
      {code::no_node, errc::node_missing},
      {code::bad_version, errc::version_mismatch},
      {code::node_exists, errc::node_exists},
      {code::not_empty, errc::node_not_empty},
      {code::no_auth, errc::permission_denied},
      {code::invalid_acl, errc::permission_denied},
      {code::no_children_for_ephemerals, errc::server_error},
      {code::quota_exceeded, errc::server_error},
      {code::bad_arguments, errc::invalid_path},
      {code::authentication_required, errc::authentication_failed},
      {code{-130}, errc::server_error},  // a number without a name
  };
  for (const auto& [why, expected] : table) {
    scripted_port port;
    const auto held = hold_at_once(port);
    const auto asked = commit(port, {held});
    answer_parts(port, why, 1);
    EXPECT_EQ(asked->failure.ec, expected) << recipes::name(why);
    EXPECT_TRUE(held->hold->held_at(port.now)) << "nothing is wrong with the guard";
    EXPECT_EQ(port.asked(), "nothing") << "it is not sent again";
  }
}

TEST(transaction, a_guard_whose_node_is_gone_is_looked_at_so_that_its_loss_is_told) {
  scripted_port port;
  const auto held = hold_at_once(port);
  port.others_remove(held->hold->node());
  const auto asked = commit(port, {held});
  answer_parts(port, code::no_node, 0);
  EXPECT_EQ(asked->failure.ec, errc::lost);
  EXPECT_EQ(port.asked(), "get");
  port.answer_all();
  EXPECT_EQ(port.lost.size(), 1U);
  EXPECT_EQ(held->hold->why_lost(), loss_reason::node_removed);
}

// Without a guard its session may be a local one, of which the leader says so when it creates an ephemeral node.
TEST(transaction, f194_refused_as_if_its_session_were_over_is_refused_for_good_if_that_lives) {
  for (const bool lives : {true, false}) {
    scripted_port port;
    port.connect();
    const auto asked =
        commit(port, {}, {request::set{"/a"}, request::create{"/a/e", "", client::create_mode::ephemeral}});
    answer_parts(port, code::session_expired, 1);
    EXPECT_EQ(asked->answers, 0);
    ASSERT_EQ(port.asked(), "check");
    if (lives) {
      port.answer();
    } else {
      port.session_event(client::connection_state::expired);
    }
    ASSERT_EQ(asked->answers, 1);
    EXPECT_EQ(asked->failure.ec, lives ? errc::server_error : errc::not_connected);
    EXPECT_EQ(asked->failure.answer, lives ? code::ephemeral_on_local_session : code::session_expired);
    EXPECT_EQ(asked->failure.part, lives ? at::operation : at::whole);
    EXPECT_EQ(asked->failure.place, lives ? 1U : 0U);
  }
}

// ---- each answer to the whole

TEST(transaction, f08_each_code_says_whether_it_may_have_been_applied_and_none_is_sent_again) {
  for (const bool guarded : {true, false}) {
    for (const bool adopted : {true, false}) {
      for (const code why : recipes::all_codes) {
        if (why == code::ok) {
          continue;
        }
        scripted_port port(scripted_port::default_config(), adopted);
        const auto held = hold_at_once(port);
        const auto asked = commit(port, guarded ? locks{held} : locks{});
        port.answer(why);
        ASSERT_EQ(asked->answers, 1) << recipes::name(why);
        const std::error_code told = asked->failure.ec;
        EXPECT_EQ(asked->failure.answer, why);
        const bool unknown = recipes::classify(why) == recipes::outcome::unknown || why == code::closing;
        EXPECT_EQ(may_have_applied(told), unknown) << recipes::name(why);
        EXPECT_EQ(told == errc::outcome_unknown, unknown) << recipes::name(why);
        const bool session_gone = why == code::session_expired || why == code::invalid_state;
        EXPECT_EQ(told == errc::lost, guarded && session_gone) << recipes::name(why);
        const bool later = recipes::classify(why) == recipes::outcome::retry;
        EXPECT_EQ(told == errc::not_connected, later || (!guarded && !adopted && session_gone)) << recipes::name(why);
        EXPECT_EQ(told == errc::session_expired, !guarded && adopted && session_gone) << recipes::name(why);
        reconnect(port);
        EXPECT_EQ(port.asked().find("multi"), std::string::npos) << recipes::name(why);
      }
    }
  }
}

// ---- what it does to others

TEST(transaction, f101_that_was_answered_moves_the_deadline_as_any_write_does) {
  for (const code answer : {code::ok, code::bad_version}) {
    scripted_port port;
    const auto held = hold_at_once(port);
    test_support::beat_twice(port);
    port.now = 101s + 100ms;
    EXPECT_EQ(held->hold->valid_until(), instant(103s)) << "no write since";
    const auto asked = commit(port, {held});
    answer_parts(port, answer, 1);
    EXPECT_EQ(held->hold->valid_until(), instant(103s + 500ms)) << "a refusal has been at the quorum as well";
  }
  scripted_port port;
  const auto held = hold_at_once(port);
  port.now = 100s + 400ms;
  const auto asked = commit(port, {held});
  port.answer(code::throttled);
  EXPECT_EQ(held->hold->valid_until(), instant(103s));
}

TEST(transaction, of_several_at_once_each_gets_its_own_answer) {
  scripted_port port;
  const auto held = hold_at_once(port);
  const auto first = commit(port, {held});
  const auto second = commit(port, {held});
  const auto third = commit(port, {held});
  EXPECT_EQ(port.asked(), "multi multi multi");
  answer_applied(port);
  answer_parts(port, code::bad_version, 1);
  answer_applied(port);
  EXPECT_TRUE(first->was_applied());
  EXPECT_EQ(second->failure.ec, errc::version_mismatch);
  EXPECT_TRUE(third->was_applied());
}

}  // namespace
}  // namespace zklock::detail
