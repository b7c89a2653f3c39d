#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace zklock::cli {

/// A line on stderr, where that is a terminal, that says how far a long look has come: from a second after the beginning on,
/// twice a second, always in the same place. Gone with the object.
class progress_line {
 public:
  /// `text`: called on a thread of the line's own.
  explicit progress_line(std::function<std::string()> text);

 private:
  std::jthread thread_;
};

}  // namespace zklock::cli
