#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/soak/finding.hpp"

namespace zklock::soak {

/// The holds of one lock: no two at once, and tokens that rise in the order of the grants.
///
/// A hold's span goes from the first answer to held() to the last question that was answered with yes: less than what
/// the grant claimed, never more. Where an operator has removed the node, or ended the session, it counts until then
/// only: what comes after is for the fencing token. But it has to be told of its end: no holder may go on for ever.
class hold_judge {
 public:
  explicit hold_judge(std::string lock) : lock_(std::move(lock)) {}

  /// held() has said yes for the first time, to a question of `asked`; the answer was there `at`.
  void begin(const attempt_id& of, std::int64_t token, std::string node, instant asked, instant at);
  void still(const attempt_id& of, instant at);
  /// An operator has ended that hold, at `at` or later, not by any fault that it has to survive. It has to be told so
  /// by `told_by`.
  void forced_end(const std::string& node, instant at, instant told_by);

  /// Judges what was told since the last time. All of these holds are over.
  [[nodiscard]] std::vector<finding> judge();
  /// How many holds began beside one that was ended by force, and had not heard of it yet.
  [[nodiscard]] std::uint64_t excused() const noexcept { return excused_; }

 private:
  struct force {
    instant at;
    instant told_by;
  };
  struct span {
    attempt_id of;
    std::int64_t token;
    std::string node;
    instant first;
    instant last;
    instant asked_last;  ///< the question behind `last`
    std::optional<force> forced;
    [[nodiscard]] instant end() const { return forced ? std::min(forced->at, last) : last; }
  };

  void judge_told(const std::vector<span>& in_order, std::vector<finding>& found) const;
  void judge_overlaps(const std::vector<span>& in_order, std::vector<finding>& found);
  void judge_tokens(const std::vector<span>& in_order, std::vector<finding>& found);

  std::string lock_;
  std::map<attempt_id, span> spans_;
  std::map<std::string, force> forced_;
  std::int64_t last_token_ = 0;
  std::uint64_t excused_ = 0;
};

}  // namespace zklock::soak
