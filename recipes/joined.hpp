#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace zklock::recipes {

/// One text of several, behind what `all` has, with one allocation at most.
[[nodiscard]] inline std::string joined(std::initializer_list<std::string_view> parts, std::string all = {}) {
  std::size_t size = all.size();
  for (const std::string_view one : parts) {
    size += one.size();
  }
  all.reserve(size);
  for (const std::string_view one : parts) {
    all.append(one);
  }
  return all;
}

}  // namespace zklock::recipes
