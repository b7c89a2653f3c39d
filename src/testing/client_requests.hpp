#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/port/client.hpp"

namespace zklock::testing {

/// What a handle remembers of a request until its answer: the watch that comes with it.
struct asked_request {
  client::request_id id = 0;
  std::string watch_path;
  client::watch_id watch = client::no_watch;
  client::connection::watch_kind watch_kind = client::connection::watch_kind::data;
};

[[nodiscard]] asked_request remember(client::request_id id, const client::any_request& what);

/// The requests of one handle that have no answer: sent, in the order of the answers to come, or queued for the next
/// connection.
class client_requests {
 public:
  using queued = std::pair<asked_request, client::any_request>;

  void add_sent(asked_request&& one) { sent_.push_back(std::move(one)); }
  void add_queued(asked_request&& one, client::any_request&& what) {
    queued_.emplace_back(std::move(one), std::move(what));
  }
  [[nodiscard]] asked_request take_answered();        ///< the oldest that was sent
  [[nodiscard]] std::optional<queued> take_queued();  ///< the oldest, if there is one
  /// All, those that were sent first: none is left.
  [[nodiscard]] std::vector<client::request_id> take_all();
  void drop_queued() noexcept { queued_.clear(); }
  void forget(client::watch_id id) noexcept;

  [[nodiscard]] bool none_sent() const noexcept { return sent_.empty(); }
  [[nodiscard]] std::size_t queued_count() const noexcept { return queued_.size(); }
  [[nodiscard]] std::size_t watch_count() const noexcept;  ///< of those that come with a watch

 private:
  std::deque<asked_request> sent_;
  std::deque<queued> queued_;
};

}  // namespace zklock::testing
