#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

#include "examples/demo/event.hpp"
#include "examples/demo/ledger.hpp"

namespace demo {

/// Bounds the wait for a worker that hangs: much longer than any session lives.
class patience {
 public:
  static constexpr std::chrono::seconds limit{30};

  /// Anything that brings the end nearer.
  void note(const event& said) {
    if (said.what == step::ready || said.what == step::wrote || said.what == step::done) end_ = clock::now() + limit;
  }
  [[nodiscard]] clock::time_point end() const { return end_; }
  /// Throws when it is at its end.
  void check(const ledger& books) const {
    if (clock::now() < end_) return;
    throw std::runtime_error("nothing has got done for " + std::to_string(limit.count()) + " s:\n" + books.summary());
  }

 private:
  clock::time_point end_ = clock::now() + limit;
};

}  // namespace demo
