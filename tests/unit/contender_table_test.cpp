#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "tests/unit/contender_words.hpp"

namespace zklock::recipes::words {
namespace {

struct situation {
  std::string name;
  bool one_try = false;
  std::string path;
  std::map<std::string, std::string> answers;  ///< event -> "next state: actions"
  std::map<std::string, std::string> others;   ///< kind of event -> the same, for those not named
  std::vector<std::string> named_twice;

  [[nodiscard]] std::string answer_to(std::string_view event) const {
    if (const auto exact = answers.find(std::string(event)); exact != answers.end()) {
      return exact->second;
    }
    const auto kind = others.find(std::string(event.substr(0, event.find(':'))));
    return kind == others.end() ? "(not in the table)" : kind->second;
  }
  [[nodiscard]] told_contender reach() const {
    told_contender contender(one_try);
    contender.tell(path);
    return contender;
  }
};

void read_head(const std::string& line, std::vector<situation>& table) {
  situation next;
  const std::size_t close = line.find(']');
  next.name = line.substr(1, close - 1);
  for (const std::string& word : split(line.substr(close + 1))) {
    if (word == "once") {
      next.one_try = true;
    } else {
      next.path += word + " ";
    }
  }
  table.push_back(next);
}

std::vector<situation> read_table() {
  std::ifstream file(ZKLOCK_CONTENDER_TRANSITIONS);
  std::vector<situation> table;
  std::string answer;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') {
      continue;
    }
    if (line[0] == '[') {
      read_head(line, table);
      continue;
    }
    const std::size_t arrow = line.find(" <- ");
    if (arrow != std::string::npos) {
      answer = line.substr(0, arrow);
      line.erase(0, arrow + 4);
    }
    for (const std::string& word : split(line)) {
      situation& now = table.back();
      const bool fresh = word.ends_with(":*") ? now.others.emplace(word.substr(0, word.size() - 2), answer).second
                                              : now.answers.emplace(word, answer).second;
      if (!fresh) {
        now.named_twice.push_back(word);
      }
    }
  }
  return table;
}

const std::vector<situation>& table() {
  static const std::vector<situation> read = read_table();
  return read;
}

TEST(contender_table, every_situation_answers_every_event_as_the_table_says) {
  std::size_t transitions = 0;
  for (const situation& from : table()) {
    for (const std::string_view event : all_events()) {
      told_contender contender = from.reach();
      const std::string actions = contender.tell(event);
      EXPECT_EQ(contender.state() + ": " + actions, from.answer_to(event)) << "[" << from.name << "] " << event;
      ++transitions;
    }
  }
  EXPECT_EQ(transitions, table().size() * all_events().size());
  RecordProperty("transitions", static_cast<int>(transitions));
}

TEST(contender_table, every_state_has_a_situation_and_every_situation_is_in_its_state) {
  std::set<std::string> states;
  for (const situation& from : table()) {
    const std::string state = from.reach().state();
    EXPECT_TRUE(from.name.starts_with(state)) << "[" << from.name << "] is " << state;
    states.insert(state);
  }
  for (int number = 0; number <= static_cast<int>(contender::state::finished); ++number) {
    EXPECT_TRUE(states.contains(std::string(word_of(static_cast<contender::state>(number))))) << number;
  }
}

TEST(contender_table, every_kind_of_event_has_a_word) {
  std::set<std::size_t> kinds;
  for (const std::string_view word : all_events()) {
    kinds.insert(event_of(word).index());
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<contender_event>);
}

TEST(contender_table, the_table_names_no_event_twice_and_none_that_does_not_exist) {
  const std::set<std::string_view> known(all_events().begin(), all_events().end());
  ASSERT_FALSE(table().empty());
  for (const situation& from : table()) {
    EXPECT_EQ(from.named_twice, std::vector<std::string>{}) << "[" << from.name << "]";
    for (const auto& [event, answer] : from.answers) {
      EXPECT_TRUE(known.contains(event)) << "[" << from.name << "] " << event;
    }
    for (const auto& [kind, answer] : from.others) {
      EXPECT_TRUE(std::any_of(known.begin(), known.end(),
                              [&kind = kind](std::string_view word) { return word.starts_with(kind + ":"); }))
          << "[" << from.name << "] " << kind;
    }
  }
}

/// Whatever it is told, in whatever order, also what no client would tell.
TEST(contender_table, any_words_in_any_order_give_one_answer_and_nothing_after_finish) {
  std::mt19937 random(20260101);  // NOLINT: the same walk every time
  std::uniform_int_distribution<std::size_t> pick(0, all_events().size() - 1);
  std::map<std::string, int> seen;
  for (int walk = 0; walk < 20'000; ++walk) {
    const situation& from = table()[static_cast<std::size_t>(walk) % table().size()];
    told_contender contender(from.one_try);
    std::map<std::string, int> counts;
    std::vector<std::string> told = split(from.path);
    for (int step = 0; step < 12; ++step) {
      told.emplace_back(all_events()[pick(random)]);
    }
    bool finished = false;
    for (const std::string& word : told) {
      for (const std::string& one : split(contender.tell(word))) {
        if (one == "nothing") {
          continue;
        }
        ASSERT_FALSE(finished) << one << " after finish: " << from.name << ", walk " << walk;
        ++counts[one];
        finished = one == "finish";
      }
    }
    ASSERT_LE(counts["grant"], 1) << walk;
    ASSERT_LE(counts["refuse"] + counts["start_over"], 1) << walk;
    ASSERT_LE(counts["lose"], counts["grant"]) << walk;
    ASSERT_LE(counts["lose"] + counts["start_over"], 1) << walk;
    ASSERT_EQ(counts["finish"], finished ? 1 : 0) << walk;
    for (const auto& [action, count] : counts) {
      seen[action] += count;
    }
  }
  for (int number = 0; number <= static_cast<int>(action::finish); ++number) {
    EXPECT_GT(seen[std::string(word_of(static_cast<action>(number)))], 0) << number;
  }
}

}  // namespace
}  // namespace zklock::recipes::words
