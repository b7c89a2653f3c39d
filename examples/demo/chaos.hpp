#pragma once

#include <cstdint>
#include <random>

#include "examples/demo/crew.hpp"
#include "examples/demo/ledger.hpp"
#include "examples/demo/timeline.hpp"

namespace demo {

/// Which worker is killed and which is frozen, and when. Lets all others write.
///
/// *Killed*: the worker that has the lock at some instant about its write: before, while, or after the store takes it.
/// Stopped first, to see from what it has said so far that it still has the lock.
/// *Frozen*: another, between its question held() and its write, past its session's end: until one that was granted
/// after it has read and is about to write. The late write comes before that one's. The store would take it, had the
/// read not raised its mark, and the other one would then overwrite it.
class chaos {
 public:
  chaos(crew& workers, ledger& books, timeline& shown) : crew_(workers), books_(books), timeline_(shown) {}

  /// After the ledger has noted it.
  void heed(const event& said);
  /// When look() wants to be called; max(): not now.
  [[nodiscard]] clock::time_point alarm() const { return alarm_; }
  /// To be called when nothing more has been said until then.
  void look();

 private:
  enum class stage { killing_next, aiming, looking, freezing_next, frozen, thawed, over };

  void at_the_write_of(int worker);
  [[nodiscard]] bool time_to_kill(int holder) const;
  [[nodiscard]] bool time_to_freeze(int holder) const;
  [[nodiscard]] int others_with_work(int holder, long least) const;
  void aim_at(int holder);
  void freeze(int holder);
  void thaw(int overtaken_by);
  void let_the_overtaker_write();
  void next(stage is, clock::time_point alarm = clock::time_point::max());

  crew& crew_;
  ledger& books_;
  timeline& timeline_;
  stage stage_ = stage::killing_next;
  clock::time_point alarm_ = clock::time_point::max();
  int victim_ = 0;
  int overtaker_ = 0;
  std::mt19937 random_{std::random_device{}()};
};

}  // namespace demo
