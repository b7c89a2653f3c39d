#pragma once

#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "recipes/participants_round.hpp"
#include "src/operations/lock_target.hpp"
#include "src/operations/receiver.hpp"
#include "src/operations/repeated.hpp"

namespace zklock::operations {

struct participants_result {
  std::vector<recipes::seen_contender> queue;    ///< the first first
  std::optional<recipes::permit_limit> permits;  ///< of a semaphore whose lock node says so
  std::error_code ec;
  recipes::code answer = recipes::code::ok;  ///< ZooKeeper's, behind an error
};

/// Reads the holders and waiters of one lock. Each try is one round, in one connection: `recipes::participants_round`.
class participants_query final : public repeated {
 public:
  participants_query(std::shared_ptr<const detail::lock_target> lock, instant until,
                     const recipes::sought_contenders& of, std::shared_ptr<receiver<participants_result>> told);

  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;
  void stop(const detail::failure& why, engine::out& wants) override;

 private:
  void ask(engine::out& wants) override;
  void forget_try() noexcept override { round_.reset(); }
  void go_on(engine::out& wants);
  void list_further(engine::out& wants);
  void read_further(engine::out& wants);
  void complete(participants_result&& result, engine::out& wants);

  const std::shared_ptr<const detail::lock_target> target_;
  const recipes::sought_contenders sought_;
  std::shared_ptr<receiver<participants_result>> told_;
  std::optional<recipes::participants_round> round_;  ///< nothing while there is no connection, and between two tries
};

}  // namespace zklock::operations
