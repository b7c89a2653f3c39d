#include "examples/demo/chaos.hpp"

#include <chrono>
#include <string>

namespace demo {

namespace {

/// About twice as long as a write takes: the kill comes before it, in its middle or after it.
constexpr std::chrono::microseconds aim_max{3000};

}  // namespace

void chaos::heed(const event& said) {
  if (said.what == step::checked) at_the_write_of(said.worker);
  const bool late_write = said.worker == victim_ && (said.what == step::refused || said.what == step::wrote);
  if (stage_ == stage::thawed && late_write) let_the_overtaker_write();
}

void chaos::at_the_write_of(int worker) {
  if (stage_ == stage::killing_next && time_to_kill(worker)) return aim_at(worker);
  if (stage_ == stage::freezing_next && time_to_freeze(worker)) return freeze(worker);
  if (stage_ == stage::frozen) return thaw(worker);
  crew_.leave(worker);
}

/// In the first half; while there are two others left, one to be frozen and one to overtake it.
bool chaos::time_to_kill(int holder) const {
  return books_.made() >= (books_.increments() - 1) / 3 * books_.workers() && others_with_work(holder, 1) >= 2;
}

bool chaos::time_to_freeze(int holder) const {
  const bool halfway = books_.made() >= (books_.increments() - 1) / 2 * books_.workers();
  const bool last_chance = others_with_work(holder, 2) == 0;
  return (halfway || last_chance) && others_with_work(holder, 1) >= 1;
}

int chaos::others_with_work(int holder, long least) const {
  int count = 0;
  for (int other = 1; other <= books_.workers(); ++other) {
    if (other != holder && books_.left(other) >= least) ++count;
  }
  return count;
}

/// Either before its write, or shortly after its leave to write. Then it may be through with write and release before
/// the shot, and another one is aimed at: so not at its last increment, when there may be no other one left.
void chaos::aim_at(int holder) {
  victim_ = holder;
  const bool before_its_write = books_.left(holder) == 1 || std::bernoulli_distribution{0.4}(random_);
  if (before_its_write) return next(stage::aiming, clock::now());
  crew_.leave(holder);
  const std::chrono::microseconds delay{std::uniform_int_distribution<std::int64_t>{0, aim_max.count()}(random_)};
  next(stage::aiming, clock::now() + delay);
}

void chaos::look() {
  if (stage_ == stage::aiming) {
    if (!crew_.stop(victim_)) return next(stage::killing_next);
    return next(stage::looking, clock::now());  // once all that it has said is noted
  }
  if (!books_.has_lock(victim_)) {
    crew_.go_on(victim_);
    return next(stage::killing_next);
  }
  crew_.kill(victim_);
  books_.note_kill(victim_);
  timeline_.show(victim_, "KILLED    while it has the lock", books_);
  next(stage::freezing_next);
}

/// It gets its leave while it stands still: once it goes on, it writes, without another look at anything.
void chaos::freeze(int holder) {
  if (!crew_.stop(holder)) return;
  crew_.leave(holder);
  victim_ = holder;
  books_.note_freeze(holder);
  timeline_.show(holder, "FROZEN    held() has just said yes, and it is about to write", books_);
  next(stage::frozen);
}

void chaos::thaw(int overtaken_by) {
  timeline_.show(victim_,
                 "THAWED    worker " + std::to_string(overtaken_by) + " has the lock, has read, and is about to write",
                 books_);
  overtaker_ = overtaken_by;
  crew_.go_on(victim_);
  next(stage::thawed);
}

void chaos::let_the_overtaker_write() {
  crew_.leave(overtaker_);
  next(stage::over);
}

void chaos::next(stage is, clock::time_point alarm) {
  stage_ = is;
  alarm_ = alarm;
}

}  // namespace demo
