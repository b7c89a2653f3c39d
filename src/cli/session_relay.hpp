#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include <zklock/session.hpp>

#include "src/cli/event_notifier.hpp"
#include "src/cli/guardian_process.hpp"

namespace zklock::cli {

/// Tells the guardian what ends the ZooKeeper session that there is: at once, and again for each new one. While there is none, the
/// guardian keeps the last, which is over.
class session_relay {
 public:
  /// `auth`: as session_options::auth.
  session_relay(session& of, guardian_process& guardian, std::string servers, std::string auth);

  /// Readable when there may be something to tell.
  [[nodiscard]] int descriptor() const noexcept { return changed_.descriptor(); }
  /// Any thread: who contends tells it first.
  void look();

 private:
  session& session_;
  guardian_process& guardian_;
  const std::string servers_;
  const std::string auth_;
  std::mutex mutex_;  ///< one tells at a time
  std::int64_t told_ = 0;
  event_notifier changed_;
  session_observer states_;  // last: it rings
};

}  // namespace zklock::cli
