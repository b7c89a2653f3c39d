#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "recipes/followed_node.hpp"
#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/engine/retry_timer.hpp"

namespace zklock::operations {

/// What is known of a followed node.
struct node_report {
  recipes::followed_node::value known = recipes::followed_node::value::unknown;
  recipes::node_stat stat;  ///< of the latest value, also where there is none any more
  std::string data;         ///< likewise
  recipes::code why = recipes::code::ok;
  bool current = false;
  engine::instant as_of{0};  ///< when a server last vouched for it
};

/// Who is told of a followed node, on the session's strand.
class node_listener {
 public:
  virtual ~node_listener() = default;
  virtual void seen(const node_report& what, engine::out& wants) = 0;
  /// Nothing is seen any more.
  virtual void over(std::error_code why) noexcept = 0;
};

/// Follows one node until it is stopped: recipes::followed_node. The expiry of an adopted handle does not end it: it goes on
/// with the handle that takes its place.
class follow_node final : public engine::operation {
 public:
  /// `path`: the user's.
  follow_node(std::string path, std::shared_ptr<node_listener> told) : path_(std::move(path)), told_(std::move(told)) {}

  void begin(engine::out& wants) override;
  void connected(engine::out& wants) override;
  void disconnected(engine::out& wants) override;
  void connection_closed(engine::out& wants) override { disconnected(wants); }
  void session_over(const engine::session_end&, engine::out& wants) override;
  void proven(engine::out& wants) override;
  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;
  void watch_fired(engine::tag, client::node_event event, engine::out& wants) override;
  void watch_refused(engine::tag, engine::out& wants) override;
  void timer(engine::out& wants) override;
  void closed(std::error_code, engine::out& wants) override;
  void stop(const detail::failure& why, engine::out& wants) override;
  [[nodiscard]] std::optional<engine::instant> due() const override { return due_; }

  /// This client has written it. Of another operation, before it tells its caller.
  void wrote(const recipes::node_stat& stat, std::string_view data, engine::out& wants);

 private:
  void ask(recipes::followed_node::command what, engine::out& wants);
  void report(engine::out& wants);

  const std::string path_;
  const std::shared_ptr<node_listener> told_;
  recipes::followed_node node_;
  node_report reported_;
  engine::instant as_of_{0};
  engine::retry_timer retry_;
  recipes::followed_node::pause waits_ = recipes::followed_node::pause::none;
  std::optional<engine::instant> due_;
  bool warned_ = false;
};

}  // namespace zklock::operations
