#pragma once

#include <atomic>
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

/// What a listing of locks does besides.
struct locks_below_options {
  bool with_access = false;                                      ///< detail::lock_below::access
  std::shared_ptr<std::atomic<std::size_t>> progress = nullptr;  ///< gets the number of nodes that the try has seen
};

/// Lists all locks at and below a path. Each try is one round, in one connection: `detail::lock_tree_round`.
class locks_below final : public repeated {
 public:
  /// `top`: "" for the root.
  locks_below(std::string top, instant until, std::shared_ptr<receiver<locks_below_result>> told,
              locks_below_options options = {});

  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;
  void stop(const detail::failure& why, engine::out& wants) override;

 private:
  void ask(engine::out& wants) override;
  void forget_try() noexcept override;
  void go_on(engine::out& wants);
  void complete(locks_below_result&& result, engine::out& wants);

  const std::string top_;
  std::shared_ptr<receiver<locks_below_result>> told_;
  const locks_below_options options_;
  std::size_t seen_ = 0;                          ///< nodes, in the try before
  std::optional<detail::lock_tree_round> round_;  ///< nothing while there is no connection, and between two tries
};

}  // namespace zklock::operations
