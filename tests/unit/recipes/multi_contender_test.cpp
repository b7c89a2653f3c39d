#include "recipes/multi_contender.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace zklock::recipes {
namespace {

using enum multi_action;
using state = multi_contender::state;
using actions = multi_contender::action_vector;
namespace event = multi_event;

constexpr fencing_token token{77};

void tell(multi_contender& machine, const multi_contender_event& what) { static_cast<void>(machine.resume(what)); }

multi_contender begun(bool make_lock_nodes = false, std::size_t places = 2) {
  multi_contender machine(places, make_lock_nodes);
  tell(machine, event::connected{});
  return machine;
}

multi_contender waiting() {
  multi_contender machine = begun();
  tell(machine, event::created{code::ok});
  return machine;
}

multi_contender granted() {
  multi_contender machine = waiting();
  tell(machine, event::granted{0, token});
  tell(machine, event::granted{1, {}});
  return machine;
}

multi_contender reading() {
  multi_contender machine = waiting();
  tell(machine, event::granted{0, {}});
  tell(machine, event::granted{1, {}});
  return machine;
}

// ---- enlisting

TEST(multi_contender, f65_all_nodes_are_created_at_once_and_nothing_is_before_there_is_a_connection) {
  multi_contender machine(2, false);
  EXPECT_TRUE(machine.needs_connection());
  EXPECT_EQ(machine.resume(event::connected{}), actions{create_all});
  EXPECT_FALSE(machine.needs_connection());
  EXPECT_EQ(machine.resume(event::connected{}), actions{}) << "only once";
  EXPECT_EQ(machine.resume(event::created{code::ok}), actions{});
  EXPECT_EQ(machine.now(), state::waiting);
}

TEST(multi_contender, lock_nodes_are_made_when_an_attempt_before_has_missed_them) {
  multi_contender first = begun();
  EXPECT_EQ(first.resume(event::created{code::no_node, 1}), (actions{dissolve, start_over}));
  EXPECT_TRUE(first.lock_nodes_missing());
  multi_contender second(2, true);
  EXPECT_EQ(second.resume(event::connected{}), (actions{make_lock_nodes, create_all}));
}

TEST(multi_contender, a_lock_node_that_could_not_be_made_is_the_reason_and_names_its_place) {
  multi_contender machine = begun(true);
  EXPECT_EQ(machine.resume(event::lock_node_made{0, code::node_exists}), actions{});
  EXPECT_EQ(machine.resume(event::lock_node_made{1, code::no_auth}), actions{});
  EXPECT_EQ(machine.resume(event::created{code::no_node, 1}), (actions{refuse, dissolve}));
  EXPECT_EQ(machine.why_refused(), refusal::server_error);
  EXPECT_EQ(machine.refused_with(), code::no_auth);
  EXPECT_EQ(machine.place(), 1U);
}

TEST(multi_contender, a_lock_node_whose_parent_was_reaped_meanwhile_is_made_again) {
  multi_contender machine = begun(true);
  tell(machine, event::lock_node_made{0, code::no_node, false});
  EXPECT_EQ(machine.resume(event::created{code::no_node, 0}), (actions{dissolve, start_over}));
  multi_contender rootless = begun(true);
  tell(rootless, event::lock_node_made{0, code::no_node, true});
  EXPECT_EQ(rootless.resume(event::created{code::no_node, 0}), (actions{refuse, dissolve})) << "there is no chroot";
}

TEST(multi_contender, a_failure_to_make_a_lock_node_that_stands_all_the_same_is_none) {
  multi_contender machine = begun(true);
  tell(machine, event::lock_node_made{0, code::no_auth});
  EXPECT_EQ(machine.resume(event::created{code::ok}), actions{});
  EXPECT_EQ(machine.now(), state::waiting);
}

TEST(multi_contender, a_semaphore_that_may_not_be_made_ends_it_for_want_of_a_limit) {
  multi_contender machine = begun();
  EXPECT_EQ(machine.resume(event::created{code::no_node, 1, false}), (actions{refuse, dissolve}));
  EXPECT_EQ(machine.why_refused(), refusal::no_permit_limit);
  EXPECT_EQ(machine.place(), 1U);
}

TEST(multi_contender, a_refused_create_names_the_place_that_was_at_fault) {
  multi_contender denied = begun();
  EXPECT_EQ(denied.resume(event::created{code::no_auth, 1}), (actions{refuse, dissolve}));
  EXPECT_EQ(denied.why_refused(), refusal::server_error);
  EXPECT_EQ(denied.refused_with(), code::no_auth);
  EXPECT_EQ(denied.place(), 1U);
  multi_contender stuck = begun();
  EXPECT_EQ(stuck.resume(event::created{code::node_exists, 0}), (actions{refuse, dissolve}));
  EXPECT_EQ(stuck.why_refused(), refusal::exhausted) << "F47";
}

TEST(multi_contender, f01_after_an_unknown_outcome_the_contenders_say_whether_they_are_there) {
  multi_contender found = begun();
  EXPECT_EQ(found.resume(event::created{code::connection_loss}), actions{});
  EXPECT_EQ(found.now(), state::waiting);
  EXPECT_EQ(found.resume(event::granted{1, token}), actions{});
  EXPECT_EQ(found.resume(event::granted{0, token}), actions{grant});
  multi_contender absent = begun();
  tell(absent, event::created{code::connection_loss});
  EXPECT_EQ(absent.resume(event::gone{0}), (actions{dissolve, start_over}));
  EXPECT_EQ(absent.resume(event::gone{1}), actions{});
  EXPECT_FALSE(absent.lock_nodes_missing());
}

// ---- all or nothing

TEST(multi_contender, lock_nodes_that_it_has_made_are_made_anew_when_its_nodes_are_gone) {
  for (const bool made : {false, true}) {
    multi_contender machine = begun(made);
    if (made) {
      tell(machine, event::lock_node_made{0, code::ok});
      tell(machine, event::lock_node_made{1, code::ok});
    }
    tell(machine, event::created{code::ok});
    tell(machine, event::granted{0, token});
    tell(machine, event::granted{1, {}});
    ASSERT_EQ(machine.now(), state::granted);
    tell(machine, event::gone{1});
    EXPECT_EQ(machine.lock_nodes_missing(), made);
  }
}

TEST(multi_contender, f66_it_is_granted_with_its_last_contender_and_not_before) {
  multi_contender machine = begun(false, 3);
  tell(machine, event::created{code::ok});
  EXPECT_EQ(machine.resume(event::granted{2, token}), actions{});
  EXPECT_EQ(machine.resume(event::granted{0, {}}), actions{});
  EXPECT_EQ(machine.resume(event::granted{1, {}}), actions{grant});
  EXPECT_EQ(machine.token(), token);
  EXPECT_EQ(machine.now(), state::granted);
}

TEST(multi_contender, when_no_contender_knows_the_token_it_is_read) {
  multi_contender machine = waiting();
  tell(machine, event::granted{0, {}});
  EXPECT_EQ(machine.resume(event::granted{1, {}}), actions{read_token});
  EXPECT_EQ(machine.resume(event::token_read{code::ok, token, true}), actions{grant});
  EXPECT_EQ(machine.token(), token);
}

/// The contender could not know: its czxid is that of the whole.
TEST(multi_contender, f178_a_part_that_has_seen_a_greater_number_of_an_older_node_is_the_reason) {
  for (const std::int64_t pzxid : {token.czxid, token.czxid - 1, token.czxid + 1}) {
    multi_contender machine = begun();
    tell(machine, event::created{code::ok});
    tell(machine, event::granted{0, {}, {{}, {token.czxid + 2}}});
    EXPECT_EQ(machine.resume(event::granted{1, {}, {{}, {pzxid}}}), actions{read_token});
    const bool older = pzxid <= token.czxid;
    EXPECT_EQ(machine.resume(event::token_read{code::ok, token, true}),
              (older ? actions{refuse, dissolve} : actions{grant}));
    EXPECT_EQ(machine.why_refused(), older ? refusal::exhausted : refusal::none);
    EXPECT_EQ(machine.place(), older ? 1U : 2U);
  }
}

TEST(multi_contender, f178_parts_that_stand_alone_at_last_are_granted_whatever_they_have_seen_before) {
  multi_contender machine = begun();
  tell(machine, event::created{code::ok});
  tell(machine, event::granted{0, {}, {{70}, {50}}});
  EXPECT_EQ(machine.resume(event::granted{1, {}, {{60}, {40}}}), actions{grant});
  EXPECT_EQ(machine.token(), fencing_token{60});
}

TEST(multi_contender, a_token_that_could_not_be_read_is_read_again) {
  multi_contender machine = reading();
  EXPECT_EQ(machine.resume(event::token_read{code::connection_loss, {}, false}), actions{});
  EXPECT_TRUE(machine.needs_connection());
  EXPECT_EQ(machine.resume(event::connected{}), actions{read_token});
  EXPECT_EQ(machine.resume(event::token_read{code::ok, token, true}), actions{grant});
}

TEST(multi_contender, a_node_that_is_gone_or_foreign_when_its_token_is_read_is_a_new_start) {
  EXPECT_EQ(reading().resume(event::token_read{code::no_node, {}, false}), (actions{dissolve, start_over}));
  EXPECT_EQ(reading().resume(event::token_read{code::ok, token, false}), (actions{dissolve, start_over}));
  multi_contender denied = reading();
  EXPECT_EQ(denied.resume(event::token_read{code::no_auth, {}, false}), (actions{refuse, dissolve}));
  EXPECT_EQ(denied.place(), 2U) << "none in particular";
}

TEST(multi_contender, f66_the_first_contender_that_is_refused_ends_the_attempt_and_is_named) {
  for (multi_contender machine : {begun(), waiting(), reading()}) {
    EXPECT_EQ(machine.resume(event::refused{1, refusal::permit_limit_mismatch}), (actions{refuse, dissolve}));
    EXPECT_EQ(machine.why_refused(), refusal::permit_limit_mismatch);
    EXPECT_EQ(machine.place(), 1U);
    EXPECT_EQ(machine.resume(event::refused{0, refusal::abandoned}), actions{}) << "that is the dissolving";
    EXPECT_EQ(machine.place(), 1U);
  }
}

/// Granted, too: as long as it is told, the caller has not heard of the grant.
TEST(multi_contender, a_contender_that_goes_is_a_new_start_with_all) {
  for (multi_contender machine : {begun(), waiting(), reading(), granted()}) {
    EXPECT_EQ(machine.resume(event::gone{0}), (actions{dissolve, start_over}));
    EXPECT_EQ(machine.now(), state::over);
  }
}

// ---- stop

TEST(multi_contender, f29_stopping_at_any_step_answers_at_once_and_dissolves) {
  for (multi_contender machine : {multi_contender(2, false), begun(), waiting(), reading(), granted()}) {
    EXPECT_EQ(machine.resume(event::stop{refusal::closed}), (actions{refuse, dissolve}));
    EXPECT_EQ(machine.why_refused(), refusal::closed);
    EXPECT_EQ(machine.place(), 2U) << "no part is to blame";
    EXPECT_EQ(machine.resume(event::stop{refusal::abandoned}), actions{});
  }
}

// ---- whatever happens

constexpr std::size_t place_count = 3;

/// Any event, also what no session would tell.
multi_contender_event any_event(std::mt19937& random) {
  const auto pick = [&random](std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
  };
  static constexpr code codes[] = {code::ok,      code::ok,      code::ok,          code::connection_loss,
                                   code::no_node, code::no_auth, code::node_exists, code::session_expired};
  const code with = codes[pick(std::size(codes))];
  const std::size_t place = pick(place_count);
  const fencing_token known{static_cast<std::int64_t>(pick(2)) * token.czxid};
  switch (pick(12)) {
    case 0:
    case 1: return event::connected{};
    case 2: return event::lock_node_made{place, with, pick(2) == 0};
    case 3:
    case 4: return event::created{with, pick(place_count + 1), pick(4) != 0};
    case 5: return event::refused{place, refusal::wrong_recipe, with};
    case 6: return event::gone{place};
    case 7:
    case 8: return event::token_read{with, token, pick(4) != 0};
    case 9: return pick(4) == 0 ? multi_contender_event(event::stop{refusal::abandoned}) : event::connected{};
    default: return event::granted{place, known};
  }
}

/// Checks the invariants of the class over one life.
class watched_machine {
 public:
  explicit watched_machine(bool make_lock_nodes) : machine_(place_count, make_lock_nodes) {}

  void tell(const multi_contender_event& what) {
    const state before = machine_.now();
    if (const auto* one = std::get_if<event::granted>(&what);
        one != nullptr && (before == state::enlisting || before == state::waiting)) {
      granted_[one->place] = true;
    }
    const actions wanted = machine_.resume(what);
    for (const multi_action one : wanted) {
      ++counts[one];
    }
    const bool ends = machine_.now() == state::over && before != state::over;
    const auto has = [&wanted](multi_action one) { return std::count(wanted.begin(), wanted.end(), one) > 0; };
    EXPECT_EQ(has(dissolve), ends) << "dissolve goes with every end, and nothing else";
    EXPECT_TRUE(before != state::over || wanted.empty()) << "nothing comes after the end";
    EXPECT_TRUE(!has(grant) || granted_.size() == place_count) << "all or nothing";
    EXPECT_TRUE(!has(grant) || machine_.token().czxid != 0);
    EXPECT_LE(counts[grant], 1);
    EXPECT_LE(counts[create_all], 1) << "the nodes are asked for once";
    EXPECT_LE(counts[start_over] + counts[refuse], 1);
    EXPECT_EQ(machine_.now() == state::over, counts[dissolve] == 1);
  }

  std::map<multi_action, int> counts;

 private:
  multi_contender machine_;
  std::map<std::size_t, bool> granted_;
};

TEST(multi_contender, any_events_in_any_order_keep_its_invariants) {
  std::mt19937 random(66);  // NOLINT: the same walks every time
  std::map<multi_action, int> seen;
  for (int round = 0; round < 20'000; ++round) {
    watched_machine machine(round % 2 == 0);
    for (int step = 0; step < 16 && !::testing::Test::HasFailure(); ++step) {
      machine.tell(any_event(random));
    }
    ASSERT_FALSE(HasFailure()) << "round " << round;
    for (const auto& [one, count] : machine.counts) {
      seen[one] += count;
    }
  }
  for (const multi_action one : {make_lock_nodes, create_all, read_token, grant, refuse, start_over, dissolve}) {
    EXPECT_GT(seen[one], 0) << static_cast<int>(one);
  }
}

}  // namespace
}  // namespace zklock::recipes
