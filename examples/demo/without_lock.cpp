#include <iostream>
#include <map>
#include <stdexcept>

#include "examples/demo/crew.hpp"
#include "examples/demo/ledger.hpp"
#include "examples/demo/patience.hpp"
#include "examples/demo/performance.hpp"
#include "examples/demo/scratch_directory.hpp"
#include "examples/demo/timeline.hpp"
#include "examples/demo/token_store.hpp"

namespace demo {

namespace {

/// Lets a worker write only once another has read as well, or none is left that could. On a slow machine that happens
/// by itself; so it does on any: whichever of the two writes last, the increment of the other is lost.
class unlocked_run {
 public:
  unlocked_run(crew& workers, ledger& books) : crew_(workers), books_(books), working_(books.workers()) {}

  void heed(const event& said) {
    if (said.what == step::ready && books_.ready()) begin();
    if (said.what == step::read) waiting_[said.worker] = said.number;
    if (said.what == step::wrote) timeline_->show_without_lock(said, found_[said.worker]);
    if (said.what == step::done) --working_;
    const bool enough = waiting_.size() >= 2 || static_cast<int>(waiting_.size()) == working_;
    if (!waiting_.empty() && enough) let_write();
  }

 private:
  void begin() {
    timeline_.emplace(false);
    for (int worker = 1; worker <= books_.workers(); ++worker) crew_.leave(worker);
  }
  void let_write() {
    for (const auto& [worker, found] : waiting_) {
      found_[worker] = found;
      crew_.leave(worker);
    }
    waiting_.clear();
  }

  crew& crew_;
  ledger& books_;
  int working_;
  std::map<int, std::int64_t> waiting_{};  ///< what those have read that wait for leave
  std::map<int, std::int64_t> found_{};
  std::optional<timeline> timeline_{};
};

void run(crew& workers, ledger& books) {
  unlocked_run all(workers, books);
  patience left;
  for (;;) {
    const auto said = workers.next(left.end());
    if (workers.gone()) return;
    if (!said) left.check(books);
    if (!said) continue;
    books.note(*said);
    left.note(*said);
    all.heed(*said);
  }
}

}  // namespace

bool perform_without_lock(const options& chosen) {
  const scratch_directory scratch;
  std::cout << chosen.workers << " processes, " << chosen.increments
            << " increments of a number each: read, compute, write, without a lock.\n"
            << std::endl;
  ledger books(chosen.workers, chosen.increments);
  crew workers(chosen, scratch.file("store"), "");
  run(workers, books);
  for (const int status : workers.statuses()) {
    if (status != 0) throw std::runtime_error("a worker ended with status " + std::to_string(status));
  }
  const std::int64_t value = token_store(scratch.file("store")).look().value;
  const std::int64_t expected = books.made();
  std::cout << "\nThe store says " << value << ", expected are " << chosen.workers << " x " << chosen.increments
            << " = " << expected << ": " << expected - value
            << " increments were LOST, each overwritten by another worker.\n";
  return value == expected;
}

}  // namespace demo
