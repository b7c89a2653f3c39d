#include "src/testing/server_choice.hpp"

namespace zklock::testing {

void server_choice::failed(int servers, std::chrono::milliseconds timeout, instant now) noexcept {
  ++failures_;
  choose(servers, timeout, now);
}

void server_choice::lost(int servers, std::chrono::milliseconds timeout, instant now) noexcept {
  failures_ = 0;
  choose(servers, timeout, now);
}

void server_choice::choose(int servers, std::chrono::milliseconds timeout, instant now) noexcept {
  if (!only_) next_ = (next_ + 1) % servers;
  retry_at_ = failures_ >= (only_ ? 1 : servers) ? now + timeout / 60 : now;
}

}  // namespace zklock::testing
