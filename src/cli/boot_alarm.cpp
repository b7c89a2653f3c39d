#include "src/cli/boot_alarm.hpp"

#include <sys/timerfd.h>

#include <algorithm>
#include <chrono>

namespace zklock::cli {

boot_alarm::boot_alarm() : descriptor_(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create") {}

void boot_alarm::set(const std::optional<boot_clock::time_point>& due) {
  itimerspec when{};
  if (due) {
    // an instant of zero would disarm it
    const auto since_boot = std::max(due->time_since_epoch(), boot_clock::duration{1});
    const auto whole = std::chrono::floor<std::chrono::seconds>(since_boot);
    when.it_value.tv_sec = static_cast<time_t>(whole.count());
    when.it_value.tv_nsec = static_cast<long>((since_boot - whole).count());
  }
  timerfd_settime(descriptor_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

}  // namespace zklock::cli
