#pragma once

#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "recipes/followed_node.hpp"
#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/engine/retry_timer.hpp"

namespace zklock::operations {

/// What is known of something followed, as all of them have it.
struct follow_report {
  recipes::code why = recipes::code::ok;  ///< of a refusal
  bool current = false;
  engine::instant as_of{0};  ///< when a server last vouched for it
};

/// Who is told of what is followed, on the session's strand.
template <class Report>
class follow_listener {
 public:
  virtual ~follow_listener() = default;
  virtual void seen(const Report& what, engine::out& wants) = 0;
  /// Nothing is seen any more.
  virtual void over(std::error_code why, engine::out& wants) = 0;
};

/// Follows something with a machine of recipes/ until it is stopped. The expiry of an adopted handle does not end it: it goes
/// on with the handle that takes its place.
template <class Machine>
class follow : public engine::operation {
 public:
  using command = typename Machine::command;
  using pause = recipes::followed_node::pause;

  void begin(engine::out& wants) final;
  void connected(engine::out& wants) final;
  void disconnected(engine::out& wants) final;
  void connection_closed(engine::out& wants) final { disconnected(wants); }
  void session_over(const engine::session_end&, engine::out& wants) final;
  void proven(engine::out& wants) final;
  void watch_fired(engine::tag, client::node_event event, engine::out& wants) final;
  void watch_refused(engine::tag, engine::out& wants) final;
  void timer(engine::out& wants) final;
  void closed(std::error_code, engine::out& wants) final;
  void stop(const detail::failure& why, engine::out& wants) final;
  [[nodiscard]] std::optional<engine::instant> due() const final { return due_; }

 protected:
  /// `path`: the user's.
  explicit follow(std::string path) : path_(std::move(path)) {}

  /// Sends what the machine asks for; never `none`, nor `prove`.
  virtual void send(command what, engine::out& wants) = 0;
  /// Tells what is known, if it is news.
  virtual void report(engine::out& wants) = 0;
  /// Nothing is seen any more.
  virtual void over(std::error_code why, engine::out& wants) = 0;

  /// A server has answered.
  void vouched(engine::out& wants) { as_of_ = wants.session().now; }
  void go_on(command what, engine::out& wants);
  [[nodiscard]] follow_report common_report() const { return {machine_.why_refused(), machine_.is_current(), as_of_}; }

  const std::string path_;
  Machine machine_;

 private:
  void pace(const engine::session_facts& in);

  engine::instant as_of_{0};
  engine::retry_timer retry_;
  pause waits_ = pause::none;
  std::optional<engine::instant> due_;
  bool warned_ = false;
};

}  // namespace zklock::operations
