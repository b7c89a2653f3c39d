#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "src/operations/follow_node.hpp"
#include "tests/sim/followed_checker.hpp"

namespace zklock::sim {

/// The node whose value programs follow, and change.
inline constexpr std::string_view followed_path = "/v";

/// Of a followed node: followed_checker. A node that is hidden is never told as absent; what was refused is asked for again a
/// session timeout later, at the latest.
///
/// | name | says |
/// |---|---|
/// | update_told_truly | an update is told as done if it was, to one client a value; as not done only if it never will be |
/// | update_shown | once its update is done, who follows it shows that value, or a later one |
class value_checker final : public followed_checker<operations::node_report> {
 public:
  explicit value_checker(reporter report)
      : followed_checker({"value_never_older", "value_current", "value_at_rest"}, std::move(report)) {
    begin_history();
  }

  void updated(int client, const recipes::node_stat& to, const std::string& data);
  /// No other one writes that.
  void not_updated(int client, const std::string& data);
  /// As followed_checker has it.
  void history_lost();

 private:
  using node_report = operations::node_report;
  using value = recipes::followed_node::value;

  [[nodiscard]] period found_in(const testing::ensemble& servers) const override;
  [[nodiscard]] period nothing() const override;
  [[nodiscard]] bool says_the_same(const node_report& one, const node_report& other) const override;
  [[nodiscard]] bool is_unknown(const node_report& one) const override;
  [[nodiscard]] std::string said(const node_report& what) const override;
  [[nodiscard]] instant astray_max(const node_report& told) const override;
  void note_period(const node_report& now) override;

  std::set<std::int64_t> claimed_;     ///< mzxids of the values that were told as some client's update
  std::map<std::int64_t, node_report> written_;  ///< by mzxid, hidden or not
  std::set<std::string> not_applied_;  ///< values that were told as not written
};

}  // namespace zklock::sim
