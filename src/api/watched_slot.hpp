#pragma once

#include <memory>
#include <string>
#include <system_error>

#include <zklock/watched_value.hpp>

#include "src/api/latest_view.hpp"
#include "src/api/session_impl.hpp"
#include "src/operations/follow_node.hpp"

namespace zklock::detail {

inline constexpr const char* value_observer_name = "an observer of a watched value";

/// The latest view of a followed node.
class watched_slot final : public latest_view<value_view>, public operations::node_listener {
 public:
  void seen(const operations::node_report& what, engine::out& wants) override;
  void over(std::error_code why, engine::out& wants) override { end(why, wants); }
};

/// What stands behind a watched_value.
struct watched_node {
  std::shared_ptr<session_impl> session;
  std::string path;
  std::shared_ptr<watched_slot> slot = std::make_shared<watched_slot>();
  std::shared_ptr<operations::follow_node> follows = std::make_shared<operations::follow_node>(path, slot);
};

}  // namespace zklock::detail
