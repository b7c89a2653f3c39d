#pragma once

#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <zklock/election.hpp>

#include "src/api/latest_view.hpp"
#include "src/api/session_impl.hpp"
#include "src/operations/follow_leader.hpp"

namespace zklock::detail {

/// What users are told of what a machine has seen; `path`: of the election.
[[nodiscard]] leader_view view_of_leader(recipes::leader_watch::value known, const recipes::seen_leader& leader,
                                         recipes::code why, const std::string& path);

/// The latest view of who leads.
class leader_slot final : public latest_view<leader_view>, public operations::leader_listener {
 public:
  explicit leader_slot(std::string path) : path_(std::move(path)) {}
  void seen(const operations::leader_report& what, engine::out& wants) override;
  void over(std::error_code why, engine::out& wants) override { end(why, wants); }

 private:
  const std::string path_;
};

/// What stands behind an election_observer.
struct followed_election {
  std::shared_ptr<session_impl> session;
  std::string path;
  std::shared_ptr<leader_slot> slot = std::make_shared<leader_slot>(path);
  std::shared_ptr<operations::follow_leader> follows = std::make_shared<operations::follow_leader>(path, slot);
  std::shared_ptr<view_observation<leader_view>> told{};  ///< null: nobody
};

}  // namespace zklock::detail
