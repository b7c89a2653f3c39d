#pragma once

#include <cstdint>
#include <map>

#include "recipes/session_queue.hpp"

namespace zklock::recipes::words {

/// A session's queue that has the places of its contenders, which stand alone here.
class queue_with_places : public session_queue {
 public:
  void update(const contender& one, std::uint64_t number) {
    session_queue::update(places_.try_emplace(number, one, number).first->second);
  }
  void remove(const contender&, std::uint64_t number) {
    if (const auto found = places_.find(number); found != places_.end()) {
      session_queue::remove(found->second);
      places_.erase(found);
    }
  }

 private:
  std::map<std::uint64_t, place> places_;
};

}  // namespace zklock::recipes::words
