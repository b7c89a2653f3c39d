#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "recipes/session_queue.hpp"

namespace zklock::recipes::words {

/// A session's queue that has its members, since contenders stand alone here.
class queue_with_members : public session_queue {
 public:
  void update(const contender& one, std::uint64_t number) {
    session_queue::update(members_.try_emplace(number, one, number).first->second);
  }
  void remove(const contender&, std::uint64_t number) {
    if (const auto found = members_.find(number); found != members_.end()) {
      session_queue::remove(found->second);
      members_.erase(found);
    }
  }

  /// All that are told by it, in slices of two.
  [[nodiscard]] std::vector<entry> told_by(const contender& one) const {
    std::vector<entry> all;
    news what(one);
    for (bool more = true; more;) {
      const std::vector<std::uint64_t> several = session_queue::told_by(what, 2);
      for (const std::uint64_t number : several) {
        all.push_back(members_.at(number));
      }
      more = several.size() == 2;
    }
    return all;
  }

 private:
  std::map<std::uint64_t, member> members_;
};

}  // namespace zklock::recipes::words
