#include "tests/soak/standstill.hpp"

#include <algorithm>

namespace zklock::soak {

standstill::standstill()
    : last_tick_(boot_clock::now()), ticking_([this](const std::stop_token& stop) { run(stop); }) {}

void standstill::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(tick);
    const std::scoped_lock lock(mutex_);
    const instant now = boot_clock::now();
    if (now - last_tick_ > noteworthy) {
      if (gaps_.size() == remembered) gaps_.erase(gaps_.begin());
      gaps_.push_back({last_tick_, now});
    }
    last_tick_ = now;
  }
}

nanoseconds standstill::within(instant from, instant to) const {
  const std::scoped_lock lock(mutex_);
  nanoseconds sum{0};
  const auto count = [&](const gap& one) {
    sum += std::max(nanoseconds{0}, nanoseconds(std::min(one.to, to) - std::max(one.from, from)));
  };
  for (const gap& one : gaps_) count(one);
  // A thread that asks right after a standstill may be faster than the ticking thread.
  if (const instant now = boot_clock::now(); now - last_tick_ > noteworthy) count({last_tick_, now});
  return sum;
}

}  // namespace zklock::soak
