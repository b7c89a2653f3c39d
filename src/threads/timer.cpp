#include "src/threads/timer.hpp"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace zklock::detail {

timer::timer() : descriptor_(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw std::system_error(errno, std::generic_category(), "timerfd_create");
  }
}

timer::~timer() { close(descriptor_); }

void timer::set(recipes::instant when) noexcept {
  arm(when);
  if (ringing_.load()) {
    arm(recipes::instant{0});  // the alarm just set may have taken the place of the ring
  }
}

void timer::ring() noexcept {
  ringing_.store(true);
  arm(recipes::instant{0});
}

void timer::arm(recipes::instant when) noexcept {
  const std::int64_t at = std::max<std::int64_t>(when.count(), 1);  // zero would disarm it
  itimerspec alarm{};
  alarm.it_value.tv_sec = static_cast<time_t>(at / 1'000'000'000);
  alarm.it_value.tv_nsec = static_cast<long>(at % 1'000'000'000);
  timerfd_settime(descriptor_, TFD_TIMER_ABSTIME, &alarm, nullptr);
}

void timer::wait() noexcept {
  std::uint64_t rings = 0;
  while (read(descriptor_, &rings, sizeof rings) < 0 && errno == EINTR) {}
  ringing_.store(false);
}

}  // namespace zklock::detail
