#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/soak/finding.hpp"

namespace zklock::soak {

/// The store of one lock, which every accepted write has counted up by one: no update lost, none made twice, and the
/// tokens of the writes never fall.
class store_judge {
 public:
  explicit store_judge(std::string lock) : lock_(std::move(lock)) {}

  void begin(const attempt_id& of, std::int64_t token, std::int64_t base);
  void end(const attempt_id& of, bool accepted);

  /// Judges the writes since the last time, now that none is under way and the store says `value`. A write of
  /// unknown outcome (its process was killed) was done if it fills a gap.
  [[nodiscard]] std::vector<finding> judge(std::int64_t value);
  [[nodiscard]] std::uint64_t accepted() const noexcept { return total_; }

 private:
  struct write {
    attempt_id of;
    std::int64_t token;
    std::int64_t base;
  };

  std::string lock_;
  std::map<attempt_id, write> under_way_;
  std::vector<write> accepted_;
  std::int64_t value_ = 0;  ///< when it was judged last
  std::int64_t token_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace zklock::soak
