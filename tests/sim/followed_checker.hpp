#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/testing/data_tree.hpp"
#include "src/testing/ensemble_model.hpp"
#include "tests/sim/client_name.hpp"

namespace zklock::sim {

/// Its data are.
[[nodiscard]] inline bool is_hidden(const testing::tree_node& node) {
  constexpr std::int32_t permission_read = 1;
  return !node.acl.empty() && std::none_of(node.acl.begin(), node.acl.end(), [](const client::acl_entry& one) {
    return (one.permissions & permission_read) != 0;
  });
}

/// What must hold of all that clients are told of something followed, judged from the leader's nodes. `Report` has `known`,
/// and `current`.
///
/// | name | says |
/// |---|---|
/// | never_older | what is told was so once, in the order in which it was so |
/// | current | nothing is told as current without a connection; nor, behind a reconnect, what is older than what the server had
/// applied when the client heard of the connection |
/// | at_rest | once nothing is under way, who follows it, connected, shows what the servers have, as current |
template <class Report>
class followed_checker {
 public:
  using instant = testing::instant;
  using reporter = std::function<void(std::string checker, std::string what)>;
  struct names {
    std::string never_older, current, at_rest;
  };

  // ---- what a client is told
  void begun(int client) { followings_[client] = {}; }
  void reported(int client, const Report& what) {
    const auto found = followings_.find(client);
    if (found == followings_.end()) {
      report("finishes_once", client, "follows no more, and was told " + said(what));
      return;
    }
    following& mine = found->second;
    const bool turns_current = what.current && !mine.told.current;
    const bool news = !says_the_same(what, mine.told);
    mine.told = what;
    const auto connection = connected_.find(client);
    if (what.current && (connection == connected_.end() || is_unknown(what))) {
      report(names_.current, client, "without a connection, was told " + said(what));
      return;
    }
    if (is_unknown(what) || (!news && !what.current)) {
      return;
    }
    const std::optional<std::size_t> at = first_shown(what, mine.at);
    if (!at) {
      const bool was_so = first_shown(what, 0).has_value();
      report(names_.never_older, client,
             "was told " + said(what) + ", which " + (was_so ? "was so before" : "never was so"));
      return;
    }
    mine.at = *at;
    if (turns_current) {
      const std::optional<std::size_t> recent = first_shown(what, std::max(mine.at, place_of(connection->second)));
      if (!recent) {
        report(names_.current, client, "was told " + said(what) + ", and its server had applied a later change");
        return;
      }
      mine.at = *recent;
    }
  }
  void over(int client) {
    if (followings_.erase(client) == 0) {
      report("finishes_once", client, "was told twice that it follows no more");
    }
  }
  void crashed(int client) { followings_.erase(client); }
  /// Its current handle hears of its connection.
  void session_event(int client, client::connection_state state, const testing::ensemble& servers) {
    if (state == client::connection_state::connected) {
      connected_[client] = servers.view().applied_for(client);
    } else {
      connected_.erase(client);
    }
  }

  // ---- what is done to the nodes
  void nodes_may_have_changed(const testing::ensemble& servers) {
    if (std::exchange(seen_zxid_, servers.last_zxid()) == servers.last_zxid()) {
      return;
    }
    period now = found_in(servers);
    now.since = now.since == 0 ? seen_zxid_ : now.since;
    note_period(now.is);
    if (!says_the_same(now.is, history_.back().is)) {
      history_.push_back(std::move(now));
    }
  }
  /// The servers begin anew, with nothing.
  void history_lost() {
    history_.assign(1, nothing());
    for (auto& [client, one] : followings_) {
      one.at = 0;
    }
  }

  // ---- at certain points
  void quiescent(const testing::ensemble& servers, const std::vector<bool>& connected, instant now) {
    for (auto& [client, one] : followings_) {
      if (one.told.current && !connected_.contains(client)) {
        report(names_.current, client, "has no connection, and goes by " + said(one.told));
      }
      const bool can_tell = connected[static_cast<std::size_t>(client)] && servers.view().queued(client) == 0;
      if (!can_tell || is_at_rest(one)) {
        one.astray_since = instant{-1};
      } else if (one.astray_since < instant{0}) {
        one.astray_since = now;
      } else if (now - one.astray_since > astray_max(one.told)) {
        report(names_.at_rest, client, "connected, goes by " + said(one.told));
      }
    }
  }
  /// All that follow it show what the servers have, as current.
  [[nodiscard]] bool all_at_rest() const {
    return std::all_of(followings_.begin(), followings_.end(),
                       [this](const auto& one) { return is_at_rest(one.second); });
  }
  void never_finished() {
    for (const auto& [client, one] : followings_) {
      if (!is_at_rest(one)) {
        report(names_.at_rest, client, "still goes by " + said(one.told));
      }
    }
  }

 protected:
  /// What it was for a while.
  struct period {
    std::int64_t since = 0;  ///< zxid; 0: not known
    Report is{};
  };

  followed_checker(names called, reporter report) : names_(std::move(called)), report_(std::move(report)) {}
  ~followed_checker() = default;
  followed_checker(const followed_checker&) = delete;
  followed_checker& operator=(const followed_checker&) = delete;

  /// As the leader has it.
  [[nodiscard]] virtual period found_in(const testing::ensemble& servers) const = 0;
  /// Before anything was made.
  [[nodiscard]] virtual period nothing() const = 0;
  /// But for `current`.
  [[nodiscard]] virtual bool says_the_same(const Report& one, const Report& other) const = 0;
  [[nodiscard]] virtual bool is_unknown(const Report& one) const = 0;
  [[nodiscard]] virtual std::string said(const Report& what) const = 0;
  /// As long as waiters may take (checkers_waits.cpp).
  [[nodiscard]] virtual instant astray_max(const Report&) const { return std::chrono::seconds(5); }
  /// Looked at anew; perhaps as before.
  virtual void note_period(const Report&) {}

  void report(const std::string& checker, int client, const std::string& what) const {
    report_(checker, client_name(client) + ", " + what);
  }
  void report(const std::string& checker, const std::string& what) const { report_(checker, what); }
  [[nodiscard]] const std::vector<period>& history() const noexcept { return history_; }
  void begin_history() { history_.assign(1, nothing()); }
  /// Null: it follows nothing.
  [[nodiscard]] const Report* told_last(int client) const {
    const auto mine = followings_.find(client);
    return mine != followings_.end() ? &mine->second.told : nullptr;
  }

 private:
  struct following {
    std::size_t at = 0;  ///< which period it was told of: at the earliest this one
    Report told{};
    instant astray_since{-1};
  };
  [[nodiscard]] std::optional<std::size_t> first_shown(const Report& what, std::size_t from) const {
    for (std::size_t at = from; at < history_.size(); ++at) {
      if (says_the_same(history_[at].is, what)) {
        return at;
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] std::size_t place_of(std::int64_t zxid) const {
    std::size_t at = history_.size() - 1;
    while (at > 0 && history_[at].since > zxid) {
      --at;
    }
    return at;
  }
  [[nodiscard]] bool is_at_rest(const following& one) const {
    return one.told.current && says_the_same(history_.back().is, one.told);
  }

  const names names_;
  const reporter report_;
  std::vector<period> history_;
  std::map<int, following> followings_;
  std::map<int, std::int64_t> connected_;  ///< clients, and what their server had applied when they heard of it
  std::int64_t seen_zxid_ = 0;
};

}  // namespace zklock::sim
