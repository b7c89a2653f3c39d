#pragma once

#include <cstddef>
#include <cstdint>

#include "src/testing/transaction_log.hpp"

namespace zklock::testing {

/// What one server has of the nodes: all entries of the log up to some place. The leader's nodes change when it makes
/// an entry, before the entry is in the log.
class replica {
 public:
  replica(std::int64_t zxid, bool counter_wraps);

  [[nodiscard]] data_tree& nodes() noexcept { return nodes_; }
  [[nodiscard]] const data_tree& nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::int64_t zxid() const noexcept { return zxid_; }       ///< of the last entry applied
  [[nodiscard]] std::size_t applied() const noexcept { return applied_; }  ///< entries of the log

  /// A follower applies the next entry.
  void apply(const log_entry& entry);
  /// The leader has made the entry, the last of the log.
  void made(const log_entry& entry, std::size_t log_size) noexcept;
  /// All that the server has missed.
  void catch_up(const transaction_log& log);

 private:
  data_tree nodes_;
  std::int64_t zxid_;
  std::size_t applied_ = 0;
};

}  // namespace zklock::testing
