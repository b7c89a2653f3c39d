#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/operations/commit.hpp"
#include "tests/support/scripted_port.hpp"
#include "tests/unit/operations/on_a_port.hpp"

namespace zklock::test_support {

/// Keeps what a transaction has told.
struct asked_transaction final : zklock::operations::receiver<zklock::operations::transaction_result> {
  void complete(zklock::operations::transaction_result told) noexcept override {
    ++answers;
    results = std::move(told.results);
    failure = std::move(told.failure);
  }
  [[nodiscard]] bool was_applied() const { return answers == 1 && !failure.ec; }

  int answers = 0;
  std::vector<client::part_result> results;
  zklock::operations::transaction_failure failure;
};

using operations = std::vector<client::request::operation>;
using locks = std::vector<std::shared_ptr<asked_lock>>;

inline std::shared_ptr<asked_transaction> commit(scripted_port& port, const locks& guards,
                                                 operations wanted = {client::request::set{"/config", "new", 3}}) {
  std::vector<std::shared_ptr<detail::hold>> holds;
  for (const auto& one : guards) {
    holds.push_back(one->hold);
  }
  auto asked = std::make_shared<asked_transaction>();
  port.locks.begin_transaction(std::make_shared<zklock::operations::commit>(std::move(holds), std::move(wanted), asked),
                               port.now);
  return asked;
}

/// The oldest request: as a server does that finds this part at fault.
inline void answer_parts(scripted_port& port, recipes::code at_fault, std::size_t place) {
  using recipes::code;
  const auto asked = port.requests.front();
  port.requests.pop_front();
  client::reply answer;
  answer.code = at_fault;
  const auto& parts = std::get<client::request::multi>(asked.what).operations;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    answer.parts.push_back({part < place ? code::ok : part == place ? at_fault : code::runtime_inconsistency, {}, {}});
  }
  port.engine.on_reply(asked.generation, asked.id, answer, port.now);
}

/// The oldest request: applied, with these names and versions.
inline void answer_applied(scripted_port& port, const std::vector<std::pair<std::string, int>>& parts = {}) {
  const auto asked = port.requests.front();
  port.requests.pop_front();
  client::reply answer;
  answer.parts.resize(std::get<client::request::multi>(asked.what).operations.size());
  for (std::size_t part = 0; part < parts.size(); ++part) {
    answer.parts.at(part).name = parts[part].first;
    answer.parts.at(part).stat.version = parts[part].second;
  }
  port.engine.on_reply(asked.generation, asked.id, answer, port.now);
}

}  // namespace zklock::test_support

/// Words for tests of transactions.
namespace zklock::test_support::transactions {

namespace request = client::request;
using at = zklock::operations::transaction_failure::at;
using test_support::answer_applied;
using test_support::commit;
using test_support::hold_at_once;
using test_support::hold_of;
using test_support::scripted_port;

}  // namespace zklock::test_support::transactions
