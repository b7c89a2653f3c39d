#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/testing/log_entry.hpp"

namespace zklock::testing {

/// What the leader has committed, in order, and the number of the last change. The upper half of a number is the
/// leader's epoch.
class transaction_log {
 public:
  static constexpr std::int64_t first = std::int64_t{1} << 32;
  explicit transaction_log(std::int64_t zxid = first) noexcept : zxid_(zxid) {}

  using entry = std::shared_ptr<const log_entry>;

  [[nodiscard]] std::int64_t last_zxid() const noexcept { return zxid_; }
  [[nodiscard]] std::int64_t next_zxid() noexcept { return ++zxid_; }
  void begin_epoch() noexcept { zxid_ = ((zxid_ >> 32) + 1) << 32; }

  void append(entry one) { entries_.push_back(std::move(one)); }
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] const log_entry& operator[](std::size_t place) const { return *entries_[place]; }

 private:
  std::int64_t zxid_;
  std::vector<entry> entries_;
};

}  // namespace zklock::testing
