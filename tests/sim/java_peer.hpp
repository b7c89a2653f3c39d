#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/engine/hold.hpp"
#include "src/port/client.hpp"
#include "tests/sim/checkers.hpp"
#include "tests/sim/program.hpp"
#include "tests/sim/wanted.hpp"

namespace zklock::sim {

/// A Java program that contends with ours: the nodes, predicates and watches of Curator's recipes (5.5's, whose downgrade
/// keeps the place in the queue), on a session of the model. One thread, one request at a time, one lock at a time, one permit;
/// no fault may hit it.
///
/// Source: Curator's InterProcessMutex, InterProcessReadWriteLock and InterProcessSemaphoreV2, as they behave.
class java_peer final : private client::observer {
 public:
  java_peer(int number, script wanted, const std::vector<lock_plan>& locks, testing::ensemble& servers, checkers& told);
  void open(std::chrono::milliseconds session_timeout);

  [[nodiscard]] bool may_act() const { return connected_ && !answer_ && !waits() && next_ < wanted_.size(); }
  [[nodiscard]] std::size_t actions_done() const noexcept { return next_; }
  [[nodiscard]] user_action::kind next_action() const { return wanted_[next_].what; }
  [[nodiscard]] bool done() const { return next_ == wanted_.size() && !answer_ && !waits() && !hold_; }
  void act();

 private:
  using answered = std::function<void(const client::reply_view&)>;
  [[nodiscard]] bool waits() const noexcept { return watch_ != client::no_watch; }
  void ask(client::any_request what, answered then);
  void acquire(const want& what);
  /// A node of its own under `parent`, and then whatever the list says until it is its turn.
  void enter(const std::string& parent, std::string_view marker, std::function<void()> then);
  void look();
  [[nodiscard]] std::optional<std::string> node_to_wait_for(std::vector<std::string> children) const;
  void take_lease();
  void look_at_leases();
  void granted(const std::string& node);
  void downgrade();
  void release();
  void remove(const std::string& node, std::function<void()> then);
  [[nodiscard]] std::string new_name(std::string_view marker);
  [[nodiscard]] std::string payload() const;

  void on_reply(client::request_id id, const client::reply_view& reply) override;
  void on_node_event(client::watch_id id, client::node_event event) override;
  void on_session_event(const client::session_event& event) override;
  void on_closed(bool) override {}

  const int number_;
  const script wanted_;
  const std::vector<lock_plan> locks_;
  testing::ensemble& servers_;
  checkers& told_;
  const std::shared_ptr<detail::session_deadline> deadline_ =
      std::make_shared<detail::session_deadline>();  ///< never over: nothing hits it
  const std::shared_ptr<client::factory> factory_;
  std::unique_ptr<client::connection> connection_;
  bool connected_ = false;

  std::size_t next_ = 0;
  std::uint64_t attempts_ = 0, names_ = 0;
  want present_;  ///< what it acquires, or holds
  std::string parent_, own_, own_lease_;
  client::reply made_;  ///< of the node that will stand for the grant
  std::function<void()> entered_;
  std::shared_ptr<detail::hold> hold_;

  client::request_id last_request_ = 0;
  answered answer_;  ///< of the request that is under way
  client::watch_id last_watch_ = 0, watch_ = client::no_watch;
  std::function<void()> woken_;
};

}  // namespace zklock::sim
