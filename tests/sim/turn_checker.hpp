#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/engine/hold.hpp"
#include "tests/sim/wanted.hpp"

namespace zklock::sim {

/// What must hold of local hand-over, judged from what the users of one process ask and are told.
///
/// | name | says |
/// |---|---|
/// | turns_in_order | of one process's acquisitions of a lock object that hands over, the first to ask gets it first |
/// | turns_within_bounds | no more turns of one node than the bound, and none later than the bound after its grant |
/// | turn_before_deadline | a turn begins while the local deadline is ahead |
/// | turn_after_loss | no turn of a node follows one that was lost, or downgraded |
class turn_checker {
 public:
  using instant = std::chrono::nanoseconds;
  using reporter = std::function<void(std::string checker, std::string what)>;
  turn_checker(const std::vector<lock_plan>& locks, reporter report) : locks_(locks), report_(std::move(report)) {}

  /// Whether another acquisition of the process comes before it.
  bool begun(int client, int process, std::uint64_t attempt, const std::vector<want>& wanted);
  void granted(int client, std::uint64_t attempt, detail::hold& hold, instant now);
  void refused(int client, std::uint64_t attempt);
  void released(const detail::hold& hold);
  void downgraded(const detail::hold& hold);

 private:
  struct call {
    int client;
    std::uint64_t attempt;
  };
  struct queue {
    std::vector<call> waiting;                 ///< the first to ask first
    std::vector<const detail::hold*> holding;  ///< not given back
  };
  struct node {
    instant granted_at;
    std::uint32_t turns = 0;
    detail::hold* last = nullptr;
    bool downgraded = false;
  };
  [[nodiscard]] queue* queue_of(const call& one);

  const std::vector<lock_plan>& locks_;
  const reporter report_;
  std::map<std::pair<int, std::size_t>, queue> queues_;  ///< by process and lock
  std::map<std::string, node, std::less<>> nodes_;
};

}  // namespace zklock::sim
