#include <zklock/statistics.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>

#include <zklock/error.hpp>
#include <zklock/session.hpp>

#include "src/api/acquirable_state.hpp"
#include "src/api/boot_now.hpp"

namespace zklock {
namespace {

lock_statistics read(const detail::lock_meter& of, bool reads) {
  const auto& from = of.side(reads);
  lock_statistics to;
  to.name = of.name();
  to.kind = of.kind(reads);
  to.granted = from.granted.read();
  to.not_in_time = from.not_in_time.read();
  to.stopped = from.stopped.read();
  to.failed = from.failed.read();
  to.turns = from.turns.read();
  to.relisted = from.relisted.read();
  to.released = from.released.read();
  to.lost = from.lost.read();
  std::transform(from.lost_by.begin(), from.lost_by.end(), to.lost_by.begin(),
                 [](const detail::counter& one) { return one.read(); });
  to.unconfirmed = from.unconfirmed.read();
  to.removals = from.removals.read();
  return to;
}

/// What its lock objects hold and wait for at this moment.
class moment {
 public:
  explicit moment(detail::instant now) : now_(now) {}

  void add(const detail::lock_owners& one) {
    const detail::lock_meter* const meter = one.meter().get();
    for (const auto& wait : one.waits()) {
      lock_statistics& to = of(meter, wait.reads);
      ++to.waits;
      to.oldest_wait = std::max(to.oldest_wait, now_ - wait.since);
    }
    for (const auto& held : one.has_parts() ? std::vector<detail::lock_owners::possession>() : one.list()) {
      if (held.held->held_at(now_)) {
        lock_statistics& to = of(meter, !held.held->exclusive());
        ++to.holds;
        to.oldest_hold = std::max(to.oldest_hold, now_ - held.held->since());
        any_ = true;
      }
    }
  }
  [[nodiscard]] bool holds_any() const noexcept { return any_; }
  void tell(const detail::lock_meter& meter, bool reads, lock_statistics& to) {
    const lock_statistics& seen = of(&meter, reads);
    std::tie(to.holds, to.waits) = std::pair(seen.holds, seen.waits);
    std::tie(to.oldest_hold, to.oldest_wait) = std::pair(seen.oldest_hold, seen.oldest_wait);
  }

 private:
  lock_statistics& of(const detail::lock_meter* meter, bool reads) {
    return seen_[{meter, meter != nullptr && meter->of() == detail::lock_class::read_write && reads}];
  }

  const detail::instant now_;
  std::map<std::pair<const detail::lock_meter*, bool>, lock_statistics> seen_;
  bool any_ = false;
};

}  // namespace

std::string_view to_string(lock_kind kind) noexcept {
  switch (kind) {
    case lock_kind::mutex: return "mutex";
    case lock_kind::write: return "write";
    case lock_kind::read: return "read";
    case lock_kind::permits: return "permits";
    case lock_kind::multi: return "multi";
    case lock_kind::election: return "election";
  }
  return "unknown";
}

session_statistics session::statistics() const {
  const std::shared_ptr<detail::session_impl> kept = impl_;
  if (kept->forked()) {
    throw error(errc::forked, "statistics", kept->servers());
  }
  const detail::instant now = detail::boot_now();
  const detail::session_meter& from = kept->meter();
  session_statistics all;
  all.session = kept->servers();
  all.state = kept->status().state();
  all.timeout = kept->status().timeout();
  all.margin = kept->status().margin();
  all.sessions_opened = from.sessions_opened.read();
  all.connections_lost = from.connections_lost.read();
  all.watches = from.watches.read();
  all.share_of_watches = from.share_of_watches.load(std::memory_order_relaxed);
  all.guarded_writes_refused = from.guarded_writes_refused.read();
  all.threads = kept->threads();
  for (std::size_t kind = 0; kind < all.requests.size(); ++kind) {
    const auto& of = from.requests[kind];
    all.requests[kind] = {of.done.read(), of.refused.read(), of.failed.read(),
                          std::chrono::nanoseconds(of.time.read())};
  }
  moment seen(now);
  for (const auto& lock : kept->locks()) {
    seen.add(*lock);
  }
  for (const auto& meter : kept->meters().all()) {
    for (const bool reads : {false, true}) {
      if (!reads || meter->of() == detail::lock_class::read_write) {
        seen.tell(*meter, reads, all.locks.emplace_back(read(*meter, reads)));
      }
    }
  }
  all.least_deadline_left = from.least_left.read(now);
  if (seen.holds_any()) {
    const auto deadline =
        std::max(from.deadline.load(std::memory_order_relaxed), std::int64_t{0});  // none yet: the least
    const auto left = std::chrono::nanoseconds(deadline) - now;
    all.deadline_left = std::max(left, std::chrono::nanoseconds(0));
    const double share = std::chrono::duration<double>(*all.deadline_left) / std::chrono::duration<double>(all.timeout);
    all.least_deadline_left = std::min(all.least_deadline_left.value_or(share), share);
  }
  return all;
}

}  // namespace zklock
