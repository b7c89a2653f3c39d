#include "tests/loss/observed_hold.hpp"

#include <algorithm>
#include <utility>

namespace zklock::test {
namespace {

constexpr std::chrono::milliseconds between_questions{1};

}  // namespace

observed_hold::observed_hold(grant held)
    : held_(std::move(held)),
      notice_(held_.lost(),
              [this] {
                instant::rep none = 0;
                noticed_at_.compare_exchange_strong(none, boot_clock::now().time_since_epoch().count());
                ++notices_;
              }),
      asking_([this](const std::stop_token& stop) { ask_until(stop); }) {}

observed_hold::~observed_hold() = default;

void observed_hold::ask_until(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const instant asked = boot_clock::now();
    if (!held_.held()) {
      seen_.first_no = boot_clock::now();
      said_no_ = true;
      return;
    }
    seen_.last_yes = asked;
    if (notes_lead_)
      seen_.least_lead = std::min<std::chrono::nanoseconds>(seen_.least_lead, held_.valid_until() - asked);
    std::this_thread::sleep_for(between_questions);
  }
}

hold_record observed_hold::finish() {
  asking_.request_stop();
  asking_.join();
  seen_.reason = held_.loss_reason();
  seen_.valid_until = held_.valid_until();
  seen_.notices = notices_;
  if (seen_.notices > 0) {
    seen_.noticed = instant(instant::duration(noticed_at_));
  }
  std::error_code ec;
  held_.release(ec);
  return seen_;
}

}  // namespace zklock::test
