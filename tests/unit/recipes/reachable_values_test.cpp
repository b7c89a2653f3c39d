#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "recipes/curator_downgrade.hpp"
#include "recipes/mark.hpp"
#include "recipes/node_life.hpp"
#include "recipes/predecessor_watch.hpp"
#include "recipes/queue_round.hpp"
#include "tests/unit/recipes/contender_words.hpp"
#include "tests/unit/recipes/state_space.hpp"

/// The parts that all recipes share.
namespace zklock::recipes::words {
namespace {

const std::vector<std::string> codes = split("ok loss throttled no_node no_auth exists");

code code_of(const std::string& word) { return std::get<event::removed>(event_of("removed:" + word)).code; }

// ---- the check itself

struct lamp {
  bool on = false;
  int pressed = 0;
  bool operator==(const lamp&) const = default;
};

state_space<lamp> space_of_lamp(int remembered) {
  return {{{"new", lamp{}}},
          {{"press",
            [remembered](lamp& one) {
              one = {!one.on, (one.pressed + 1) % remembered};
              return one.on ? "light" : "dark";
            }}},
          [](const lamp& one) { return one.on ? "on" : "off"; }};
}

TEST(state_space, finds_every_reachable_value) {
  EXPECT_EQ(space_of_lamp(1).table(), "2 reachable values\noff <- new\non <- new press\n");
  EXPECT_EQ(space_of_lamp(3).size(), 6U);
}

TEST(state_space, names_two_values_that_answer_everything_alike) {
  EXPECT_EQ(space_of_lamp(1).alike(), "");
  EXPECT_EQ(space_of_lamp(4).alike(), "  new\n  new press press\n\n  new press\n  new press press press\n\n");
}

// ---- mark, curator_downgrade

template <class Machine, class Marks>
state_space<Machine> space_of_mark(const Marks& marks) {
  std::vector<typename state_space<Machine>::input> inputs;
  const auto add = [&inputs](const std::string& word, const auto& tell) { inputs.push_back({word, tell}); };
  add("begin", [](Machine& one) {
    action_list out;
    if constexpr (std::is_void_v<decltype(one.begin(out))>) {
      one.begin(out);
      return word_of(decision{}, out);
    } else {
      const decision next = one.begin(out);
      return word_of(next, out);
    }
  });
  add("connected", [](Machine& one) {
    action_list out;
    if constexpr (std::is_void_v<decltype(one.connected(out))>) {
      one.connected(out);
      return word_of(decision{}, out);
    } else {
      const decision next = one.connected(out);
      return word_of(next, out);
    }
  });
  for (const std::string& word : codes) {
    add("answered:" + word, [word](Machine& one) { return word_of(one.answered(code_of(word)), {}); });
    if constexpr (requires(Machine one) { one.sync_answered(code::ok); }) {
      add("synced:" + word, [word](Machine& one) { return word_of(one.sync_answered(code_of(word)), {}); });
      add("looked:" + word, [word](Machine& one) {
        action_list out;
        const decision next = one.looked(code_of(word), out);
        return word_of(next, out);
      });
    }
  }
  return {{{"new", Machine{}}}, inputs, [marks](const Machine& one) {
            static const char* const names[] = {"none", "asked", "owed", "sought", "done"};
            return std::string(names[static_cast<int>(marks(one))]);
          }};
}

TEST(reachable_values, of_a_mark) {
  expect_as_in_table(space_of_mark<mark>([](const mark& one) { return one.now(); }), "mark.txt");
}

TEST(reachable_values, of_a_curator_downgrade) {
  expect_as_in_table(space_of_mark<curator_downgrade>([](const curator_downgrade& one) { return one.marks(); }),
                     "curator_downgrade.txt");
}

// ---- queue_round

std::string description_of(const queue_round& one) {
  static const char* const names[] = {"idle", "asked", "asked_with_watches", "interrupted"};
  const std::string limit = !one.limit().limit ? (one.limit().empty ? " empty" : "") : " limit";
  return names[static_cast<int>(one.now())] + limit;
}

state_space<queue_round> space_of_round(const queue_round& start, const std::vector<std::string>& limits) {
  std::vector<state_space<queue_round>::input> inputs;
  const auto idle = [](const queue_round& one) { return one.now() == queue_round::state::idle; };
  const auto not_under_way = [](const queue_round& one) { return !one.under_way(); };
  const auto add = [&inputs](const std::string& word, const std::function<void(queue_round&, action_list&)>& tell,
                             const std::function<bool(const queue_round&)>& when = {}) {
    inputs.push_back({word,
                      [tell](queue_round& one) {
                        action_list out;
                        tell(one, out);
                        return word_of(out);
                      },
                      when});
  };
  add(
      "look", [](queue_round& one, action_list& out) { one.look(action::list, out); }, not_under_way);
  add(
      "look_with_watches", [](queue_round& one, action_list& out) { one.look_with_watches(out); }, idle);
  add(
      "interrupt", [](queue_round& one, action_list&) { one.interrupt(); }, idle);
  add(
      "drop_watches", [](queue_round& one, action_list& out) { one.drop_watches(out); }, not_under_way);
  add("end", [](queue_round& one, action_list& out) { one.end(out); });
  add("children_changed", [](queue_round& one, action_list&) { one.children_changed(); });
  add("limit_changed", [](queue_round& one, action_list&) { one.limit_changed(); });
  for (const std::string& word : limits) {
    add(word, [word](queue_round& one, action_list&) { one.read(std::get<event::limit_read>(event_of(word))); });
  }
  for (const char* const word : {"siblings_listed:ok", "siblings_listed:mixed"}) {
    add(word, [word](queue_round& one, action_list&) {
      one.siblings_listed(std::get<event::siblings_listed>(event_of(word)));
    });
  }
  for (const char* const word : {"listed:first", "listed:rewritten:first", "listed:loss"}) {
    inputs.push_back({word,
                      [word](queue_round& one) {
                        const bool awaited = one.under_way();
                        const round_answers all = one.listed(std::get<event::listed>(event_of(word)));
                        return !awaited ? std::string("nothing")
                                        : std::to_string(static_cast<int>(all.failure)) +
                                              (all.mixed_beside ? " mixed" : "") + (all.limit_stale ? " stale" : "") +
                                              (all.watched ? " watched" : "");
                      },
                      {}});
  }
  return {{{"new", start}}, inputs, description_of};
}

TEST(reachable_values, of_a_round_with_a_limit) {
  expect_as_in_table(space_of_round(queue_round(true, false), split("limit_read:ok limit_read:loss")),
                     "round_with_limit.txt");
}

TEST(reachable_values, of_a_round_that_lists_siblings) {
  expect_as_in_table(space_of_round(queue_round(false, true), {}), "round_that_lists_siblings.txt");
}

// ---- predecessor_watch

/// With the watch on the own node, which node_life has: here as it goes there.
struct waiter {
  predecessor_watch behind;
  own_node own{.name = own_name};

  [[nodiscard]] predecessor_watch::state is() const { return behind.now(); }
  std::string said(const decision& next, const action_list& actions) {
    const bool watch_own = next.is == decision::kind::watch_own || next.is == decision::kind::watch_both;
    own.watched = watch_own && own.watched == watch::none ? watch::asked : own.watched;
    return word_of(next, actions);
  }
  bool operator==(const waiter&) const = default;
};

state_space<waiter> space_of_waiter() {
  using state = predecessor_watch::state;
  std::vector<state_space<waiter>::input> inputs;
  const auto add = [&inputs](const std::string& word, const std::function<decision(waiter&, action_list&)>& tell,
                             const std::function<bool(const waiter&)>& when = {}) {
    inputs.push_back({word,
                      [tell](waiter& one) {
                        action_list out;
                        const decision next = tell(one, out);
                        return one.said(next, out);
                      },
                      when});
  };
  const auto resting = [](const waiter& one) { return one.is() == state::resting; };
  const auto own_watched = [](const waiter& one) { return one.own.watched == watch::set; };
  const auto own_asked = [](const waiter& one) { return one.own.watched == watch::asked; };
  const auto follow = [&](const std::string& name, bool announced) {
    add(
        "follow:" + name + (announced ? "" : ":one_of_two"),
        [=](waiter& one, action_list& out) { return one.behind.follow(name, announced, one.own, out); }, resting);
  };
  follow("p", true);
  follow("p", false);
  follow("q", true);
  add(
      "follow_own_session:p", [](waiter& one, action_list& out) { return one.behind.follow_own_session("p", out); },
      resting);
  add("passed_on", [](waiter& one, action_list&) { return one.behind.on(event::passed_on{}, one.own); });
  add("predecessor_left", [](waiter& one, action_list&) { return one.behind.on(event::predecessor_left{}, one.own); });
  add("look_after_own", [](waiter& one, action_list&) { return one.behind.on(event::look_after_own{}, one.own); });
  using answer = predecessor_watch::answer;
  const std::vector<std::pair<std::string, answer>> answers{{"ok", {code::ok}},
                                                            {"marked", {code::ok, true}},
                                                            {"ours", {code::ok, false, true}},
                                                            {"loss", {code::connection_loss}},
                                                            {"no_node", {code::no_node}},
                                                            {"no_auth", {code::no_auth}}};
  for (const auto& [name, told] : answers) {
    add("watched:" + name, [told = told](waiter& one, action_list&) { return one.behind.watched(told, one.own); });
  }
  for (const char* const word : {"own_watched:ok", "own_watched:loss", "own_watched:no_node", "own_watched:no_auth"}) {
    const auto told = std::get<event::own_watched>(event_of(word));
    add(
        word,
        [told](waiter& one, action_list&) {
          one.own.watched = answered(told.code);
          return one.behind.on(told, one.own);
        },
        own_asked);
  }
  add("predecessor_gone", [](waiter& one, action_list&) { return one.behind.on(event::predecessor_gone{}, one.own); });
  add("predecessor_changed",
      [](waiter& one, action_list&) { return one.behind.on(event::predecessor_changed{}, one.own); });
  add(
      "own_gone",
      [](waiter& one, action_list&) {
        one.own.watched = watch::none;
        return one.behind.on(event::own_gone{}, one.own);
      },
      own_watched);
  add(
      "own_changed",
      [](waiter& one, action_list&) {
        one.own.watched = watch::none;
        return one.behind.on(event::own_changed{}, one.own);
      },
      own_watched);
  add("disturbed", [](waiter& one, action_list&) {
    one.behind.disturbed();
    return decision{};
  });
  add("drop", [](waiter& one, action_list& out) {
    one.behind.drop(out);
    return decision{};
  });
  return {{{"new", waiter{}}}, inputs, [](const waiter& one) {
            static const char* const names[] = {"resting", "watching", "passing", "waiting", "behind_own"};
            static const char* const watches[] = {"", ", own asked", ", own watched"};
            return names[static_cast<int>(one.is())] + std::string(one.behind.is_set() ? ", watched" : "") +
                   watches[static_cast<int>(one.own.watched)] +
                   (one.behind.let_pass().empty() ? "" : ", " + std::string(one.behind.let_pass()) + " let pass");
          }};
}

TEST(reachable_values, of_the_watch_on_a_predecessor) {
  expect_as_in_table(space_of_waiter(), "predecessor_watch.txt");
}

}  // namespace
}  // namespace zklock::recipes::words
