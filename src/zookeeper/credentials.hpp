#pragma once

#include <atomic>
#include <string>

#include "src/port/client.hpp"
#include "src/threads/thread_safety.hpp"

struct _zhandle;

namespace zklock::client {

/// What a handle of our own is to prove to the servers. The C client does not take credentials between two attempts to
/// connect (F75), so they are offered again until it has them. From then on it sends them in front of all requests, and
/// again after each reconnect.
class credentials {
 public:
  credentials() = default;
  explicit credentials(const parameters& with) : scheme_(with.auth_scheme), text_(with.auth_credentials) {}

  /// Whether the C client has them, or there are none. Any thread, while the handle is not being closed.
  [[nodiscard]] bool given_to(_zhandle* handle) ZKLOCK_EXCLUDES(mutex_);

 private:
  const std::string scheme_;
  const std::string text_;
  annotated_mutex mutex_;
  std::atomic<bool> given_ = scheme_.empty();
};

}  // namespace zklock::client
