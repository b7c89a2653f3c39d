#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "src/operations/participants_query.hpp"
#include "src/operations/permit_limit_operation.hpp"
#include "tests/support/scripted_port.hpp"

/// Operations on a scripted port, and what they have told.
namespace zklock::test_support {

struct asked_queue final : operations::receiver<operations::participants_result> {
  void complete(operations::participants_result told) noexcept override {
    ++answers;
    queue = std::move(told.queue);
    permits = told.permits;
    error = told.ec;
    answer = told.answer;
  }

  std::weak_ptr<engine::operation> operation;
  int answers = 0;
  std::vector<recipes::seen_contender> queue;
  std::optional<recipes::permit_limit> permits;
  std::error_code error;
  recipes::code answer = recipes::code::ok;
};

struct asked_limit final : operations::receiver<operations::permit_limit_result> {
  void complete(operations::permit_limit_result told) noexcept override {
    ++answers;
    answer = told;
  }

  std::weak_ptr<engine::operation> operation;
  int answers = 0;
  operations::permit_limit_result answer;
};

inline std::shared_ptr<asked_queue> list_participants(scripted_port& port, detail::instant limit,
                                                      const recipes::sought_contenders& of = {
                                                          recipes::contender_kind::mutex}) {
  auto target = std::make_shared<detail::lock_target>();
  target->path = "/l";
  auto asked = std::make_shared<asked_queue>();
  const std::shared_ptr<engine::operation> begun =
      std::make_shared<operations::participants_query>(target, port.now + limit, of, asked);
  asked->operation = begun;
  port.engine.begin(begun, port.now);
  return asked;
}

inline std::shared_ptr<asked_limit> ask_limit(scripted_port& port, std::optional<std::uint32_t> to,
                                              const std::string& path, detail::instant limit) {
  auto target = std::make_shared<detail::lock_target>();
  target->path = path;
  target->acl = {{31, "ip", "::1"}};
  auto asked = std::make_shared<asked_limit>();
  const std::shared_ptr<engine::operation> begun =
      std::make_shared<operations::permit_limit_operation>(target, to, port.now + limit, asked);
  asked->operation = begun;
  port.engine.begin(begun, port.now);
  return asked;
}

inline void abandon(scripted_port& port, const std::weak_ptr<engine::operation>& unwanted) {
  if (const auto still = unwanted.lock()) {
    port.engine.abandon(still, port.now);
  }
}

}  // namespace zklock::test_support
