#include "recipes/deadline_terms.hpp"

#include <algorithm>

namespace zklock::recipes {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds unconfigured_tick = std::chrono::seconds(3);
constexpr int beats_per_timeout_max = 12;
/// Two beats cover the relay delay also with a round trip in them.
nanoseconds answer_time(nanoseconds timeout) { return timeout / 100; }

}  // namespace

nanoseconds deadline_terms::dense_beat() const noexcept {
  return std::max(timeout / beats_per_timeout_max, (relay_delay() + answer_time(timeout)) / 2);
}

bool deadline_terms::pairs_suffice() const noexcept {
  return relay_delay() + 2 * answer_time(timeout) <= pair() && margin <= default_margin();
}

nanoseconds assumed_tick(nanoseconds timeout, bool raised) noexcept {
  return raised ? timeout / 2 : std::min(timeout / 2, unconfigured_tick);
}

nanoseconds greatest_margin(nanoseconds timeout, nanoseconds tick) noexcept {
  const deadline_terms of{timeout, tick, {}};
  // What is proven lags by the relay delay and a beat, and by up to two beats more until the next answer.
  return std::max(of.certain_timeout() - of.relay_delay() - 3 * of.dense_beat(), nanoseconds{0});
}

nanoseconds greatest_tick(nanoseconds timeout) noexcept {
  nanoseconds low{0};
  nanoseconds high = timeout;
  while (high - low > std::chrono::milliseconds(1)) {
    const nanoseconds middle = (low + high) / 2;
    (greatest_margin(timeout, middle) >= deadline_terms{timeout, {}, {}}.default_margin() ? low : high) = middle;
  }
  return low;
}

deadline_terms terms_of(nanoseconds timeout, nanoseconds tick, nanoseconds margin) noexcept {
  deadline_terms terms{timeout, tick, {}};
  terms.margin = std::min(margin.count() > 0 ? margin : terms.default_margin(), greatest_margin(timeout, tick));
  return terms;
}

deadline_terms expected_terms(const deadline_wishes& wishes) noexcept {
  return terms_of(wishes.timeout, wishes.tick.count() > 0 ? wishes.tick : assumed_tick(wishes.timeout, false),
                  wishes.margin);
}

}  // namespace zklock::recipes
