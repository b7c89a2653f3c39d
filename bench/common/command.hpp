#pragma once

#include <map>
#include <optional>
#include <string>

namespace bench {

/// A line of the driver: a workload's name, then name=value pairs.
class command {
 public:
  static command parse(const std::string& line);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] long number(const std::string& key, long otherwise) const;
  [[nodiscard]] std::string text(const std::string& key, const std::string& otherwise) const;

 private:
  std::string name_;
  std::map<std::string, std::string> values_;
};

}  // namespace bench
