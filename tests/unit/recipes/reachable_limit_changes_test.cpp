#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "recipes/limit_change.hpp"
#include "tests/unit/recipes/state_space.hpp"

/// A change of a semaphore's limit, and a question for it: each request is answered once, in the order of the requests.
namespace zklock::recipes {
namespace {

/// With the requests that are unanswered.
struct asked_change {
  limit_change change;
  std::vector<std::string> asked{};

  [[nodiscard]] bool awaits(const std::string& answer) const {
    return !asked.empty() && answer.substr(0, answer.find(':')) == asked.front();
  }
  bool operator==(const asked_change&) const = default;
};

std::string told(asked_change& one, limit_action what) {
  static const char* const names[] = {"nothing",        "look",        "store", "keep_and_store",
                                      "make_lock_node", "begin_later", "finish"};
  switch (what) {
    case limit_action::look:
      one.asked = {"synced", "read"};
      if (one.change.changes()) {
        one.asked.emplace_back("listed");
      }
      break;
    case limit_action::store:
    case limit_action::keep_and_store: one.asked = {"stored"}; break;
    case limit_action::make_lock_node: one.asked = {"made"}; break;
    case limit_action::begin_later:
    case limit_action::finish: one.asked.clear(); break;
    case limit_action::none: break;
  }
  return names[static_cast<int>(what)];
}

std::string description_of(const asked_change& one) {
  using state = limit_change::state;
  static const char* const states[] = {"idle", "looking", "storing", "making", "finished"};
  const limit_change& change = one.change;
  std::string text = states[static_cast<int>(change.now())];
  text += change.may_have_applied() ? ", unsettled" : "";
  if (change.now() == state::storing || change.now() == state::making) {
    text += " ";
    for (const char letter : change.data()) {
      text += letter == '\n' ? ' ' : letter;
    }
    text += "at " + std::to_string(change.version());
  } else if (change.now() == state::finished) {
    text += ", limit " + std::to_string(change.limit());
    if (change.why_refused() != refusal::none) {
      text += ", refused " + std::to_string(static_cast<int>(change.why_refused())) + " with " +
              std::string(name(change.refused_with()));
    }
  }
  return text;
}

class change_inputs {
 public:
  using teller = std::function<limit_action(limit_change&)>;

  void add(const std::string& word, const teller& tell) {
    all_.push_back({word, [tell](asked_change& one) { return told(one, tell(one.change)); }});
  }
  void add_answer(const std::string& word, const teller& tell) {
    all_.push_back({word,
                    [tell](asked_change& one) {
                      one.asked.erase(one.asked.begin());
                      return told(one, tell(one.change));
                    },
                    [word](const asked_change& one) { return one.awaits(word); }});
  }
  [[nodiscard]] const std::vector<state_space<asked_change>::input>& all() const { return all_; }

 private:
  std::vector<state_space<asked_change>::input> all_;
};

const std::vector<std::pair<std::string, code>> failures{
    {"loss", code::connection_loss}, {"throttled", code::throttled},     {"no_node", code::no_node},
    {"exists", code::node_exists},   {"bad_version", code::bad_version}, {"no_auth", code::no_auth}};

void add_look(change_inputs& inputs) {
  struct node {
    std::string word;
    std::string data;
    std::int32_t version;
  };
  // Of those that lead to the same, one.
  const std::vector<node> nodes{
      {"limit_8", "limit=8\n", 1}, {"as_written", "limit=5\nwas=8\n", 2}, {"empty", "", 0}, {"nonsense", "garbage", 3}};
  const std::vector<std::string> none{"stray"};
  const std::vector<std::string> holder{"permit-0fd3c0ffee0fd3c0ffee0fd3c0ffee00-2-0000000007"};
  const std::vector<std::string> mixed{holder.front(), "0fd3c0ffee0fd3c0ffee0fd3c0ffee00-lock-0000000008"};
  // Likewise: a throttled read, say, leads to what a lost one does.
  const std::vector<std::pair<std::string, code>> of_a_read{
      {"loss", code::connection_loss}, {"no_node", code::no_node}, {"no_auth", code::no_auth}};
  inputs.add_answer("synced:ok", [](limit_change& one) { return one.synced(code::ok); });
  for (const node& seen : nodes) {
    inputs.add_answer("read:" + seen.word,
                      [seen](limit_change& one) { return one.read(code::ok, seen.data, seen.version); });
  }
  for (const auto& [word, children] : {std::pair("none", none), {"holder", holder}, {"mixed", mixed}}) {
    inputs.add_answer("listed:" + std::string(word),
                      [children = children](limit_change& one) { return one.listed(code::ok, children); });
  }
  for (const auto& [word, with] : of_a_read) {
    inputs.add_answer("synced:" + word, [with = with](limit_change& one) { return one.synced(with); });
    inputs.add_answer("read:" + word, [with = with](limit_change& one) { return one.read(with, "", 0); });
    inputs.add_answer("listed:" + word, [with = with](limit_change& one) { return one.listed(with, {}); });
  }
}

state_space<asked_change> space_of_change(const limit_change& start) {
  change_inputs inputs;
  inputs.add("begin", [](limit_change& one) { return one.begin(); });
  add_look(inputs);
  inputs.add_answer("stored:ok", [](limit_change& one) { return one.stored(code::ok); });
  inputs.add_answer("made:ok", [](limit_change& one) { return one.made(code::ok, false); });
  inputs.add_answer("made:no_root", [](limit_change& one) { return one.made(code::no_node, true); });
  for (const auto& [word, with] : failures) {
    inputs.add_answer("stored:" + word, [with = with](limit_change& one) { return one.stored(with); });
    inputs.add_answer("made:" + word, [with = with](limit_change& one) { return one.made(with, false); });
  }
  return {{{"new", {start}}}, inputs.all(), description_of};
}

TEST(reachable_values, of_a_limit_change) { expect_as_in_table(space_of_change(limit_change(5)), "limit_change.txt"); }

TEST(reachable_values, of_a_question_for_a_limit) {
  expect_as_in_table(space_of_change(limit_change({})), "limit_question.txt");
}

}  // namespace
}  // namespace zklock::recipes
