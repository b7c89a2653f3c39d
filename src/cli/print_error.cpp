#include "src/cli/print_error.hpp"

#include <cstdio>

namespace zklock::cli {

void print_error(const std::string& message) {
  const std::string line = "zklock: " + message + "\n";
  static_cast<void>(std::fputs(line.c_str(), stderr));
}

}  // namespace zklock::cli
