#include "tests/soak/watch_list.hpp"

#include <sstream>

namespace zklock::soak {

std::optional<std::vector<std::string>> watched_below(std::string_view root, const std::string& answer) {
  if (!answer.ends_with('\n')) return std::nullopt;  // an empty list has an empty line, too
  std::vector<std::string> found;
  std::istringstream lines(answer);
  for (std::string line; std::getline(lines, line);) {
    const bool is_path = line.starts_with('/');
    const bool is_session = line.starts_with("\t0x");
    if (!line.empty() && !is_path && !is_session) return std::nullopt;
    if (line.starts_with(root)) found.push_back(line);
  }
  return found;
}

}  // namespace zklock::soak
