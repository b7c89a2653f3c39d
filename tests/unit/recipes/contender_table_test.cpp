#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "tests/unit/recipes/told_contender.hpp"

namespace zklock::recipes::words {
namespace {

struct situation {
  std::string file;
  std::string name;
  acquire_spec wanted;
  bool one_try = false;
  bool created_in_transaction = false;
  company has = company::none;
  limit_node known;
  std::string path;
  std::map<std::string, std::string> answers;  ///< event -> "next state: actions"
  std::map<std::string, std::string> others;   ///< kind of event -> the same, for those not named
  std::vector<std::string> named_twice;

  [[nodiscard]] const std::string* find(std::string_view event) const {
    if (const auto exact = answers.find(std::string(event)); exact != answers.end()) {
      return &exact->second;
    }
    const auto kind = others.find(std::string(event.substr(0, event.find(':'))));
    return kind == others.end() ? nullptr : &kind->second;
  }
  [[nodiscard]] told_contender start() const {
    return told_contender(wanted, one_try, created_in_transaction, has, known);
  }
  [[nodiscard]] told_contender reach() const {
    told_contender contender = start();
    contender.tell(path);
    return contender;
  }
  [[nodiscard]] std::vector<std::string> events() const {
    std::vector<std::string> words = all_events(wanted);
    if (has == company::in_a_row) {
      words.emplace_back("listed:behind_ours");
    }
    return words;
  }
  [[nodiscard]] std::string place() const { return file + " [" + name + "]"; }
};

/// The situations of one kind of contender, and what changes nothing in any of them.
struct kind_table {
  situation every;
  std::vector<situation> situations;

  [[nodiscard]] std::string answer_to(const situation& in, const std::string& state, std::string_view event) const {
    if (const std::string* const answer = in.find(event)) {
      return *answer;
    }
    return every.find(event) != nullptr ? state + ": nothing" : "(not in the table)";
  }
};

acquire_spec in_curators(contender_kind kind) { return {kind, 1, 0, false, layout::curator}; }

/// What stands behind the name in a head: the contender, then the events.
void read_head(const std::string& line, kind_table& table) {
  situation next = table.every;
  next.answers.clear();
  next.others.clear();
  const std::size_t close = line.find(']');
  next.name = line.substr(1, close - 1);
  static const std::map<std::string, acquire_spec> specs{{"mutex", {}},
                                                         {"reader", {contender_kind::read}},
                                                         {"writer", {contender_kind::write}},
                                                         {"permit", two_of_four},
                                                         {"any_limit", {contender_kind::permit, two_of_four.permits}},
                                                         {"curator_reader", in_curators(contender_kind::read)},
                                                         {"curator_writer", in_curators(contender_kind::write)},
                                                         {"lease", lease_of_four}};
  static const std::map<std::string, company> companies{{"in_a_row", company::in_a_row},
                                                        {"followed", company::followed},
                                                        {"alone_before", company::alone_before},
                                                        {"alone_before_watched", company::alone_before_watched}};
  for (const std::string& word : split(line.substr(close + 1))) {
    if (const auto wanted = specs.find(word); wanted != specs.end()) {
      next.wanted = wanted->second;
    } else if (word == "once") {
      next.one_try = true;
    } else if (word == "known_limit") {
      next.known = {.limit = permit_limit{4, 4}, .version = 7, .written = limit_written};
    } else if (word == "created_in_transaction") {
      next.created_in_transaction = true;
    } else if (const auto has = companies.find(word); has != companies.end()) {
      next.has = has->second;
    } else {
      next.path += word + " ";
    }
  }
  if (next.name == "every situation") {
    table.every = next;
  } else {
    table.situations.push_back(next);
  }
}

kind_table read_table(const std::string& name) {
  std::ifstream file(ZKLOCK_CONTENDER_TRANSITIONS + ("/" + name));
  kind_table table;
  table.every.file = name;
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
    situation& now = table.situations.empty() ? table.every : table.situations.back();
    for (const std::string& word : split(line)) {
      const bool fresh = word.ends_with(":*") ? now.others.emplace(word.substr(0, word.size() - 2), answer).second
                                              : now.answers.emplace(word, answer).second;
      if (!fresh) {
        now.named_twice.push_back(word);
      }
    }
  }
  return table;
}

const std::vector<kind_table>& tables() {
  static const std::vector<kind_table> read = [] {
    std::vector<kind_table> all;
    for (const char* const name : {"mutex.txt", "reader.txt", "writer.txt", "permit.txt", "created_in_transaction.txt",
                                   "curator_reader.txt", "curator_writer.txt", "lease.txt"}) {
      all.push_back(read_table(name));
    }
    return all;
  }();
  return read;
}

TEST(contender_table, every_situation_answers_every_event_as_the_table_says) {
  int transitions = 0;
  for (const kind_table& table : tables()) {
    ASSERT_FALSE(table.situations.empty()) << table.every.file;
    for (const situation& from : table.situations) {
      const std::string state = from.reach().state();
      for (const std::string& event : from.events()) {
        told_contender contender = from.reach();
        const std::string actions = contender.tell(event);
        EXPECT_EQ(contender.state() + ": " + actions, table.answer_to(from, state, event))
            << from.place() << " " << event;
        ++transitions;
      }
    }
  }
  RecordProperty("transitions", transitions);
}

TEST(contender_table, every_state_has_a_situation_and_every_situation_is_in_its_state) {
  std::set<std::string> states;
  for (const kind_table& table : tables()) {
    for (const situation& from : table.situations) {
      const std::string state = from.reach().state();
      EXPECT_TRUE(from.name.starts_with(state)) << from.place() << " is " << state;
      states.insert(state);
    }
  }
  for (const std::string_view state : states_of_a_contender) {
    EXPECT_TRUE(states.contains(std::string(state))) << state;
  }
}

TEST(contender_table, every_kind_of_event_has_a_word) {
  std::set<std::size_t> kinds;
  for (const std::string& word : all_events({})) {
    kinds.insert(event_of(word).index());
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<contender_event>);
}

void expect_known_words(const situation& from) {
  const std::vector<std::string> words = from.events();
  const std::set<std::string> known(words.begin(), words.end());
  EXPECT_EQ(from.named_twice, std::vector<std::string>{}) << from.place();
  for (const auto& [event, answer] : from.answers) {
    EXPECT_TRUE(known.contains(event)) << from.place() << " " << event;
  }
  for (const auto& [kind, answer] : from.others) {
    EXPECT_TRUE(std::any_of(known.begin(), known.end(),
                            [&kind = kind](std::string_view word) { return word.starts_with(kind + ":"); }))
        << from.place() << " " << kind;
  }
}

TEST(contender_table, the_table_names_no_event_twice_and_none_that_does_not_exist) {
  for (const kind_table& table : tables()) {
    expect_known_words(table.every);
    std::for_each(table.situations.begin(), table.situations.end(), expect_known_words);
  }
}

using action_counts = std::map<std::string, int>;

/// Tells one contender all of that, and counts what it asks for.
void walk(const situation& from, const std::vector<std::string>& told, action_counts& counts) {
  told_contender contender = from.start();
  bool finished = false;
  for (const std::string& word : told) {
    for (const std::string& one : split(contender.tell(word))) {
      if (one != "nothing") {
        ASSERT_FALSE(finished) << one << " after finish";
        ++counts[one];
        finished = one == "finish";
      }
    }
  }
  EXPECT_LE(counts["grant"], 1);
  EXPECT_LE(counts["refuse"] + counts["start_over"], 1);
  EXPECT_LE(counts["lose"], counts["grant"]);
  EXPECT_LE(counts["lose"] + counts["start_over"], 1);
  EXPECT_EQ(counts["finish"], finished ? 1 : 0);
}

/// Whatever it is told, in whatever order, also what no client would tell.
TEST(contender_table, any_words_in_any_order_give_one_answer_and_nothing_after_finish) {
  std::mt19937 random(20260101);  // NOLINT: the same walk every time
  action_counts seen;
  for (int round = 0; round < 200; ++round) {
    for (const kind_table& table : tables()) {
      for (const situation& from : table.situations) {
        const std::vector<std::string> words = from.events();
        std::uniform_int_distribution<std::size_t> pick(0, words.size() - 1);
        std::vector<std::string> told = split(from.path);
        for (int step = 0; step < 12; ++step) {
          told.push_back(words[pick(random)]);
        }
        action_counts counts;
        ASSERT_NO_FATAL_FAILURE(walk(from, told, counts)) << from.place() << ", round " << round;
        ASSERT_FALSE(HasFailure()) << from.place() << ", round " << round;
        for (const auto& [action, count] : counts) {
          seen[action] += count;
        }
      }
    }
  }
  for (int number = 0; number <= static_cast<int>(action::finish); ++number) {
    const auto one = static_cast<action>(number);
    EXPECT_EQ(seen[std::string(word_of(one))] > 0, one != action::tell_of_others)
        << number;  // see contender_keep_test.cpp
  }
}

}  // namespace
}  // namespace zklock::recipes::words
