#include "bench/common/command.hpp"

#include <sstream>

namespace bench {

command command::parse(const std::string& line) {
  command parsed;
  std::istringstream words(line);
  words >> parsed.name_;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      parsed.values_[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  return parsed;
}

long command::number(const std::string& key, long otherwise) const {
  const auto found = values_.find(key);
  return found == values_.end() ? otherwise : std::stol(found->second);
}

std::string command::text(const std::string& key, const std::string& otherwise) const {
  const auto found = values_.find(key);
  return found == values_.end() ? otherwise : found->second;
}

}  // namespace bench
