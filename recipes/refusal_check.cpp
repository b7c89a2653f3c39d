#include "recipes/refusal_check.hpp"

namespace zklock::recipes {
namespace {

constexpr int rounds_needed = 2;
constexpr int retries_per_timeout = 12;

}  // namespace

std::optional<instant> refusal_check::due() const noexcept {
  return state_ == state::waiting ? std::optional(at_) : std::nullopt;
}

void refusal_check::disconnected(instant now, std::chrono::nanoseconds session_timeout) noexcept {
  if (state_ == state::resting) {
    state_ = state::waiting;
    timeout_ = session_timeout;
    at_ = now + session_timeout;
  }
}

bool refusal_check::timer(instant now) noexcept {
  if (state_ != state::waiting || now < at_) {
    return false;
  }
  state_ = state::asking;
  return true;
}

void refusal_check::interrupted(instant now) noexcept {
  if (state_ == state::asking || state_ == state::counting) {
    state_ = state::waiting;
    at_ = now + timeout_ / retries_per_timeout;
  }
}

void refusal_check::newcomer_served() noexcept {
  if (state_ == state::asking) {
    state_ = state::counting;
    closed_ = 0;
  }
}

/// The first of them may have been begun before the newcomer was served: it does not count.
void refusal_check::attempt_closed(std::size_t attempts_per_round) noexcept {
  if (state_ != state::counting || ++closed_ <= attempts_per_round) {
    return;
  }
  state_ = ++rounds_ < rounds_needed ? state::asking : state::refused;
}

}  // namespace zklock::recipes
