// What a trial has found, held against what is promised.
#include <algorithm>
#include <chrono>
#include <string>

#include "tests/loss/trial.hpp"

namespace zklock::test {
namespace {

std::string milliseconds_text(std::chrono::nanoseconds time) {
  return std::to_string(std::chrono::floor<std::chrono::milliseconds>(time).count()) + " ms";
}

}  // namespace

void trial::judge() {
  const hold_record& saw = found_.holder;
  if (!way_.by_force) {
    expect(saw.last_yes < found_.granted, "held() said yes after the next one was granted");
    expect(saw.last_yes < *found_.deleted, "held() said yes after the servers had said that the node is gone");
  }
  if (found_.survived) {
    expect(saw.notices == 0, "a notice of loss though it was not lost");
    return;
  }
  expect(saw.notices > 0, "lost() was not told");
  expect(saw.last_yes <= saw.valid_until, "held() said yes after valid_until()");
  expect(std::ranges::find(way_.may_be_told, saw.reason) != way_.may_be_told.end(),
         "the reason is: " + std::string(to_string(saw.reason)));
  if (ended_by_the_deadline(way_, found_)) {
    judge_the_margin();
  }
}

/// The servers have ended the session by its timeout. That is seen later than it happens, so no tolerance is needed.
void trial::judge_the_margin() {
  const hold_record& saw = found_.holder;
  const auto has = [this](std::chrono::nanoseconds gap, const char* between) {
    expect(gap >= found_.margin, std::string(between) + ": " + milliseconds_text(gap) + ", and the margin is " +
                                     milliseconds_text(found_.margin));
  };
  has(*found_.deleted - saw.valid_until, "from valid_until() to the node's end");
  has(found_.granted - saw.last_yes, "from the last yes to the next grant");
}

/// It may change with the timeout that the servers grant.
void trial::note_margin() {
  const std::chrono::nanoseconds named = session_->margin();
  found_.margin = found_.margin.count() == 0 ? named : std::min(found_.margin, named);
}

}  // namespace zklock::test
