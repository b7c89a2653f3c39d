#pragma once

#include <memory>
#include <string>
#include <utility>

#include "recipes/leader_watch.hpp"
#include "src/operations/receiver.hpp"
#include "src/operations/repeated.hpp"

namespace zklock::operations {

struct read_leader_result {
  using value = recipes::leader_watch::value;
  value is = value::unknown;  ///< unknown: it has failed
  recipes::seen_leader leader{};
  detail::failure why{};
};

/// Reads who is first in an election's queue, once, behind a quorum write, so that it shows all that was written before.
class read_leader final : public repeated {
 public:
  /// `path`: the user's.
  read_leader(std::string path, instant until, std::shared_ptr<receiver<read_leader_result>> told)
      : repeated(until), path_(std::move(path)), told_(std::move(told)) {}

  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;
  void stop(const detail::failure& why, engine::out& wants) override;

 private:
  void ask(engine::out& wants) override;
  void forget_try() noexcept override {}
  void list(engine::out& wants);
  void listed(const client::reply_view& answer, engine::out& wants);
  void complete(read_leader_result&& with, engine::out& wants);

  const std::string path_;
  std::string first_;
  std::shared_ptr<receiver<read_leader_result>> told_;
};

}  // namespace zklock::operations
