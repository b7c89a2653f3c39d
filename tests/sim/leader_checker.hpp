#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "src/operations/follow_leader.hpp"
#include "tests/sim/followed_checker.hpp"

namespace zklock::sim {

/// Of the first in an election's queue: followed_checker. That its order is the order of the tokens follows from the leader's
/// nodes.
///
/// | name | says |
/// |---|---|
/// | proclaimed_truly | a proclamation is told as done if the node has said that, or a later one; an earlier one never comes
/// behind a later one |
class leader_checker final : public followed_checker<operations::leader_report> {
 public:
  /// `path`: where the candidates stand.
  leader_checker(std::string path, reporter report)
      : followed_checker({"leader_never_older", "leader_current", "leader_at_rest"}, std::move(report)),
        path_(std::move(path)) {
    begin_history();
  }

  /// What the `number`th proclamation of a client says.
  [[nodiscard]] static std::string proclamation(int client, int number);
  /// It was told as done, of the node with this czxid.
  void proclaimed(int client, std::int64_t czxid, int number);

 private:
  using leader_report = operations::leader_report;
  using value = recipes::leader_watch::value;

  [[nodiscard]] period found_in(const testing::ensemble& servers) const override;
  [[nodiscard]] period nothing() const override;
  [[nodiscard]] bool says_the_same(const leader_report& one, const leader_report& other) const override;
  [[nodiscard]] bool is_unknown(const leader_report& one) const override;
  [[nodiscard]] std::string said(const leader_report& what) const override;
  void note_period(const leader_report& now) override;

  const std::string path_;
  std::map<std::int64_t, int> said_;  ///< by czxid: the latest proclamation that the first candidate's node has had
};

}  // namespace zklock::sim
