#include "examples/demo/event.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <string_view>

namespace demo {

namespace {

constexpr std::array<std::string_view, 10> words{"ready",   "acquired", "read",       "checked",  "wrote",
                                                 "refused", "lost",     "still-held", "releases", "done"};

}  // namespace

std::string to_line(const event& said) {
  std::ostringstream line;
  line << said.worker << ' ' << said.at.time_since_epoch().count() << ' '
       << words.at(static_cast<std::size_t>(said.what)) << ' ' << said.token << ' ' << said.number << ' ' << said.text
       << '\n';
  return line.str();
}

std::optional<event> from_line(const std::string& line) {
  std::istringstream fields(line);
  event said;
  clock::rep at = 0;
  std::string word;
  if (!(fields >> said.worker >> at >> word >> said.token >> said.number)) return std::nullopt;
  const auto* found = std::ranges::find(words, word);
  if (found == words.end()) return std::nullopt;
  said.at = clock::time_point(clock::duration(at));
  said.what = static_cast<step>(std::distance(words.begin(), found));
  std::getline(fields >> std::ws, said.text);
  return said;
}

}  // namespace demo
