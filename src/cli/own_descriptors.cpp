#include "src/cli/own_descriptors.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <system_error>

namespace zklock::cli {
namespace {

/// Without the one that it takes to look.
std::vector<int> open_now() {
  std::vector<int> open;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir("/proc/self/fd"), &closedir);
  if (!directory) {
    return open;  // no /proc
  }
  while (const dirent* entry = readdir(directory.get())) {
    int number = -1;
    const std::string_view name(entry->d_name);
    const bool is_number = std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc{};
    if (is_number && number != dirfd(directory.get())) {
      open.push_back(number);
    }
  }
  return open;
}

}  // namespace

own_descriptors::own_descriptors() : inherited_(open_now()) {}

void own_descriptors::keep_from_children() const {
  for (const int one : open_now()) {
    if (std::ranges::find(inherited_, one) == inherited_.end()) {
      fcntl(one, F_SETFD, FD_CLOEXEC);
    }
  }
}

}  // namespace zklock::cli
