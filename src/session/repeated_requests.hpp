#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "recipes/local_deadline.hpp"

namespace zklock::detail {

using recipes::instant;

/// Requests of several steps that are begun again until they are answered, each try under a new number, so that answers to
/// an interrupted one find nobody. Of a `Request` it keeps `number` (0: not under way), sets `retry_at` (whoever sends the
/// try clears it), and reads `until`. On the session's strand.
template <class Request>
class repeated_requests {
 public:
  /// A new try, now or at that time.
  void renumber(const std::shared_ptr<Request>& one, std::optional<instant> retry_at = std::nullopt) {
    under_way_.erase(one->number);
    one->number = ++last_;
    one->retry_at = retry_at;
    under_way_.emplace(one->number, one);
  }
  void end(Request& one) { under_way_.erase(std::exchange(one.number, 0)); }

  /// Null: it was a try that is over.
  [[nodiscard]] std::shared_ptr<Request> find(std::uint64_t number) const {
    const auto found = under_way_.find(number);
    return found == under_way_.end() ? nullptr : found->second;
  }

  /// In the order of their numbers. `act` may end and renumber any of them, and begin others: whoever is no longer what it
  /// was, or was not there, is left out.
  template <class Act>
  void for_each(const Act& act) const {
    const auto all = under_way_;
    for (const auto& [number, one] : all) {
      if (one->number == number) {
        act(one);
      }
    }
  }

  [[nodiscard]] std::optional<instant> due(bool connected) const {
    std::optional<instant> first;
    for (const auto& [number, one] : under_way_) {
      const instant next = one->retry_at && connected ? std::min(*one->retry_at, one->until) : one->until;
      first = first ? std::min(*first, next) : next;
    }
    return first;
  }

 private:
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Request>> under_way_;  ///< by number
};

}  // namespace zklock::detail
