#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace zklock::recipes {

/// One text of several, with one allocation.
[[nodiscard]] inline std::string joined(std::initializer_list<std::string_view> parts) {
  std::size_t size = 0;
  for (const std::string_view one : parts) {
    size += one.size();
  }
  std::string all;
  all.reserve(size);
  for (const std::string_view one : parts) {
    all.append(one);
  }
  return all;
}

}  // namespace zklock::recipes
