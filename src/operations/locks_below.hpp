#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/operations/lock_tree_round.hpp"
#include "src/operations/receiver.hpp"
#include "src/operations/repeated.hpp"

namespace zklock::operations {

struct locks_below_result {
  std::vector<detail::lock_below> locks;  ///< by path
  detail::failure why;                    ///< an error: there are no locks in it
};

/// Lists all locks at and below a path. Each try is one round, in one connection: `detail::lock_tree_round`.
class locks_below final : public repeated {
 public:
  /// `top`: "" for the root.
  locks_below(std::string top, instant until, std::shared_ptr<receiver<locks_below_result>> told);

  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;
  void stop(const detail::failure& why, engine::out& wants) override;

 private:
  void ask(engine::out& wants) override;
  void forget_try() noexcept override;
  void go_on(engine::out& wants);
  void complete(locks_below_result&& result, engine::out& wants);

  const std::string top_;
  std::shared_ptr<receiver<locks_below_result>> told_;
  std::size_t seen_ = 0;                          ///< nodes, in the try before
  std::optional<detail::lock_tree_round> round_;  ///< nothing while there is no connection, and between two tries
};

}  // namespace zklock::operations
