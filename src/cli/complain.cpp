#include "src/cli/complain.hpp"

#include <cstdio>

namespace zklock::cli {

void complain(const std::string& message) {
  const std::string line = "zklock: " + message + "\n";
  static_cast<void>(std::fputs(line.c_str(), stderr));
}

}  // namespace zklock::cli
