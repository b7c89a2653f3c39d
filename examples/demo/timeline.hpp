#pragma once

#include <chrono>
#include <string>

#include "examples/demo/event.hpp"
#include "examples/demo/ledger.hpp"

namespace demo {

/// Prints what happens, made from what the workers say: a line for each increment, and for whatever goes wrong.
class timeline {
 public:
  /// Begins now.
  explicit timeline(bool with_lock);

  /// After the ledger has noted it.
  void show(const event& said, const ledger& books);
  /// What the demo does to a worker.
  void show(int worker, const std::string& event, const ledger& books) const;
  /// A worker without a lock has written.
  void show_without_lock(const event& wrote, std::int64_t found);

 private:
  void show_what_was_unsaid(const event& read, const ledger& books);
  void begin_line(clock::time_point at, int worker) const;
  void hold_columns(const hold& which) const;

  clock::time_point start_ = clock::now();
  std::int64_t number_ = 0;  ///< in the store, as far as has been said
};

}  // namespace demo
