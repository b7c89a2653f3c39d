#include <algorithm>
#include <iostream>
#include <stdexcept>

#include "examples/demo/chaos.hpp"
#include "examples/demo/crew.hpp"
#include "examples/demo/ledger.hpp"
#include "examples/demo/newcomer.hpp"
#include "examples/demo/patience.hpp"
#include "examples/demo/performance.hpp"
#include "examples/demo/report.hpp"
#include "examples/demo/scratch_directory.hpp"
#include "examples/demo/session_timeout.hpp"
#include "examples/demo/timeline.hpp"
#include "examples/demo/token_store.hpp"
#include "examples/demo/verdict.hpp"

namespace demo {

namespace {

void introduce(const options& chosen, const std::string& lock) {
  std::cout << chosen.workers << " processes, " << chosen.increments
            << " increments of a number each: take the lock, read, compute, write, release.\n"
            << "The lock is " << lock << " on " << chosen.servers << ", their sessions end after "
            << session_timeout.count() / 1000 << " s. The store of the number knows nothing\n"
            << "of locks: each call brings the holder's token, and it refuses a smaller one than it has seen.\n"
            << "A holder of the lock gets killed (SIGKILL), another one frozen (SIGSTOP) past its session's end.\n"
            << std::endl;
}

/// All begin together, once all have connected.
void begin(crew& workers, ledger& books) {
  patience left;
  while (!books.ready()) {
    const auto said = workers.next(left.end());
    if (workers.gone()) throw std::runtime_error("the workers have ended before they began");
    if (!said) left.check(books);
    if (!said) continue;
    books.note(*said);
    left.note(*said);
  }
  for (int worker = 1; worker <= books.workers(); ++worker) workers.leave(worker);
}

void run(crew& workers, ledger& books) {
  timeline shown(true);
  chaos trouble(workers, books, shown);
  patience left;
  for (;;) {
    const auto said = workers.next(std::min(trouble.alarm(), left.end()));
    if (workers.gone()) return;
    if (said) {
      books.note(*said);
      left.note(*said);
      shown.show(*said, books);
      trouble.heed(*said);
    } else {
      left.check(books);
      if (clock::now() >= trouble.alarm()) trouble.look();
    }
  }
}

}  // namespace

bool perform_with_lock(const options& chosen) {
  const scratch_directory scratch;
  const std::string lock = "/locks/" + scratch.name();
  introduce(chosen, lock);
  ledger books(chosen.workers, chosen.increments);
  crew workers(chosen, scratch.file("store"), lock);
  begin(workers, books);
  run(workers, books);
  const outcome end{.store = token_store(scratch.file("store")).look(),
                    .statuses = workers.statuses(),
                    .newcomer_token = token_of_a_newcomer(chosen.servers, lock)};
  return report(books, end);
}

}  // namespace demo
