#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "recipes/participants_round.hpp"
#include "src/testing/ensemble_model.hpp"

namespace zklock::sim {

using instant = std::chrono::nanoseconds;

/// What must hold of every listing (F51), judged from the leader's nodes while it was asked for: it is answered once,
/// in time; each contender that stood all the while is in it; each one in it stood at some instant of it, and has its
/// own token; the one that came first stands first.
class participants_checker {
 public:
  using reporter = std::function<void(std::string checker, std::string what)>;
  participants_checker(std::string lock, reporter report) : lock_(std::move(lock)), report_(std::move(report)) {}

  void begun(int client, instant limit, const testing::ensemble& servers);
  /// `may_be_old`: told by a leader that was deposed, which answers a sync all the same.
  void answered(int client, const std::vector<recipes::seen_contender>& queue, const testing::ensemble& servers,
                bool may_be_old);
  void refused(int client, std::error_code why, instant now);
  void crashed(int client) { looks_.erase(client); }
  /// It could not be answered while its process stood still.
  void continued(int client, instant now);

  void nodes_may_have_changed(const testing::ensemble& servers);
  void quiescent(const std::set<int>& stopped, instant now);
  void finished();

 private:
  using identity = std::pair<std::string, std::int64_t>;  ///< a name may come again, with another czxid
  struct look {
    instant limit;
    std::set<identity> stood_all_the_while;
    std::set<identity> stood_at_some_time;
  };
  [[nodiscard]] std::set<identity> standing_contenders(const testing::ensemble& servers) const;
  void judge(int client, const look& one, const std::vector<recipes::seen_contender>& queue);

  const std::string lock_;
  const reporter report_;
  std::map<int, look> looks_;  ///< unanswered
};

}  // namespace zklock::sim
