#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "src/port/client.hpp"
#include "src/threads/thread_safety.hpp"

namespace zklock::test {

/// An observer that keeps what it is told, in order, and lets a test wait for it.
class recorder final : public client::observer {
 public:
  struct reply_told {
    client::request_id id = 0;
    client::reply answer;
  };
  struct node_told {
    client::watch_id id = 0;
    client::node_event event = client::node_event::changed;
  };
  struct closed_told {
    bool confirmed = false;
  };
  using entry = std::variant<reply_told, node_told, client::session_event, closed_told>;

  void on_reply(client::request_id id, const client::reply_view& answer) override {
    add(reply_told{id, answer.copy()});
  }
  void on_node_event(client::watch_id id, client::node_event event) override { add(node_told{id, event}); }
  void on_session_event(const client::session_event& event) override { add(event); }
  void on_closed(bool confirmed) override { add(closed_told{confirmed}); }

  /// Everything told so far.
  [[nodiscard]] std::vector<entry> told() const ZKLOCK_EXCLUDES(mutex_) {
    const scoped_lock_on lock(mutex_);
    return told_;
  }

  /// The first entry from `from` on that the predicate likes; none within the limit.
  template <class Likes>
  std::optional<entry> wait(Likes likes, std::size_t from = 0) const ZKLOCK_EXCLUDES(mutex_) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    const scoped_lock_on lock(mutex_);
    for (std::size_t next = from;;) {
      for (; next < told_.size(); ++next) {
        if (likes(told_[next])) {
          return told_[next];
        }
      }
      if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) {
        return {};
      }
    }
  }

  [[nodiscard]] client::reply reply_to(client::request_id id, std::size_t from = 0) const {
    const auto found = wait(
        [id](const entry& one) {
          const auto* reply = std::get_if<reply_told>(&one);
          return reply != nullptr && reply->id == id;
        },
        from);
    if (!found) {
      client::reply none;
      none.code = client::code::runtime_inconsistency;
      none.data = "no reply came";
      return none;
    }
    return std::get<reply_told>(*found).answer;
  }

  [[nodiscard]] std::optional<client::session_event> wait_state(client::connection_state state,
                                                                std::size_t from = 0) const {
    const auto found = wait(
        [state](const entry& one) {
          const auto* event = std::get_if<client::session_event>(&one);
          return event != nullptr && event->state == state;
        },
        from);
    return found ? std::optional(std::get<client::session_event>(*found)) : std::nullopt;
  }

  [[nodiscard]] std::optional<client::node_event> wait_node_event(client::watch_id id) const {
    const auto found = wait([id](const entry& one) {
      const auto* event = std::get_if<node_told>(&one);
      return event != nullptr && event->id == id;
    });
    return found ? std::optional(std::get<node_told>(*found).event) : std::nullopt;
  }

  /// Whether the closing was confirmed; none if it was not told.
  [[nodiscard]] std::optional<bool> wait_closed() const {
    const auto found = wait([](const entry& one) { return std::holds_alternative<closed_told>(one); });
    return found ? std::optional(std::get<closed_told>(*found).confirmed) : std::nullopt;
  }

  [[nodiscard]] std::size_t size() const ZKLOCK_EXCLUDES(mutex_) {
    const scoped_lock_on lock(mutex_);
    return told_.size();
  }

 private:
  void add(entry one) ZKLOCK_EXCLUDES(mutex_) {
    const scoped_lock_on lock(mutex_);
    told_.push_back(std::move(one));
    changed_.notify_all();
  }

  mutable annotated_mutex mutex_;
  mutable annotated_condition changed_;
  std::vector<entry> told_ ZKLOCK_GUARDED_BY(mutex_);
};

}  // namespace zklock::test
