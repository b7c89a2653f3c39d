#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "recipes/local_deadline.hpp"
#include "src/port/client.hpp"

namespace zklock::engine {

using recipes::instant;

/// When a session sends what, so that its local deadline stays ahead: syncs, and some writes that change nothing.
///
/// docs/design/deadline.md says why, and how many.
class heartbeat {
 public:
  using request_kind = recipes::local_deadline::request_kind;
  /// What the session is kept for.
  struct demand {
    bool holds = false;    ///< the deadline has to be kept ahead
    bool awaited = false;  ///< a grant waits for it
    bool nodes = false;    ///< contenders' nodes, at least
    bool idle = false;     ///< also when there is none of these
    [[nodiscard]] bool pressed() const noexcept { return holds || awaited; }
  };

  /// `asked`: the timeout that is asked for. `root`: where a check may be made.
  heartbeat(const recipes::deadline_wishes& wishes, std::chrono::nanoseconds asked, std::string root);

  /// Also while one is unanswered, and while there is no connection: what fails then says when the next one was begun (syncs
  /// alone, since no write is sent).
  [[nodiscard]] std::optional<instant> due(const demand& of, bool connected) const;
  [[nodiscard]] request_kind next_kind(const demand& of, bool connected, instant now) const;
  [[nodiscard]] client::any_request request(request_kind kind) const;
  /// Something was heard of a server that is no beat's answer: from then on the C client waits anew before it leaves that server,
  /// while the deadline stays where it is.
  void heard(instant now) noexcept { heard_ = now; }
  /// What its program hears of the servers, this session does not.
  void share_handle() noexcept { shares_handle_ = true; }
  /// Whether another one, behind this answer, gains enough to be sent at once.
  [[nodiscard]] bool gains_by_another(const demand& of, bool answered_heartbeat) const;

  /// A write that changes nothing and asks the quorum.
  [[nodiscard]] client::any_request quorum_write() const;
  /// What its answer says: as a sync's. Where the root may not be read the same is asked again, in another way.
  [[nodiscard]] client::code quorum_answer(client::code answer);
  /// Whether the same is to be asked at once, in the other way.
  bool note_answer(client::code answer) noexcept {
    return answer == client::code::no_auth && !std::exchange(root_is_hidden_, true);
  }

  [[nodiscard]] recipes::local_deadline& deadline() noexcept { return deadline_; }
  [[nodiscard]] const recipes::local_deadline& deadline() const noexcept { return deadline_; }

 private:
  [[nodiscard]] std::chrono::nanoseconds interval(const demand& of, bool connected) const noexcept;
  [[nodiscard]] int beats_per_write(const demand& of, bool connected) const noexcept;
  [[nodiscard]] bool in_pairs(const demand& of, bool connected) const noexcept;

  recipes::local_deadline deadline_;
  const std::chrono::nanoseconds asked_;
  const std::string root_;
  bool root_is_hidden_ = false;  ///< its access list forbids to read it
  std::optional<instant> heard_;
  bool shares_handle_ = false;
};

}  // namespace zklock::engine
