#include "src/engine/handle_poll.hpp"

namespace zklock::engine {

void handle_poll::poll_if_due(client::connection* handle, bool connected, std::chrono::nanoseconds timeout,
                              instant now) {
  if (!at_ || now < *at_) {
    return;
  }
  at_.reset();
  if (handle != nullptr) {
    at_ = now + (connected ? timeout / polls_per_timeout : interval_unconnected);
    handle->poll();
  }
}

}  // namespace zklock::engine
