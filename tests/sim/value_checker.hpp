#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/operations/follow_node.hpp"
#include "src/testing/ensemble_model.hpp"

namespace zklock::sim {

/// The node whose value programs follow, and change.
inline constexpr std::string_view followed_path = "/v";

/// What must hold of all that is told of a followed node, judged from the leader's nodes.
///
/// | name | says |
/// |---|---|
/// | value_never_older | what is told was so once, in the order in which it was so; a node that is hidden is never told as absent |
/// | value_current | nothing is told as current without a connection; nor, behind a reconnect, what is older than what the
/// server had applied when the client heard of the connection |
/// | value_at_rest | once nothing is under way, who follows it, connected, shows what the servers have, as current; what was
/// refused a session timeout later, at the latest |
/// | update_told_truly | an update is told as done if it was, to one client a value; as not done only if it never will be |
/// | update_shown | once its update is done, who follows it shows that value, or a later one |
class value_checker {
 public:
  using instant = testing::instant;
  using reporter = std::function<void(std::string checker, std::string what)>;
  explicit value_checker(reporter report) : report_(std::move(report)) {}

  // ---- what a client is told
  void begun(int client) { followings_[client] = {}; }
  void reported(int client, const operations::node_report& what);
  void over(int client);
  void updated(int client, const recipes::node_stat& to, const std::string& data);
  /// No other one writes that.
  void not_updated(int client, const std::string& data);
  void crashed(int client) { followings_.erase(client); }
  /// Its current handle hears of its connection.
  void session_event(int client, client::connection_state state, const testing::ensemble& servers);

  // ---- what is done to the node
  void nodes_may_have_changed(const testing::ensemble& servers);
  /// The servers begin anew, with nothing.
  void history_lost();

  // ---- at certain points
  void quiescent(const testing::ensemble& servers, const std::vector<bool>& connected, instant now);
  /// All that follow it show what the servers have, as current.
  [[nodiscard]] bool all_at_rest() const;
  void never_finished();

 private:
  using value = recipes::followed_node::value;
  /// What the node was for a while.
  struct period {
    std::int64_t since = 0;  ///< zxid
    value what = value::absent;
    recipes::node_stat stat{};
    std::string data{};
  };
  struct following {
    std::size_t at = 0;  ///< which period it was told of: at the earliest this one
    operations::node_report told{};
    instant astray_since{-1};
  };
  [[nodiscard]] static bool shows(const period& one, const operations::node_report& what);
  [[nodiscard]] std::optional<std::size_t> first_shown(const operations::node_report& what, std::size_t from) const;
  [[nodiscard]] std::size_t place_of(std::int64_t zxid) const;
  [[nodiscard]] bool is_at_rest(const following& one) const;

  const reporter report_;
  std::vector<period> history_{period{}};
  std::map<int, following> followings_;
  std::map<int, std::int64_t> connected_;  ///< clients, and what their server had applied when they heard of it
  std::set<std::int64_t> claimed_;         ///< mzxids of the values that were told as some client's update
  std::set<std::string> not_applied_;      ///< values that were told as not written
  std::int64_t seen_zxid_ = 0;
};

}  // namespace zklock::sim
