#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "recipes/followed_node.hpp"
#include "src/operations/follow.hpp"

namespace zklock::operations {

/// What is known of a followed node.
struct node_report : follow_report {
  recipes::followed_node::value known = recipes::followed_node::value::unknown;
  recipes::node_stat stat;  ///< of the latest value, also where there is none any more
  std::string data;         ///< likewise
};

using node_listener = follow_listener<node_report>;

/// Follows one node: recipes::followed_node.
class follow_node final : public follow<recipes::followed_node> {
 public:
  follow_node(std::string path, std::shared_ptr<node_listener> told)
      : follow(std::move(path)), told_(std::move(told)) {}

  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;

  /// This client has written it. Of another operation, before it tells its caller.
  void wrote(const recipes::node_stat& stat, std::string_view data, engine::out& wants);

 private:
  void send(command what, engine::out& wants) override;
  void report(engine::out& wants) override;
  void over(std::error_code why, engine::out& wants) override { told_->over(why, wants); }

  const std::shared_ptr<node_listener> told_;
  node_report reported_;
};

}  // namespace zklock::operations
