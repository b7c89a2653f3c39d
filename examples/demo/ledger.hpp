#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "examples/demo/event.hpp"

namespace demo {

/// One acquisition, from what its worker has said of it.
struct hold {
  int worker = 0;
  std::int64_t token = 0;
  std::chrono::microseconds waited{};
  std::optional<std::int64_t> found{};  ///< what it read
  bool wrote = false;                   ///< and the store took it
  bool refused = false;
  bool lost = false;  ///< and it was told
  std::string reason{};
  bool said_still_held = false;  ///< after a refusal
  bool ended = false;
};

/// What the workers have said so far, and what was done to them.
class ledger {
 public:
  ledger(int workers, long increments);

  void note(const event& said);
  void note_kill(int worker);
  void note_freeze(int worker);

  [[nodiscard]] const std::vector<hold>& holds() const { return holds_; }
  /// The last one of that worker.
  [[nodiscard]] const hold& last_hold(int worker) const;
  /// Whether it has said that it has the lock, and not that it gives it back or lost it.
  [[nodiscard]] bool has_lock(int worker) const;

  [[nodiscard]] int workers() const { return static_cast<int>(books_.size()); }
  [[nodiscard]] long increments() const { return increments_; }
  [[nodiscard]] long made() const;
  [[nodiscard]] long made(int worker) const { return of(worker).made; }
  /// Nothing for those that were killed.
  [[nodiscard]] long left(int worker) const;
  [[nodiscard]] bool ready() const;
  [[nodiscard]] bool done(int worker) const { return of(worker).done; }
  [[nodiscard]] bool killed(int worker) const { return of(worker).killed; }
  [[nodiscard]] bool frozen(int worker) const { return of(worker).frozen; }
  /// "worker 2: waits for the lock" ...: the last that each has said.
  [[nodiscard]] std::string summary() const;

 private:
  struct book {
    bool ready = false;
    bool done = false;
    bool killed = false;
    bool frozen = false;
    long made = 0;
    std::optional<std::size_t> last{};
    step said{};
  };
  [[nodiscard]] const book& of(int worker) const { return books_.at(static_cast<std::size_t>(worker - 1)); }
  [[nodiscard]] book& of(int worker) { return books_.at(static_cast<std::size_t>(worker - 1)); }

  long increments_;
  std::vector<book> books_;
  std::vector<hold> holds_{};
};

}  // namespace demo
