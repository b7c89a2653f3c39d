#include <zklock/clock.hpp>

#include <ctime>

namespace zklock {

boot_clock::time_point boot_clock::now() noexcept {
  timespec read{};
  clock_gettime(CLOCK_BOOTTIME, &read);  // cannot fail on Linux 2.6.39 and later
  return time_point(std::chrono::seconds(read.tv_sec) + std::chrono::nanoseconds(read.tv_nsec));
}

}  // namespace zklock
