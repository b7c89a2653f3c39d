#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "recipes/node_life.hpp"
#include "tests/unit/recipes/contender_words.hpp"
#include "tests/unit/recipes/state_space.hpp"

/// The life of a node, told what a contender tells it: each request is answered once, in the order of the requests.
namespace zklock::recipes::words {
namespace {

using state = node_life::state;

/// With the requests that are unanswered, by the event that answers them.
struct living_node {
  node_life life;
  std::vector<std::string> asked{};

  [[nodiscard]] bool is_in(std::initializer_list<state> several) const {
    return std::find(several.begin(), several.end(), life.now()) != several.end();
  }
  [[nodiscard]] bool awaits(const std::string& answer) const {
    return !asked.empty() && answer.substr(0, answer.find(':')) == asked.front();
  }
  void ask(const decision& next, const action_list& out) {
    for (const action one : out) {
      switch (one) {
        case action::make_lock_node: asked.emplace_back("lock_node_made"); break;
        case action::create_own: asked.emplace_back("created"); break;
        case action::sync: asked.emplace_back("synced"); break;
        case action::list:
        case action::share_list: asked.emplace_back("listed"); break;
        case action::watch_own: asked.emplace_back("own_watched"); break;
        case action::remove_own: asked.emplace_back("removed"); break;
        default: break;
      }
    }
    if (next.is == decision::kind::look && life.now() == state::entering) {
      asked.emplace_back("entered");
    }
    if (life.now() == state::finished) {
      asked.clear();
    }
  }
  bool operator==(const living_node&) const = default;
};

std::string description_of(const living_node& one) {
  static const char* const states[] = {"idle",    "entering", "unsettled", "searching", "settling", "entered",
                                       "missing", "held",     "removing",  "unremoved", "finished"};
  static const char* const watches[] = {"", ", own asked", ", own watched"};
  const own_node& node = one.life.node();
  std::string text = states[static_cast<int>(one.life.now())];
  text += node.name.empty() ? "" : node.name == own_name ? ", named" : ", the other";
  text += node.becomes.empty() ? "" : ", in doubt";
  text += watches[static_cast<int>(node.watched)];
  text += one.life.unwanted() ? ", unwanted" : "";
  text += one.life.waits_for_connection() ? ", waits" : "";
  return text + (node.czxid == found_token.czxid ? ", found" : "");
}

using teller = std::function<decision(node_life&, action_list&)>;

/// A teller of what wants nothing next.
template <class Tell>
teller silent(const Tell& tell) {
  return [tell](node_life& one, action_list& out) {
    tell(one, out);
    return decision{};
  };
}

class living_inputs {
 public:
  using condition = std::function<bool(const living_node&)>;

  void add(const std::string& word, const teller& tell, const condition& when = {}) {
    const auto answer = [word, tell](living_node& one) {
      if (one.awaits(word)) {
        one.asked.erase(one.asked.begin());
      }
      action_list out;
      const decision next = tell(one.life, out);
      one.ask(next, out);
      return word_of(next, out);
    };
    all_.push_back({word, answer, when});
  }
  void add_in(std::initializer_list<state> states, const std::string& word, const teller& tell) {
    const std::vector<state> several(states);
    add(word, tell, [several](const living_node& one) {
      return std::find(several.begin(), several.end(), one.life.now()) != several.end();
    });
  }
  /// The answers to one kind of request.
  template <class Tell>
  void add_answers(const std::string& words, const Tell& tell) {
    for (const std::string& word : split(words)) {
      add(
          word, [word, tell](node_life& one, action_list& out) { return tell(one, word, out); },
          [word](const living_node& one) { return one.awaits(word); });
    }
  }
  [[nodiscard]] const std::vector<state_space<living_node>::input>& all() const { return all_; }

 private:
  std::vector<state_space<living_node>::input> all_;
};

template <class Event>
Event told(const std::string& word) {
  return std::get<Event>(event_of(word));
}

void add_answers(living_inputs& inputs) {
  inputs.add_answers("lock_node_made:ok lock_node_made:no_root lock_node_made:loss",
                     [](node_life& one, const std::string& word, action_list&) {
                       one.lock_node_made(told<event::lock_node_made>(word));
                       return decision{};
                     });
  inputs.add_answers("created:ok created:loss created:no_node created:exists created:no_auth",
                     [](node_life& one, const std::string& word, action_list&) {
                       one.created(told<event::created>(word));
                       return decision{};
                     });
  inputs.add_answers("entered:alone entered:mixed", [](node_life& one, const std::string& word, action_list& out) {
    return one.entered(word == "entered:mixed", out);
  });
  inputs.add_answers("synced:ok synced:loss synced:no_auth", [](node_life& one, const std::string& word, action_list&) {
    one.synced(told<event::synced>(word));
    return decision{};
  });
  inputs.add_answers("listed:first listed:absent listed:loss listed:no_node listed:no_auth",
                     [](node_life& one, const std::string& word, action_list& out) {
                       return one.searched(told<event::listed>(word), out);
                     });
  inputs.add_answers("own_watched:ok own_watched:foreign own_watched:loss own_watched:no_auth",
                     [](node_life& one, const std::string& word, action_list&) {
                       return one.own_watched(told<event::own_watched>(word));
                     });
  inputs.add_answers("removed:ok removed:loss removed:no_node removed:no_auth",
                     [](node_life& one, const std::string& word, action_list& out) {
                       return one.removed(told<event::removed>(word), out);
                     });
}

void add_events(living_inputs& inputs) {
  const auto watched = [](const living_node& one) { return one.life.node().watched == watch::set; };
  const auto in_doubt = [](const living_node& one) {
    return one.is_in({state::held}) && !one.life.node().becomes.empty();
  };
  inputs.add("connected", [](node_life& one, action_list& out) { return one.connected(out); });
  inputs.add(
      "own_gone", [](node_life& one, action_list&) { return one.own_gone(); }, watched);
  inputs.add("own_changed", silent([](node_life& one, action_list&) { one.own_changed(); }), watched);
  inputs.add_in({state::settling, state::entered, state::held}, "watch_own",
                silent([](node_life& one, action_list& out) { one.watch_own(out); }));
  inputs.add_in({state::removing}, "drop_watch", silent([](node_life& one, action_list& out) { one.drop_watch(out); }));
  inputs.add_in({state::entered}, "hold", silent([](node_life& one, action_list&) { one.hold(); }));
  inputs.add_in({state::entered}, "miss", silent([](node_life& one, action_list&) { one.miss(); }));
  inputs.add_in({state::entering, state::unsettled, state::searching}, "unwant",
                silent([](node_life& one, action_list&) { one.unwant(); }));
  inputs.add_in({state::settling, state::entered, state::missing, state::held, state::unremoved}, "remove",
                silent([](node_life& one, action_list& out) { one.remove(out); }));
  inputs.add("finish", silent([](node_life& one, action_list&) { one.finish(); }));
  inputs.add("may_become", silent([](node_life& one, action_list&) { one.may_become("the other"); }),
             [](const living_node& one) { return one.is_in({state::held}) && one.life.node().name == own_name; });
  inputs.add("became_other", silent([](node_life& one, action_list& out) { one.became_other(out); }), in_doubt);
  inputs.add("stays", silent([](node_life& one, action_list&) { one.may_become({}); }), in_doubt);
}

state_space<living_node> space_of_life(bool makes_lock_node, bool enlisted) {
  living_inputs inputs;
  add_answers(inputs);
  add_events(inputs);
  if (enlisted) {  // the transaction is answered before the list that was sent behind it
    inputs.add("enlisted", [](node_life& one, action_list& out) {
      const decision next = one.enlisted();
      if (next.is == decision::kind::look) {
        out.push(action::create_own);
      }
      return next;
    });
  }
  const std::string prefix(contender_prefix(contender_kind::mutex, own_id, 1));
  return {{{"new", {node_life(prefix, makes_lock_node, enlisted)}}}, inputs.all(), description_of};
}

TEST(reachable_values, of_the_life_of_a_node) { expect_as_in_table(space_of_life(true, false), "node_life.txt"); }

TEST(reachable_values, of_the_life_of_a_node_whose_lock_node_it_may_not_make) {
  expect_as_in_table(space_of_life(false, false), "node_life_below_a_given_lock_node.txt");
}

TEST(reachable_values, of_the_life_of_a_node_that_is_enlisted) {
  expect_as_in_table(space_of_life(true, true), "node_life_enlisted.txt");
}

}  // namespace
}  // namespace zklock::recipes::words
