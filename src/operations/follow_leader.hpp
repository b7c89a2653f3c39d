#pragma once

#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "recipes/leader_watch.hpp"
#include "src/operations/follow.hpp"

namespace zklock::operations {

/// What is known of who leads.
struct leader_report : follow_report {
  recipes::leader_watch::value known = recipes::leader_watch::value::unknown;
  recipes::seen_leader leader;  ///< the latest one, also when there is none any more
};
using leader_listener = follow_listener<leader_report>;

/// Follows the first in an election's queue: recipes::leader_watch.
class follow_leader final : public follow<recipes::leader_watch> {
 public:
  follow_leader(std::string path, std::shared_ptr<leader_listener> told)
      : follow(std::move(path)), told_(std::move(told)) {}

  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;

 private:
  void send(command what, engine::out& wants) override;
  void report(engine::out& wants) override;
  void over(std::error_code why, engine::out& wants) override { told_->over(why, wants); }

  const std::shared_ptr<leader_listener> told_;
  leader_report reported_;
};

}  // namespace zklock::operations
