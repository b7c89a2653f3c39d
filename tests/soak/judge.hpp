#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/soak/finding.hpp"
#include "tests/soak/hold_judge.hpp"
#include "tests/soak/store_judge.hpp"

namespace zklock::soak {

/// What the judge has counted.
struct figures {
  std::uint64_t attempts = 0;
  std::uint64_t grants = 0;
  std::map<std::string, std::uint64_t> outcomes{};
  std::map<std::string, std::uint64_t> losses{};
  std::map<std::string, std::uint64_t> releases{};
  std::uint64_t writes = 0;     ///< accepted, as far as is known
  std::uint64_t refused = 0;    ///< reads and writes with a token that the store found too small
  std::uint64_t cut_short = 0;  ///< attempts and holds of processes that were killed
  std::uint64_t sessions = 0;   ///< closed and made anew by their program
  nanoseconds longest_wait{0};
  nanoseconds longest_overrun{0};     ///< past a limit or a stop request, without the time the process stood still
  nanoseconds longest_standstill{0};  ///< that an overrun was excused by
  nanoseconds longest_renewal{0};
};

/// Reads what the workers write down, and says what must not be. Knows nothing of how the workers work. One thread.
class judge {
 public:
  /// A wait may overrun its limit by that much: a busy machine wakes its threads late.
  static constexpr std::chrono::milliseconds overrun_limit{1'000};

  void hear(const std::string& worker, std::string_view line);
  /// From the director: an operator has removed the node of a contender on `lock`, or has ended its session, at `at` or
  /// later. If it holds, it has to be told so by `told_by`.
  void forced_end(const std::string& lock, const std::string& node, instant at, instant told_by);
  /// The process was killed: what it had under way ends nowhere.
  void killed(const std::string& worker);
  /// Whether that process has said that it is at rest, since anything else.
  [[nodiscard]] bool rests(const std::string& worker) const;
  /// All are at rest: judges the holds, and the stores, whose values `value_of` tells.
  void round_over(const std::function<std::int64_t(const std::string& lock)>& value_of);

  void find(finding what) { found_.push_back(std::move(what)); }
  [[nodiscard]] const std::vector<finding>& found() const noexcept { return found_; }
  [[nodiscard]] const figures& counted() const noexcept { return counted_; }
  /// Holds that overlapped a later one after they were ended by force.
  [[nodiscard]] std::uint64_t excused() const;
  /// Processes of which a thread has held since before `then`.
  [[nodiscard]] std::set<std::string> holders_since(instant then) const;
  /// Attempts that have not ended, a line each.
  [[nodiscard]] std::vector<std::string> under_way() const;

 private:
  struct attempt {
    attempt_began began;
    bool ended = false;
    bool granted = false;
    std::optional<instant> held{};  ///< since, and not given back
  };

  void hear_one(const std::string& worker, const attempt_began& what);
  void hear_one(const std::string& worker, const attempt_ended& what);
  void hear_one(const std::string& worker, const held_first& what);
  void hear_one(const std::string& worker, const held_still& what);
  void hear_one(const std::string& worker, const loss_seen& what);
  void hear_one(const std::string& worker, const write_begun& what);
  void hear_one(const std::string& worker, const write_ended& what);
  void hear_one(const std::string& worker, const read_refused& what);
  void hear_one(const std::string& worker, const released& what);
  void hear_one(const std::string& worker, const session_closing& what);
  void hear_one(const std::string& worker, const session_renewed& what);
  void hear_one(const std::string& worker, const wrong& what);
  void hear_one(const std::string& worker, const at_rest& what);

  [[nodiscard]] attempt* known(const attempt_id& id);
  void require_outcome_fits(const attempt_id& id, const attempt& of, const attempt_ended& what);
  [[nodiscard]] bool may_end_in(const attempt_id& id, const attempt& of, std::string_view outcome) const;
  [[nodiscard]] hold_judge& holds_of(const std::string& lock) { return holds_.try_emplace(lock, lock).first->second; }
  [[nodiscard]] store_judge& store_of(const std::string& lock) { return stores_.try_emplace(lock, lock).first->second; }

  std::map<attempt_id, attempt> attempts_;
  std::map<std::string, bool> rests_;
  std::set<std::pair<std::string, session_number>> closing_;  ///< sessions which their programs close, or have closed
  std::map<std::string, hold_judge> holds_;
  std::map<std::string, store_judge> stores_;
  std::vector<finding> found_;
  figures counted_;
};

}  // namespace zklock::soak
