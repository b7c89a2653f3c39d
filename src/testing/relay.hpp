#pragma once

#include <deque>
#include <memory>
#include <utility>
#include <variant>

#include "src/port/client.hpp"

namespace zklock::testing {

/// What stands between the model, which calls with the mutex held, and a user's observer, which is called without.
/// Everything here is guarded by the core's mutex; the analysis cannot see that across the observer's virtual calls.
class relay final : public client::observer, public std::enable_shared_from_this<relay> {
 public:
  struct call {
    struct reply {
      client::request_id id;
      client::reply answer;
    };
    struct node {
      client::watch_id id;
      client::node_event event;
    };
    struct closed {
      bool confirmed;
    };
    std::shared_ptr<relay> whose;
    std::variant<reply, node, client::session_event, closed> what;

    [[nodiscard]] bool is_last() const noexcept { return std::holds_alternative<closed>(what); }
    void pass_on(client::observer& target);
  };

  relay(client::observer& target, std::deque<call>& out) : to(&target), out_(&out) {}

  void on_reply(client::request_id id, const client::reply_view& answer) override {
    put(call::reply{id, answer.copy()});
  }
  void on_node_event(client::watch_id id, client::node_event event) override { put(call::node{id, event}); }
  void on_session_event(const client::session_event& event) override { put(event); }
  void on_closed(bool confirmed) override { put(call::closed{confirmed}); }

  client::observer* to;  ///< null: its connection has been destroyed
  bool busy = false;     ///< a call is under way
  bool closing = false;  ///< only on_closed is told from here on

 private:
  template <class What>
  void put(What&& what) {
    out_->push_back({shared_from_this(), std::forward<What>(what)});
  }

  std::deque<call>* out_;
};

}  // namespace zklock::testing
