#include "recipes/local_turns.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <random>
#include <vector>

namespace zklock::recipes {
namespace {

using namespace std::chrono_literals;
using enum local_action::kind;
using state = local_turns::state;
using actions = local_turns::action_vector;
namespace event = local_event;

constexpr turn_bounds bounds{3, 50ms};

local_turns told(const std::vector<local_turns_event>& several, const turn_bounds& within = bounds) {
  local_turns machine(within);
  for (const local_turns_event& one : several) {
    static_cast<void>(machine.resume(one));
  }
  return machine;
}

/// Call 1 holds, and the calls 2 and 3 wait.
local_turns held() {
  return told({event::joined{1, false}, event::joined{2, false}, event::joined{3, false}, event::granted{0ms},
               event::covered{}});
}

TEST(local_turns, one_contender_is_made_for_all_calls) {
  local_turns machine(bounds);
  EXPECT_EQ(machine.resume(event::joined{1, false}), actions{{contend}});
  EXPECT_EQ(machine.resume(event::joined{2, false}), actions{});
  EXPECT_EQ(machine.now(), state::contending);
}

TEST(local_turns, the_first_turn_waits_for_the_local_deadline) {
  local_turns machine = told({event::joined{1, false}});
  EXPECT_EQ(machine.resume(event::granted{0ms}), actions{{await_cover}});
  EXPECT_EQ(machine.resume(event::covered{}), (actions{{begin_turn, 1, 0}}));
  EXPECT_EQ(machine.now(), state::held);
}

TEST(local_turns, the_next_turn_waits_for_the_local_deadline_too) {
  local_turns machine = held();
  EXPECT_EQ(machine.resume(event::released{1ms}), actions{{await_cover}});
  EXPECT_EQ(machine.now(), state::covering);
  EXPECT_EQ(machine.resume(event::covered{}), (actions{{confirm}, {begin_turn, 2, 1}}));
}

TEST(local_turns, calls_get_their_turns_in_the_order_in_which_they_came) {
  local_turns machine = held();
  static_cast<void>(machine.resume(event::joined{4, false}));
  static_cast<void>(machine.resume(event::released{1ms}));
  EXPECT_EQ(machine.resume(event::covered{}), (actions{{confirm}, {begin_turn, 2, 1}}));
  static_cast<void>(machine.resume(event::released{2ms}));
  EXPECT_EQ(machine.resume(event::covered{}), (actions{{confirm}, {begin_turn, 3, 2}}));
}

TEST(local_turns, behind_the_last_turn_the_contender_goes_and_another_one_comes) {
  local_turns machine = held();
  for (int turn = 1; turn < 3; ++turn) {
    static_cast<void>(machine.resume(event::released{1ms}));
    static_cast<void>(machine.resume(event::covered{}));
  }
  static_cast<void>(machine.resume(event::joined{4, false}));
  EXPECT_FALSE(machine.would_pass(1ms));
  EXPECT_EQ(machine.resume(event::released{1ms}), (actions{{remove}, {contend}}));
  static_cast<void>(machine.resume(event::granted{2ms}));
  EXPECT_EQ(machine.resume(event::covered{}), (actions{{begin_turn, 4, 0}})) << "turns count from the grant";
}

TEST(local_turns, when_the_time_is_up_the_contender_goes_and_another_one_comes) {
  EXPECT_TRUE(held().would_pass(50ms - 1ns));
  EXPECT_FALSE(held().would_pass(50ms));
  EXPECT_EQ(held().resume(event::released{50ms}), (actions{{remove}, {contend}}));
}

TEST(local_turns, behind_a_turn_that_is_the_last_the_contender_goes_and_another_one_comes) {
  EXPECT_EQ(held().resume(event::released{1ms, true}), (actions{{remove}, {contend}}));
}

TEST(local_turns, of_one_turn_pass_nothing) {
  local_turns machine =
      told({event::joined{1, false}, event::joined{2, false}, event::granted{0ms}, event::covered{}}, {1, 50ms});
  EXPECT_EQ(machine.resume(event::released{0ms}), (actions{{remove}, {contend}}));
}

TEST(local_turns, the_contender_that_no_call_waits_for_is_removed_at_once) {
  local_turns machine = told({event::joined{1, false}, event::granted{0ms}, event::covered{}});
  EXPECT_EQ(machine.resume(event::released{1ms}), actions{{remove}});
  EXPECT_EQ(machine.now(), state::idle);
}

TEST(local_turns, one_try_fails_behind_a_call_that_waits_or_holds) {
  EXPECT_EQ(told({event::joined{1, false}}).resume(event::joined{2, true}), (actions{{refuse, 2}}));
  EXPECT_EQ(told({event::joined{1, false}, event::granted{0ms}}).resume(event::joined{2, true}),
            (actions{{refuse, 2}}));
  EXPECT_EQ(held().resume(event::joined{4, true}), (actions{{refuse, 4}}));
}

TEST(local_turns, one_try_alone_asks_the_servers) {
  local_turns machine(bounds);
  EXPECT_EQ(machine.resume(event::joined{1, true}), actions{{contend}});
  EXPECT_TRUE(machine.one_try());
  EXPECT_EQ(machine.resume(event::refused{true}), (actions{{let_go}, {refuse, 1}}));
  EXPECT_EQ(machine.now(), state::idle);
}

TEST(local_turns, a_call_behind_a_try_that_fails_waits_with_another_contender) {
  local_turns machine = told({event::joined{1, true}, event::joined{2, false}});
  EXPECT_EQ(machine.resume(event::refused{true}), (actions{{let_go}, {refuse, 1}, {contend}}));
  EXPECT_FALSE(machine.one_try());
}

TEST(local_turns, a_try_that_has_left_is_refused_no_more) {
  local_turns machine = told({event::joined{1, true}, event::joined{2, false}, event::left{1}});
  EXPECT_EQ(machine.resume(event::refused{true}), (actions{{let_go}, {contend}}));
}

TEST(local_turns, a_try_whose_contender_is_void_stays_a_try) {
  local_turns machine = told({event::joined{1, true}, event::joined{2, false}});
  EXPECT_EQ(machine.resume(event::lost{}), (actions{{lose}, {let_go}, {contend}}));
  EXPECT_TRUE(machine.one_try());
}

TEST(local_turns, what_refuses_the_contender_refuses_all_that_wait) {
  local_turns machine = told({event::joined{1, false}, event::joined{2, false}});
  EXPECT_EQ(machine.resume(event::refused{false}), (actions{{let_go}, {refuse_all}}));
  EXPECT_EQ(machine.now(), state::idle);
}

TEST(local_turns, the_last_call_that_leaves_stops_the_contender) {
  local_turns machine = told({event::joined{1, false}, event::joined{2, false}});
  EXPECT_EQ(machine.resume(event::left{1}), actions{});
  EXPECT_EQ(machine.resume(event::left{2}), actions{{stop}});
  EXPECT_EQ(machine.now(), state::idle);
  EXPECT_EQ(machine.resume(event::left{2}), actions{});
}

TEST(local_turns, a_call_that_leaves_before_its_turn_is_passed_over) {
  local_turns machine = held();
  static_cast<void>(machine.resume(event::left{2}));
  static_cast<void>(machine.resume(event::released{1ms}));
  EXPECT_EQ(machine.resume(event::covered{}), (actions{{confirm}, {begin_turn, 3, 1}}));
}

TEST(local_turns, the_last_call_that_leaves_between_two_turns_removes_the_contender) {
  local_turns machine = told(
      {event::joined{1, false}, event::joined{2, false}, event::granted{0ms}, event::covered{}, event::released{1ms}});
  EXPECT_EQ(machine.resume(event::left{2}), actions{{remove}});
}

TEST(local_turns, a_loss_ends_the_turn_alone_and_the_others_queue_anew) {
  local_turns machine = held();
  EXPECT_EQ(machine.resume(event::lost{}), (actions{{lose}, {let_go}, {contend}}));
  EXPECT_EQ(machine.resume(event::released{1ms}), actions{}) << "what was lost passes nothing on";
  static_cast<void>(machine.resume(event::granted{2ms}));
  EXPECT_EQ(machine.resume(event::covered{}), (actions{{begin_turn, 2, 0}}));
}

TEST(local_turns, no_turn_begins_behind_a_loss) {
  local_turns between = told({event::joined{1, false}, event::joined{2, false}, event::granted{0ms}, event::covered{},
                              event::released{1ms}, event::lost{}});
  EXPECT_EQ(between.resume(event::covered{}), actions{});
  local_turns by_deadline = told({event::joined{1, false}, event::joined{2, false}, event::granted{0ms},
                                  event::covered{}, event::released{1ms}, event::holds_over{}});
  EXPECT_EQ(by_deadline.now(), state::contending);
  EXPECT_EQ(by_deadline.resume(event::covered{}), actions{});
}

TEST(local_turns, a_loss_by_the_deadline_is_the_sessions_to_tell) {
  EXPECT_EQ(held().resume(event::holds_over{}), (actions{{let_go}, {contend}}));
}

TEST(local_turns, a_grant_that_no_call_was_told_waits_for_the_next_deadline) {
  local_turns machine = told({event::joined{1, false}, event::granted{0ms}});
  EXPECT_EQ(machine.resume(event::holds_over{}), actions{});
  EXPECT_EQ(machine.resume(event::covered{}), (actions{{begin_turn, 1, 0}}));
}

TEST(local_turns, a_downgrade_ends_the_turns) {
  local_turns machine = held();
  EXPECT_EQ(machine.resume(event::downgraded{}), (actions{{let_go}, {contend}}));
  EXPECT_EQ(machine.resume(event::released{1ms}), actions{}) << "the reader's release is its contender's";
}

TEST(local_turns, the_end_of_the_session_object_refuses_all_that_wait) {
  local_turns machine = held();
  EXPECT_EQ(machine.resume(event::stopped{}), (actions{{let_go}, {refuse_all}}));
  EXPECT_EQ(machine.now(), state::idle);
  EXPECT_EQ(machine.resume(event::stopped{}), actions{});
}

// ---- a contender that is kept

constexpr turn_bounds keeping{3, 50ms, 10ms};

/// The second contender of the lock object is kept, since no other child was seen, and no call follows its first turn.
local_turns kept() {
  return told({event::joined{1, false}, event::granted{0ms, true}, event::covered{}, event::released{1ms},
               event::joined{2, false}, event::granted{2ms, true, true}, event::covered{}, event::released{3ms}},
              keeping);
}

TEST(local_turns, the_contender_behind_one_that_was_alone_watches_for_others) {
  local_turns machine(keeping);
  static_cast<void>(machine.resume(event::joined{1, false}));
  EXPECT_FALSE(machine.keeps()) << "nothing is known yet";
  local_turns beside =
      told({event::joined{1, false}, event::granted{0ms, false}, event::covered{}, event::joined{2, false}},
           {1, 50ms, 10ms});
  EXPECT_EQ(beside.resume(event::released{1ms}), (actions{{remove}, {contend}}));
  EXPECT_FALSE(beside.keeps());
  local_turns alone = told(
      {event::joined{1, false}, event::granted{0ms, true}, event::covered{}, event::joined{2, false}}, {1, 50ms, 10ms});
  static_cast<void>(alone.resume(event::released{1ms}));
  EXPECT_TRUE(alone.keeps());
}

TEST(local_turns, a_contender_that_no_call_waits_for_is_kept_while_no_other_client_is_seen) {
  local_turns machine = told({event::joined{2, false}, event::granted{2ms, true, true}, event::covered{}}, keeping);
  EXPECT_EQ(machine.resume(event::released{3ms}), (actions{{confirm}, {keep}}));
  EXPECT_EQ(machine.now(), state::kept);
  EXPECT_EQ(machine.idle_until(), 13ms);
  EXPECT_EQ(machine.resume(event::joined{3, true}), actions{{await_cover}}) << "one try as well";
  EXPECT_EQ(machine.resume(event::covered{}), (actions{{confirm}, {begin_turn, 3, 1}}));
}

TEST(local_turns, none_is_kept_for_longer_than_half_of_the_session_timeout) {
  local_turns machine = told({event::joined{2, false}, event::granted{2ms, true, true}, event::covered{}}, keeping);
  EXPECT_EQ(machine.resume(event::released{3ms, false, 8ms}), (actions{{confirm}, {keep}}));
  EXPECT_EQ(machine.idle_until(), 7ms);
}

TEST(local_turns, a_kept_contender_has_as_many_turns_as_a_token_can_say) {
  local_turns machine = kept();
  instant now = 3ms;
  for (std::uint32_t turn = 1; turn < local_turns::turns_max; ++turn) {
    static_cast<void>(machine.resume(event::joined{turn + 2, false}));
    ASSERT_EQ(machine.resume(event::covered{}), (actions{{confirm}, {begin_turn, turn + 2, turn}}));
    const bool last = turn + 1 == local_turns::turns_max;
    now += 1s;
    ASSERT_EQ(machine.resume(event::released{now}), last ? actions{{remove}} : (actions{{confirm}, {keep}}));
  }
}

TEST(local_turns, another_client_ends_it_at_once_where_no_call_holds) {
  local_turns machine = kept();
  EXPECT_EQ(machine.resume(event::wanted{4ms}), actions{{remove}});
  EXPECT_EQ(machine.now(), state::idle);
  EXPECT_EQ(machine.resume(event::wanted{4ms}), actions{});
}

TEST(local_turns, behind_another_client_the_holder_is_the_last_but_for_calls_within_the_bounds) {
  local_turns machine = kept();
  static_cast<void>(machine.resume(event::joined{3, false}));
  static_cast<void>(machine.resume(event::covered{}));
  static_cast<void>(machine.resume(event::wanted{1s}));
  local_turns with_others = machine;
  EXPECT_EQ(machine.resume(event::released{1s}), actions{{remove}});
  for (std::uint64_t call = 4; call < 7; ++call) {
    static_cast<void>(with_others.resume(event::joined{call, false}));
  }
  for (std::uint32_t turn = 2; turn < 4; ++turn) {
    EXPECT_EQ(with_others.resume(event::released{1s}), actions{{await_cover}});
    EXPECT_EQ(with_others.resume(event::covered{}), (actions{{confirm}, {begin_turn, turn + 2, turn}}));
  }
  EXPECT_EQ(with_others.resume(event::released{1s}), (actions{{remove}, {contend}})) << "three since they were seen";
}

TEST(local_turns, a_kept_contender_goes_when_its_idle_time_is_over) {
  local_turns machine = kept();
  EXPECT_EQ(machine.resume(event::idled{13ms - 1ns}), actions{});
  EXPECT_EQ(machine.resume(event::idled{13ms}), actions{{remove}});
  EXPECT_EQ(machine.resume(event::idled{14ms}), actions{});
}

/// How many contenders are made before the next one that watches for others.
int uses_without(local_turns& machine, instant now) {
  for (int uses = 0; uses < 5'000; ++uses) {
    const std::uint64_t call = static_cast<std::uint64_t>(now.count()) + static_cast<std::uint64_t>(uses) + 100;
    static_cast<void>(machine.resume(event::joined{call, false}));
    const bool watches = machine.keeps();
    static_cast<void>(machine.resume(event::granted{now, true, watches}));
    static_cast<void>(machine.resume(event::covered{}));
    static_cast<void>(machine.resume(event::released{now}));
    if (watches) {
      return uses;
    }
  }
  return -1;
}

TEST(local_turns, behind_another_client_more_and_more_uses_keep_nothing) {
  local_turns machine = kept();
  for (const int uses : {1, 3, 7, 15, 31, 63, 127, 255, 511, 1'023, 1'023}) {
    static_cast<void>(machine.resume(event::wanted{5ms}));
    EXPECT_EQ(uses_without(machine, 5ms), uses);
  }
  static_cast<void>(machine.resume(event::joined{1, false}));
  static_cast<void>(machine.resume(event::covered{}));
  static_cast<void>(machine.resume(event::released{6ms}));
  static_cast<void>(machine.resume(event::idled{1s}));
  EXPECT_EQ(uses_without(machine, 1s), 0) << "it was of use, and nobody came";
  static_cast<void>(machine.resume(event::wanted{1s}));
  EXPECT_EQ(uses_without(machine, 1s), 1'023) << "half of it, doubled";
}

TEST(local_turns, what_is_kept_in_vain_is_kept_ever_more_seldom) {
  local_turns machine = kept();
  for (const int uses : {1, 3, 7}) {
    static_cast<void>(machine.resume(event::idled{1s}));
    EXPECT_EQ(uses_without(machine, 1s - keeping.idle), uses);
  }
}

TEST(local_turns, nothing_is_lost_with_a_kept_contender) {
  local_turns machine = kept();
  EXPECT_EQ(machine.resume(event::holds_over{}), actions{{remove}});
  machine = kept();
  EXPECT_EQ(machine.resume(event::lost{}), (actions{{lose}, {let_go}}));
  EXPECT_EQ(machine.now(), state::idle);
  machine = kept();
  EXPECT_EQ(machine.resume(event::stopped{}), (actions{{remove}, {refuse_all}}));
  machine = kept();
  EXPECT_EQ(machine.resume(event::released{4ms}), actions{});
  EXPECT_EQ(machine.resume(event::downgraded{}), actions{});
  EXPECT_EQ(machine.resume(event::left{2}), actions{});
  EXPECT_EQ(machine.now(), state::kept);
}

TEST(local_turns, a_turn_of_a_kept_contender_waits_for_the_next_deadline) {
  local_turns machine = kept();
  static_cast<void>(machine.resume(event::joined{3, false}));
  EXPECT_EQ(machine.resume(event::holds_over{}), actions{}) << "no call holds it";
  EXPECT_EQ(machine.resume(event::covered{}), (actions{{confirm}, {begin_turn, 3, 1}}));
  EXPECT_EQ(machine.resume(event::holds_over{}), (actions{{let_go}}));
}

TEST(local_turns, the_last_call_that_leaves_a_kept_contender_removes_it) {
  local_turns machine = kept();
  static_cast<void>(machine.resume(event::joined{3, false}));
  EXPECT_EQ(machine.resume(event::left{3}), actions{{remove}});
}

TEST(local_turns, only_what_one_contender_holds_alone_takes_turns) {
  EXPECT_TRUE(may_take_turns({contender_kind::mutex}));
  EXPECT_TRUE(may_take_turns({contender_kind::write}));
  EXPECT_FALSE(may_take_turns({contender_kind::read}));
  EXPECT_FALSE(may_take_turns({contender_kind::permit}));
  EXPECT_FALSE(may_take_turns({contender_kind::lease}));
}

/// Judges by events and actions alone.
class judge {
 public:
  void hear(const local_turns_event& what, const actions& wanted) {
    if (const auto* joined = std::get_if<event::joined>(&what)) {
      calls_.push_back(joined->call);
    } else if (const auto* left = std::get_if<event::left>(&what)) {
      std::erase(calls_, left->call);
    } else if (const auto* granted = std::get_if<event::granted>(&what); granted != nullptr && contends_ && !granted_) {
      bound_from_ = granted->now;
      granted_ = true;
      watched_ = granted->watched;
      turns_ = first_ = 0;
    } else if (const auto* wanted_by = std::get_if<event::wanted>(&what); wanted_by != nullptr && watched_) {
      watched_ = false;
      bound_from_ = wanted_by->now;
      first_ = holds_ ? turns_ - 1 : turns_;
    } else if (const auto* released = std::get_if<event::released>(&what); released != nullptr && holds_) {
      released_at_ = released->now;
      holds_ = false;
    }
    for (const local_action& one : wanted) {
      hear(one, std::holds_alternative<event::covered>(what));
    }
  }

 private:
  void hear(const local_action& one, bool is_covered) {
    switch (one.is) {
      case contend:
        EXPECT_FALSE(contends_) << "one contender at a time";
        contends_ = true;
        break;
      case begin_turn:
        EXPECT_TRUE(is_covered && granted_ && contends_ && !holds_);
        EXPECT_EQ(one.call, calls_.front());
        EXPECT_EQ(one.turn, turns_);
        EXPECT_TRUE(watched_ || turns_ - first_ < bounds.turns);
        EXPECT_TRUE(watched_ || turns_ == 0 || released_at_ - bound_from_ < bounds.time || was_kept_);
        was_kept_ = false;
        calls_.pop_front();
        ++turns_;
        holds_ = true;
        break;
      case refuse: std::erase(calls_, one.call); break;
      case refuse_all: calls_.clear(); break;
      case keep:
        EXPECT_TRUE(watched_ && !holds_ && calls_.empty());
        was_kept_ = true;
        break;
      case stop:
      case remove:
      case let_go: contends_ = granted_ = holds_ = watched_ = was_kept_ = false; break;
      default: break;
    }
  }

  std::deque<std::uint64_t> calls_;
  bool contends_ = false, granted_ = false, holds_ = false, watched_ = false, was_kept_ = false;
  std::uint32_t turns_ = 0, first_ = 0;
  instant bound_from_{0}, released_at_{0};
};

TEST(local_turns, what_they_promise_holds_in_any_order_of_events) {
  for (unsigned seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE(seed);
    std::minstd_rand chance(seed);
    local_turns machine(seed % 2 == 0 ? keeping : bounds);
    judge judged;
    instant now{0};
    std::uint64_t calls = 0;
    for (int step = 0; step < 60; ++step) {
      now += (chance() % 8) * 2ms;
      local_turns_event what = event::covered{};
      switch (chance() % 18) {
        case 0:
        case 1:
        case 2:
        case 3: what = event::joined{++calls, chance() % 4 == 0}; break;
        case 4: what = event::left{calls > 0 ? 1 + chance() % calls : 1}; break;
        case 5:
        case 6:
        case 7: what = event::granted{now, chance() % 4 != 0, machine.keeps() && chance() % 4 != 0}; break;
        case 8: what = event::refused{chance() % 2 == 0}; break;
        case 9: what = chance() % 4 == 0 ? local_turns_event(event::lost{}) : event::holds_over{}; break;
        case 10: what = chance() % 4 == 0 ? local_turns_event(event::downgraded{}) : event::stopped{}; break;
        case 11:
        case 12:
        case 13: what = event::released{now}; break;
        case 14: what = chance() % 2 == 0 ? local_turns_event(event::wanted{now}) : event::idled{now}; break;
        default: break;
      }
      judged.hear(what, machine.resume(what));
      EXPECT_EQ(machine.now() == state::idle && machine.waiting() > 0, false) << "a call waits for nothing";
    }
    if (testing::Test::HasFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace zklock::recipes
