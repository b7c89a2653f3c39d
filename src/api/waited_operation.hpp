#pragma once

#include <memory>
#include <stop_token>
#include <string_view>

#include <zklock/error.hpp>
#include <zklock/session.hpp>

#include "src/api/blocking_receiver.hpp"
#include "src/api/session_impl.hpp"

namespace zklock::detail {

/// Where an operation must not be begun. Throws errc::forked, errc::would_deadlock.
inline void require_may_wait(const session_impl& in, std::string_view operation, std::string_view path) {
  if (in.forked()) {
    throw error(errc::forked, operation, path);
  }
  if (in.on_client_thread()) {
    throw error(errc::would_deadlock, operation, path);  // the answer would come to this very thread
  }
}

/// The result of the operation that `make` makes of a receiver. A stop ends it with errc::abandoned.
template <class Result, class Make>
Result wait_for(const std::shared_ptr<session_impl>& in, Make&& make, const std::stop_token& stop = {}) {
  blocking_receiver<Result> told;
  const std::shared_ptr<engine::operation> mine = make(told.shared());
  in->begin(mine);
  const std::stop_callback abandon(stop, [&] { in->abandon(mine); });
  return told.wait();
}

}  // namespace zklock::detail
