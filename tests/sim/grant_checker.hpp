#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/engine/hold.hpp"
#include "tests/sim/contender_nodes.hpp"
#include "tests/sim/wanted.hpp"

namespace zklock::sim {

using instant = std::chrono::nanoseconds;

/// What must hold among grants: which holders may hold at once, with which tokens, and that the parts of a multi-lock
/// come and go together. Judged from what was granted, given back and told lost, and from the leader's nodes.
class grant_checker {
 public:
  using reporter = std::function<void(std::string checker, std::string what)>;
  grant_checker(const std::vector<lock_plan>& locks, reporter report)
      : locks_(locks), report_(std::move(report)), last_(locks.size()) {}

  struct holding {
    int client = 0;
    std::shared_ptr<detail::hold> hold;
    want of;
    std::uint32_t limit_max = 0;  ///< the highest in force between asking and the grant
    bool whole = false;           ///< a multi-lock's; its parts are holdings of their own
    bool told = false;            ///< of its loss
    bool was_released = false;
  };
  /// What the leader has, and which nodes went by force.
  struct scene {
    const contender_nodes& nodes;
    const std::function<bool(const std::string& path)> forced_out;
    instant now;
  };

  /// `limits_max`: of each of `wanted`.
  void granted(int client, const std::vector<want>& wanted, const std::shared_ptr<detail::hold>& hold,
               const std::vector<std::uint32_t>& limits_max, const scene& at);
  void downgraded(const detail::hold& hold);
  void crashed(int client);
  /// Tokens start again.
  void history_lost() { last_.assign(last_.size(), tokens{}); }
  /// That all holders may hold at once.
  void judge_all(const scene& at);
  /// A multi-lock's nodes are made together. `fresh`: what has just come.
  void judge_new_nodes(const contender_nodes& fresh);

  [[nodiscard]] std::vector<holding>& holdings() noexcept { return holdings_; }
  /// The nodes that stand for it.
  [[nodiscard]] static std::vector<std::string> nodes_of(const detail::hold& hold);
  [[nodiscard]] static bool any_forced_out(const detail::hold& hold, const scene& at);
  [[nodiscard]] bool was_granted(const std::string& node) const;
  [[nodiscard]] static std::string name_of(const detail::hold& hold);

 private:
  struct tokens {
    recipes::fencing_token writing, reading;
  };
  [[nodiscard]] bool holds(const holding& one, instant now) const;
  [[nodiscard]] bool holds_unforced(const holding& one, const scene& at) const;
  [[nodiscard]] static bool exclude_each_other(const holding& one, const holding& other);
  void judge_part(const holding& mine, const scene& at);
  void judge_token(const holding& mine);
  void judge_permits(const holding& mine, const scene& at);
  void judge_mutex_beside(const holding& mine, const contender_node& lease, const scene& at);
  void judge_parts(const holding& whole, bool created_together, const scene& at);

  const std::vector<lock_plan>& locks_;
  const reporter report_;
  std::vector<holding> holdings_;
  std::map<int, bool> crashed_;
  std::vector<tokens> last_;  ///< by lock
};

}  // namespace zklock::sim
