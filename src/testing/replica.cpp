#include "src/testing/replica.hpp"

namespace zklock::testing {

replica::replica(std::int64_t zxid, bool counter_wraps) : zxid_(zxid) { nodes_.let_counters_wrap(counter_wraps); }

void replica::apply(const log_entry& entry) {
  for (const change& each : entry.changes) nodes_.apply(each, entry.zxid);
  zxid_ = entry.zxid;
  ++applied_;
}

void replica::made(const log_entry& entry, std::size_t log_size) noexcept {
  zxid_ = entry.zxid;
  applied_ = log_size;
}

void replica::catch_up(const transaction_log& log) {
  while (applied_ < log.size()) apply(log[applied_]);
}

}  // namespace zklock::testing
