#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>

namespace zklock::test_support {

/// The ids of the process's threads. One that was joined may still be among them.
[[nodiscard]] inline std::set<std::string> threads_of_this_process() {
  std::set<std::string> ids;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    ids.insert(task.path().filename());
  }
  return ids;
}

/// How many there are now that are not among those.
[[nodiscard]] inline std::size_t threads_since(const std::set<std::string>& those) {
  const std::set<std::string> now = threads_of_this_process();
  return static_cast<std::size_t>(
      std::count_if(now.begin(), now.end(), [&those](const std::string& id) { return !those.contains(id); }));
}

}  // namespace zklock::test_support
