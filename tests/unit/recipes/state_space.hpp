#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// All values that a state machine can reach, by breadth-first search over everything that it can be told. Machines are told
/// apart by their `==`.
namespace zklock::recipes {

template <class Machine>
class state_space {
 public:
  /// `tell` gives what the machine answers. `when`: the caller says it only then; nothing: at any time.
  struct input {
    std::string word;
    std::function<std::string(Machine&)> tell;
    std::function<bool(const Machine&)> when{};
  };
  /// What a user of the machine can see of it.
  using description = std::function<std::string(const Machine&)>;

  state_space(const std::vector<std::pair<std::string, Machine>>& starts, const std::vector<input>& inputs,
              const description& describe)
      : inputs_(inputs) {
    for (const auto& [name, machine] : starts) {
      find_or_add(machine, name, describe);
    }
    for (std::size_t from = 0; from < values_.size(); ++from) {
      for (const input& one : inputs) {
        Machine machine = values_[from].machine;
        if (one.when && !one.when(machine)) {
          values_[from].answers.push_back({"(not said)", from});
          continue;
        }
        std::string said = one.tell(machine);
        const std::size_t to = find_or_add(machine, values_[from].path + " " + one.word, describe);
        values_[from].answers.push_back({std::move(said), to});
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return values_.size(); }

  /// A line for each value: what can be seen of it, and the shortest way to it.
  [[nodiscard]] std::string table() const {
    std::string text = std::to_string(values_.size()) + " reachable values\n";
    for (const value& one : values_) {
      text += one.seen + " <- " + one.path + "\n";
    }
    return text;
  }

  /// The ways to two values that are not equal, but answer everything alike for ever. Nothing: there are none.
  [[nodiscard]] std::string alike() const {
    std::vector<std::size_t> group(values_.size(), 0);
    std::map<std::string, std::size_t> seen;
    for (std::size_t one = 0; one < values_.size(); ++one) {
      group[one] = seen.emplace(values_[one].seen, seen.size()).first->second;
    }
    for (std::size_t groups = seen.size(), before = 0; groups != before;) {
      before = groups;
      std::map<std::pair<std::size_t, std::vector<std::pair<std::string, std::size_t>>>, std::size_t> finer;
      std::vector<std::size_t> next(values_.size());
      for (std::size_t one = 0; one < values_.size(); ++one) {
        auto answers = values_[one].answers;
        for (auto& [said, to] : answers) {
          to = group[to];
        }
        next[one] = finer.emplace(std::pair(group[one], std::move(answers)), finer.size()).first->second;
      }
      group = std::move(next);
      groups = finer.size();
    }
    std::map<std::size_t, std::size_t> first;
    std::string pairs;
    for (std::size_t one = 0; one < values_.size(); ++one) {
      const auto [other, fresh] = first.emplace(group[one], one);
      if (!fresh) {
        pairs += "  " + values_[other->second].path + "\n  " + values_[one].path + "\n\n";
      }
    }
    return pairs;
  }

 private:
  struct value {
    Machine machine;
    std::string path;
    std::string seen;
    std::vector<std::pair<std::string, std::size_t>> answers;  ///< by input: what it says, and which value it is then
  };

  std::size_t find_or_add(const Machine& machine, const std::string& path, const description& describe) {
    std::string seen = describe(machine);
    std::vector<std::size_t>& places = by_sight_[seen];
    for (const std::size_t place : places) {
      if (values_[place].machine == machine) {
        return place;
      }
    }
    places.push_back(values_.size());
    values_.push_back({machine, path, std::move(seen), {}});
    return places.back();
  }

  std::vector<input> inputs_;
  std::vector<value> values_;
  std::map<std::string, std::vector<std::size_t>> by_sight_;
};

/// That the reachable values are those of the table in tests/unit/recipes/reachable_values/, and that none is there
/// without need.
template <class Machine>
void expect_as_in_table(const state_space<Machine>& space, const std::string& name) {
  std::ifstream file(ZKLOCK_REACHABLE_VALUES + ("/" + name));
  std::string table;
  for (std::string line; std::getline(file, line);) {
    table += line.starts_with("#") || line.empty() ? "" : line + "\n";
  }
  if (space.table() != table) {
    const std::string written = ::testing::TempDir() + name;
    std::ofstream(written) << space.table();
    ADD_FAILURE() << name << " says otherwise; what there is: " << written << " (" << space.size() << " values)";
  }
  EXPECT_EQ(space.alike(), "") << "two values of which one is not needed";
}

}  // namespace zklock::recipes
