#include "tests/unit/recipes/told_contender.hpp"

namespace zklock::recipes::words {

std::string_view word_of(contender::state state) {
  using enum contender::state;
  switch (state) {
    case idle: return "idle";
    case entering: return "entering";
    case unsettled: return "unsettled";
    case searching: return "searching";
    case settling: return "settling";
    case listing: return "listing";
    case storing: return "storing";
    case interrupted: return "interrupted";
    case watching: return "watching";
    case waiting: return "waiting";
    case granted: return "granted";
    case removing: return "removing";
    case unremoved: return "unremoved";
    case finished: return "finished";
  }
  return "?";
}

std::string told_contender::tell(std::string_view several) {
  std::string last = "nothing";
  for (const std::string& word : split(several)) {
    last = word_of(machine_.resume(event_of(word, machine_.wanted())));
  }
  return last;
}

}  // namespace zklock::recipes::words
