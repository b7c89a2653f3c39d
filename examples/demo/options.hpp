#pragma once

#include <ostream>
#include <span>
#include <stdexcept>
#include <string>

namespace demo {

struct options {
  bool with_lock = true;
  int workers = 4;
  long increments = 10;
  std::string servers{};
  bool help = false;
};

struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws usage_error, naming the value.
[[nodiscard]] options parse(std::span<char*> arguments);
void print_usage(std::ostream& out);

}  // namespace demo
