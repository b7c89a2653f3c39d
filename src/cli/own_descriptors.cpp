#include "src/cli/own_descriptors.hpp"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace zklock::cli {
namespace {

std::vector<int> open_now() {
  std::vector<int> open;
  std::error_code ec;  // no /proc: none
  for (std::filesystem::directory_iterator entry("/proc/self/fd", ec), end; !ec && entry != end; entry.increment(ec)) {
    open.push_back(std::stoi(entry->path().filename()));
  }
  return open;
}

}  // namespace

own_descriptors::own_descriptors() : inherited_(open_now()) {}

void own_descriptors::keep_from_children() const {
  for (const int one : open_now()) {
    if (std::ranges::find(inherited_, one) == inherited_.end()) {
      fcntl(one, F_SETFD, FD_CLOEXEC);  // the directory's own descriptor is closed by now: EBADF, and no harm
    }
  }
}

}  // namespace zklock::cli
