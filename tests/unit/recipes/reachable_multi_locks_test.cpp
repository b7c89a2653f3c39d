#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "recipes/joint_hold.hpp"
#include "recipes/multi_contender.hpp"
#include "tests/unit/recipes/contender_words.hpp"
#include "tests/unit/recipes/state_space.hpp"

/// What puts several contenders together: the attempt, and what it has got.
namespace zklock::recipes {
namespace {

// ---- joint_hold

std::string word_of(const joint_hold::action_vector& actions) {
  static const char* const names[] = {"end",    "blame", "report_loss", "lose",   "keep",
                                      "forget", "stop",  "release",     "ungroup"};
  std::string text;
  for (const joint_action& one : actions) {
    text += (text.empty() ? "" : " ") + std::string(names[static_cast<int>(one.is)]) + ":" + std::to_string(one.place);
  }
  return text.empty() ? "nothing" : text;
}

state_space<joint_hold> space_of_joint_hold(std::size_t places, bool of_parts) {
  std::vector<state_space<joint_hold>::input> inputs;
  const auto add = [&inputs](const std::string& word, const joint_hold_event& what) {
    inputs.push_back({word, [what](joint_hold& one) { return word_of(one.resume(what)); }});
  };
  for (std::size_t place = 0; place < places; ++place) {
    add("lost_alone:" + std::to_string(place), joint_event::lost{place, true});
    add("lost_with_session:" + std::to_string(place), joint_event::lost{place, false});
  }
  add("deadline_passed", joint_event::holds_over{true});
  add("session_closed", joint_event::holds_over{false});
  add("ended:lost", joint_event::ended{true});
  add("ended:given_back", joint_event::ended{false});
  add("released", joint_event::released{});
  add("margin_over", joint_event::margin_over{});
  add("session_over", joint_event::session_over{});
  add("stop", joint_event::stop{});
  return {{{"granted", joint_hold(places, of_parts)}}, inputs, [](const joint_hold& one) {
            static const char* const states[] = {"held", "ending", "lost", "kept", "apart"};
            return std::string(states[static_cast<int>(one.now())]);
          }};
}

TEST(reachable_values, of_a_joint_hold) {
  expect_as_in_table(space_of_joint_hold(3, true), "joint_hold.txt");
  expect_as_in_table(space_of_joint_hold(2, false), "joint_hold_of_permits.txt");
}

// ---- multi_contender

std::string word_of(const multi_contender::action_vector& actions) {
  static const char* const names[] = {"begin_step", "let_pass", "make_lock_nodes", "create_all", "read_token",
                                      "grant",      "refuse",   "start_over",      "dissolve"};
  std::string text;
  for (const multi_action one : actions) {
    text += (text.empty() ? "" : " ") + std::string(names[static_cast<int>(one)]);
  }
  return text.empty() ? "nothing" : text;
}

std::string description_of(const multi_contender& one) {
  using state = multi_contender::state;
  static const char* const states[] = {"idle", "enlisting", "waiting", "reading", "unread", "granted", "over"};
  std::string text = states[static_cast<int>(one.now())];
  text += one.step() == 0 ? "" : ", step " + std::to_string(one.step());
  text += one.now() == state::granted ? ", token " + std::to_string(one.token().czxid) : "";
  if (one.why_refused() != refusal::none) {
    text += ", refused " + std::to_string(static_cast<int>(one.why_refused())) + " with " +
            std::string(name(one.refused_with())) + " at " + std::to_string(one.place());
  }
  return text + (one.lock_nodes_missing() ? ", lock nodes missing" : "");
}

class attempt_inputs {
 public:
  using condition = std::function<bool(const multi_contender&)>;

  void add(const std::string& word, const multi_contender_event& what, const condition& when = {}) {
    all_.push_back({word, [what](multi_contender& one) { return word_of(one.resume(what)); }, when});
  }
  /// Of contenders and of the caller.
  void add_ends(std::size_t places) {
    for (std::size_t place = 0; place < places; ++place) {
      const std::string at = ":" + std::to_string(place);
      add("refused" + at, multi_event::refused{place, refusal::permit_limit_mismatch});
      add("gone" + at, multi_event::gone{place});
    }
    add("stop", multi_event::stop{refusal::closed});
  }
  [[nodiscard]] const std::vector<state_space<multi_contender>::input>& all() const { return all_; }

 private:
  std::vector<state_space<multi_contender>::input> all_;
};

/// A contender is granted behind the transaction's answer.
bool is_waiting(const multi_contender& one) { return one.now() == multi_contender::state::waiting; }

state_space<multi_contender> space_of_transaction(bool make_lock_nodes) {
  constexpr std::size_t places = 2;
  constexpr fencing_token token{77};
  attempt_inputs inputs;
  inputs.add("connected", multi_event::connected{});
  for (std::size_t place = 0; place < places && make_lock_nodes; ++place) {
    const std::string at = ":" + std::to_string(place);
    inputs.add("lock_node_made:ok" + at, multi_event::lock_node_made{place, code::ok});
    inputs.add("lock_node_made:exists" + at, multi_event::lock_node_made{place, code::node_exists});
    inputs.add("lock_node_made:no_node" + at, multi_event::lock_node_made{place, code::no_node});
    inputs.add("lock_node_made:no_root" + at, multi_event::lock_node_made{place, code::no_node, true});
    inputs.add("lock_node_made:no_auth" + at, multi_event::lock_node_made{place, code::no_auth});
    inputs.add("lock_node_made:loss" + at, multi_event::lock_node_made{place, code::connection_loss});
  }
  inputs.add("created:ok", multi_event::created{code::ok, places});
  inputs.add("created:loss", multi_event::created{code::connection_loss, places});
  for (std::size_t place = 0; place < places; ++place) {
    const std::string at = ":" + std::to_string(place);
    inputs.add("created:no_node" + at, multi_event::created{code::no_node, place});
    inputs.add("created:not_makeable" + at, multi_event::created{code::no_node, place, false});
    inputs.add("created:exists" + at, multi_event::created{code::node_exists, place});
    inputs.add("created:no_auth" + at, multi_event::created{code::no_auth, place});
    inputs.add("granted:known" + at, multi_event::granted{place, token}, is_waiting);
    inputs.add("granted:unknown" + at, multi_event::granted{place, {}}, is_waiting);
  }
  inputs.add("token_read:ok", multi_event::token_read{code::ok, token, true});
  inputs.add("token_read:foreign", multi_event::token_read{code::ok, token, false});
  inputs.add("token_read:no_node", multi_event::token_read{code::no_node, {}, false});
  inputs.add("token_read:no_auth", multi_event::token_read{code::no_auth, {}, false});
  inputs.add("token_read:loss", multi_event::token_read{code::connection_loss, {}, false});
  inputs.add_ends(places);
  return {{{"new", multi_contender(places, make_lock_nodes)}}, inputs.all(), description_of};
}

TEST(reachable_values, of_an_attempt_at_several) {
  expect_as_in_table(space_of_transaction(false), "multi_contender.txt");
}

TEST(reachable_values, of_an_attempt_at_several_that_makes_lock_nodes) {
  expect_as_in_table(space_of_transaction(true), "multi_contender_makes_lock_nodes.txt");
}

state_space<multi_contender> space_of_turns(const std::vector<place_turn>& turns) {
  attempt_inputs inputs;
  inputs.add("connected", multi_event::connected{});
  for (std::size_t place = 0; place < turns.size(); ++place) {
    const fencing_token token{static_cast<std::int64_t>(100 + place)};
    inputs.add(
        "granted:" + std::to_string(place), multi_event::granted{place, token},
        [step = turns[place].step](const multi_contender& one) { return is_waiting(one) && one.step() == step; });
  }
  inputs.add_ends(turns.size());
  return {{{"new", multi_contender(turns)}}, inputs.all(), description_of};
}

/// A mutex, two permits of a semaphore (the mutex beside its leases, then both leases), and another mutex.
TEST(reachable_values, of_an_attempt_in_turn) {
  expect_as_in_table(space_of_turns({{0}, {1, true}, {2}, {2}, {3}}), "multi_contender_in_turn.txt");
  expect_as_in_table(space_of_turns({{0, true}, {1}, {1}}), "multi_contender_of_permits.txt");
}

}  // namespace
}  // namespace zklock::recipes
